triangle(X, Y, Z) :- edge(X, Y), edge(Y, Z), edge(X, Z).
main :- aggregate_all(count, triangle(_, _, _), N), writeln(answer(N)).
