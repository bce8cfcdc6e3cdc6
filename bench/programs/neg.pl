:- table reached/1 as subsumptive.
reached(X) :- start(X).
reached(Y) :- reached(X), edge(X, Y).
unreached(G, X) :- node(X, G), \+ reached(X).
:- table size/2.
size(G, N) :- aggregate(count, X^unreached(G, X), N).
:- table histogram/2.
histogram(N, K) :- aggregate(count, G^size(G, N), K).
main :-
    forall(reached(_), true),
    aggregate_all(count, unreached(_, _), N),
    aggregate_all(count, histogram(_, _), M),
    writeln(answer(N, M)).
