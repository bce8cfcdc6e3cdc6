:- table same/2.
same(X, Y) :- parent(P, X), parent(P, Y).
same(X, Y) :- same(P, Q), parent(P, X), parent(Q, Y).
main :- aggregate_all(count, same(_, _), N), writeln(answer(N)).
