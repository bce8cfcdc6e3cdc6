main :- predicate_property(order(_, _, _, _), number_of_clauses(N)), writeln(answer(N)).
