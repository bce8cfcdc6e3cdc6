:- use_module(facts).
affected(O, C, P) :- preferred(C), order(O, C, P, _), recalled(P).
main :-
    read_table(order, [number, atom, atom, atom]),
    read_table(preferred, [atom]),
    read_table(recalled, [atom]),
    aggregate_all(count, affected(_, _, _), N),
    writeln(answer(N)).
