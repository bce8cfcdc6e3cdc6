affected(O, C, P) :- preferred(C), order(O, C, P, _), recalled(P).
main :- aggregate_all(count, affected(_, _, _), N), writeln(answer(N)).
