:- table points/2, holds/3.
points(V, O) :- alloc(V, O).
points(V, O) :- assign(V, W), points(W, O).
points(V, O) :- load(V, B, F), points(B, P), holds(P, F, O).
holds(P, F, O) :- store(B, F, V), points(B, P), points(V, O).
main :-
    aggregate_all(count, points(_, _), N),
    aggregate_all(count, holds(_, _, _), M),
    writeln(answer(N, M)).
