:- use_module(facts).
:- use_module(library(pcre)).
failed(I, Team) :-
    line(I, Text),
    re_matchsub("^\\S+ (?<host_A>\\S+) GET (?<path_A>\\S+) 5\\d\\d ", Text, Match),
    owner(Match.host, Team).
main :-
    read_table(line, [number, string]),
    read_table(owner, [atom, atom]),
    aggregate_all(count, failed(_, _), N),
    writeln(answer(N)).
