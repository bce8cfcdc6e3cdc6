% How the Prolog programs get their facts: `swipl … PROGRAM.pl -- FOLDER/NAME` reads them from
% FOLDER/NAME.pl, or from the tables FOLDER/NAME/RELATION.facts, which is faster when rows are
% wide.
:- module(facts, [consult_facts/0, read_table/2]).

data(Name) :- current_prolog_flag(argv, Arguments), last(Arguments, Name).

consult_facts :- data(Name), atom_concat(Name, '.pl', File), consult(user:File).

% read_table(order, [number, atom]): asserts order/2. Columns are number, atom or string.
read_table(Relation, Types) :-
    data(Name),
    atomic_list_concat([Name, '/', Relation, '.facts'], File),
    setup_call_cleanup(open(File, read, Stream, [encoding(octet)]),
                       read_rows(Stream, Relation, Types),
                       close(Stream)).

read_rows(Stream, Relation, Types) :-
    read_line_to_string(Stream, Line),
    (   Line == end_of_file
    ->  true
    ;   split_string(Line, "\t", "", Columns),
        maplist(value, Types, Columns, Values),
        Row =.. [Relation|Values],
        assertz(user:Row),
        read_rows(Stream, Relation, Types)
    ).

value(number, Text, Value) :- number_string(Value, Text).
value(atom, Text, Value) :- atom_string(Value, Text).
value(string, Text, Text).
