:- use_module(library(pcre)).
failed(I, Team) :-
    line(I, Text),
    re_matchsub("^\\S+ (?<host_A>\\S+) GET (?<path_A>\\S+) 5\\d\\d ", Text, Match),
    owner(Match.host, Team).
main :- aggregate_all(count, failed(_, _), N), writeln(answer(N)).
