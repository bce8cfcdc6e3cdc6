:- table path/2.
path(X, Y) :- edge(X, Y).
path(X, Z) :- path(X, Y), edge(Y, Z).
main :- aggregate_all(count, path(_, _), N), writeln(answer(N)).
