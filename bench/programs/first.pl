light(green).
main :- aggregate_all(count, light(_), N), writeln(answer(N)).
