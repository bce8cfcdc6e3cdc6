// SPDX-License-Identifier: Apache-2.0
//
// The grammar of one sentence: the productions of the Appendix, by name and in order, with the
// additions of decisions 1-20. Only grammar/parser.cc includes this file.
//
// Three invariants hold throughout.
//   No backtracking over actions. Alternatives with a common beginning read it once (RULE, EXPR and
//   NESTED-RULE; a name and a call), and after the first token of a construct the rest of it is a
//   must<>. So parsing is linear and an action never has to be undone.
//   Length is a loop, only brackets recurse; sentences.h has bounded their depth before.
//   The grammar defines where a form may be written, not its kind: an ARG is read as any operand, a
//   HEAD as any expression. grammar/shape.cc checks the tree, because it can then name what was
//   found and suggest what to write instead.
//
// For a sentence like `p(?x) <- q(?x), not r(?x)`, Sentence reads a Rule, the Rule an Expr, and the
// Expr a Tail (which turns out to be a head), an Arrow, and another Tail of Conjuncts.
#ifndef RPL_GRAMMAR_RULES_H_
#define RPL_GRAMMAR_RULES_H_

#include <tao/pegtl.hpp>

namespace rpl::rules {

// An alias only, because no file opens a namespace.
namespace p = tao::pegtl;

// Blanks and comments; a token takes those after it.
struct Comment : p::seq<p::two<'-'>, p::until<p::at<p::eolf>>> {};
struct Blanks : p::star<p::sor<p::one<' ', '\n', '\t', '\r'>, Comment>> {};
template <typename... Rules>
struct Tok : p::seq<Rules..., Blanks> {};
template <char C>
struct Mark : Tok<p::one<C>> {};

// Defined below, in the order of the Appendix.
// clang-format off
struct Rule; struct Expr; struct Abductive; struct AnyAct; struct Constraint; struct Tail;
struct Conjunction; struct Conjunct; struct Clause; struct CompareOperator; struct WithinWord;
struct OfWord; struct BetweenWord; struct AndWord; struct Comparison; struct SumOperator;
struct Sum; struct Product; struct Atom; struct Expansion; struct Count; struct Var;
struct Match; struct Pattern; struct Element; struct Collection; struct List; struct ListExpr;
struct Set; struct SetExpr; struct Map; struct MapExpr; struct String; struct DqString;
struct DqPart; struct Hole; struct Escape; struct LoneBrace; struct SqString; struct SqPart;
struct Number; struct Keyword; struct Regex; struct RegexBody; struct LvarName; struct NoCall;
struct Lvar; struct NameChar; struct NameEnd; struct Name; struct Word; struct Relation;
struct Goal; struct GoalFalse; struct Tool; struct Arg;
// clang-format on

// A word that is an operator where an operator may stand (decision 15).
template <char... Cs>
struct WordOperator : p::seq<p::string<Cs...>, NameEnd> {};

// --- Sentences

// SENTENCE = RULE | EXPR | NESTED-RULE
struct SentenceEnd : p::eof {};
struct Sentence : p::seq<Blanks, Rule, p::must<SentenceEnd>> {};

// RULE = [ HEAD '<-' ]? EXPR [ ';' ABDUCTIVE ]? [ '->' CONSTRAINT ]?
// Deviation: a second arrow, for `-> ?r -> inner(?x)` (decision 19).
struct RuleBegin : p::success {};
struct ConstraintArrow : Tok<p::string<'-', '>'>> {};
struct Rule : p::seq<RuleBegin, p::must<Expr>, p::opt<p::if_must<Mark<';'>, Abductive>>,
                     p::star<p::if_must<ConstraintArrow, Constraint>>> {};

// NESTED-RULE = HEAD '<-' '(' RULE ')'
// Deviation: '(' RULE ')' is read wherever '(' EXPR ')' or '(' TAIL ')' may stand, once;
// a full RULE elsewhere than after `<-` is refused later.
struct GroupOpen : Mark<'('> {};
struct GroupClose : p::one<')'> {};
struct Group : p::if_must<GroupOpen, Rule, GroupClose> {};

// EXPR = TAIL | HEAD '<-' EXPR | '(' EXPR ')' [ '^' VAR ]?
struct Arrow : Tok<p::string<'<', '-'>> {};
struct Expr : p::seq<Tail, p::star<p::if_must<Arrow, Tail>>> {};

// ABDUCTIVE = WHEN-ACT | CHOOSE-ACT | DISTINCT-ACT | EACH-ACT | FOR-ACT
//           | ABDUCTIVE ',' ABDUCTIVE
struct Abductive : p::seq<p::must<AnyAct>, p::star<p::if_must<Mark<','>, AnyAct>>> {};

// WHEN-ACT = '@when' '(' TAIL ')'
// CHOOSE-ACT = '@choose' '(' BINDING ',' TAIL ')'
// DISTINCT-ACT = '@distinct' '(' BINDING ',' TAIL ')'
// EACH-ACT = '@each' '(' BINDING ')'
// FOR-ACT = '@for' '(' BINDING ',' TAIL ',' STEP ')'
// BINDING = CLAUSE | CLAUSE ',' BINDING   STEP = CLAUSE | CLAUSE ',' STEP
// Deviation: one production for the words of abductives.h; the action of ActWord refuses others.
// BINDING, TAIL, STEP and items are one comma list, a Tail; the kinds of its members divide it
// (decisions 67-69).
struct ActOpen : Mark<'('> {};
struct ActClose : Mark<')'> {};
struct ActWord : p::seq<p::one<'@'>, Name> {};
struct AnyAct : p::if_must<Tok<ActWord>, ActOpen, Tail, ActClose> {};

// CONSTRAINT = TAIL
struct Constraint : p::seq<Tail> {};

// HEAD = GOAL | RELATION | TOOL
// No rule: any form followed by `<-` is a head, `#?h` included (decision 36).

// --- Clauses

// TAIL = CLAUSE | CLAUSE ',' TAIL | '(' TAIL ')' [ '^' VAR ]?
// Deviation: `|` between conjunctions, `not` before a clause (decision 1).
struct DisjunctionTail : p::if_must<Mark<'|'>, Conjunction> {};
struct Tail : p::seq<Conjunction, p::star<DisjunctionTail>> {};
struct ConjunctionTail : p::if_must<Mark<','>, Conjunct> {};
struct Conjunction : p::seq<Conjunct, p::star<ConjunctionTail>> {};
struct NotWord : Tok<WordOperator<'n', 'o', 't'>> {};
struct Negation : p::seq<p::plus<NotWord>, p::must<Clause>> {};
struct Conjunct : p::sor<Negation, Clause> {};

// CLAUSE = ATOM [ '^' VAR ]? [ '^^' VAR ]? | LVAR '=' ASYNC-ATOM [ '^' VAR ]? [ '^^' VAR ]?
// ASYNC-ATOM = TOOL | ASYNC-VAR
// Deviation: any number of suffixes, in the spellings of §11 (decision 20), which ast.h
// lists. LVAR '=' ASYNC-ATOM is read as any comparison.
struct SuffixTruth
    : p::seq<p::sor<p::string<'t', 'r', 'u', 'e'>, p::string<'f', 'a', 'l', 's', 'e'>>, NameEnd> {};
struct SuffixName : p::seq<Name> {};
struct SuffixValue : p::seq<Element> {};
struct MetaMark : p::seq<p::one<'^'>, p::not_at<p::one<'^'>>, Blanks> {};
struct MetaBody : p::sor<p::seq<Tok<Keyword>, p::must<SuffixValue>>, Tok<SuffixTruth>,
                         p::seq<Tok<SuffixName>, p::must<SuffixValue>>, Tok<p::sor<Var, Map>>> {};
struct MetaSuffix : p::if_must<MetaMark, MetaBody> {};
struct SlotValue : p::seq<p::not_at<p::sor<SumOperator, CompareOperator, WithinWord, BetweenWord,
                                           OfWord, AndWord, p::one<'%', '|'>>>,
                          Element> {};
struct BindingsMark : Tok<p::string<'^', '^'>> {};
struct BindingsBody : p::sor<p::seq<Tok<SuffixName>, p::must<SuffixValue>>, Tok<p::sor<Match, Map>>,
                             p::seq<Tok<Var>, p::opt<SlotValue>>> {};
struct BindingsSuffix : p::if_must<BindingsMark, BindingsBody> {};
struct Clause : p::seq<Comparison, p::star<p::sor<MetaSuffix, BindingsSuffix>>> {};

// Operators (decisions 1-3), loosest first; those of one level group left.
//
// Comparisons, `in`, infix `~` (decision 18) and the temporal operators stand at one level
// and do not chain. §5.6 has the temporal ones below comparison: an order between two
// kinds of test that could only show in a chain.
struct InWord : WordOperator<'i', 'n'> {};
struct NotIn : p::seq<WordOperator<'n', 'o', 't'>, Blanks, InWord> {};
struct CompareOperator
    : p::sor<p::seq<p::one<'='>, p::not_at<p::one<'>'>>>, p::string<'!', '='>, p::string<'<', '='>,
             p::seq<p::one<'<'>, p::not_at<p::one<'-'>>>, p::string<'>', '='>, p::one<'>'>, InWord,
             NotIn, WordOperator<'b', 'e', 'f', 'o', 'r', 'e'>,
             WordOperator<'a', 'f', 't', 'e', 'r'>> {};
struct CompareTail : p::if_must<Tok<CompareOperator>, Sum> {};
struct MatchTail : Tok<Match> {};
struct WithinWord : Tok<WordOperator<'w', 'i', 't', 'h', 'i', 'n'>> {};
struct OfWord : Tok<WordOperator<'o', 'f'>> {};
struct WithinTail : p::if_must<WithinWord, Sum, OfWord, Sum> {};
struct BetweenWord : Tok<WordOperator<'b', 'e', 't', 'w', 'e', 'e', 'n'>> {};
struct AndWord : Tok<WordOperator<'a', 'n', 'd'>> {};
struct BetweenTail : p::if_must<BetweenWord, Sum, AndWord, Sum> {};
struct NoChain : p::not_at<p::sor<CompareOperator, p::one<'~'>, WithinWord, BetweenWord>> {};
struct Comparison
    : p::seq<Sum,
             p::opt<p::sor<CompareTail, MatchTail, WithinTail, BetweenTail>, p::must<NoChain>>> {};

struct SumOperator : p::sor<p::one<'+'>, p::seq<p::one<'-'>, p::not_at<p::one<'>'>>>,
                            WordOperator<'u', 'n', 'i', 'o', 'n'>,
                            WordOperator<'i', 'n', 't', 'e', 'r', 's', 'e', 'c', 't'>,
                            WordOperator<'d', 'i', 'f', 'f', 'e', 'r', 'e', 'n', 'c', 'e'>> {};
struct SumTail : p::if_must<Tok<SumOperator>, Product> {};
struct Sum : p::seq<Product, p::star<SumTail>> {};
struct ProductOperator : p::one<'*', '/'> {};
struct ProductTail : p::if_must<Tok<ProductOperator>, Atom> {};
struct Product : p::seq<Atom, p::star<ProductTail>> {};

// ATOM = RELATION | GOAL | TOOL | VAR | LITERAL | EXPANSION | '(' EXPR ')'
// Deviation: other operands are read here as well: collections and counts.
struct Atom : Tok<p::sor<Relation, Number, String, Var, Goal, Count, Group, Keyword, Expansion,
                         Collection, GoalFalse>> {};

// EXPANSION = '#' LVAR
struct ExpansionName : p::seq<p::string<'#', '?'>, p::must<LvarName>> {};
struct Expansion : p::seq<ExpansionName, p::must<NoCall>> {};

// OPERAND = RELATION | VAR | LITERAL | COLLECTION | EXPANSION | '(' OPERAND ')'
// Between bars (§5.2); operands of other operators are Atoms.
struct CountOpen : Mark<'|'> {};
struct CountClose : p::one<'|'> {};
struct Operand : Tok<p::sor<Group, Element>> {};
struct Count : p::if_must<CountOpen, Operand, CountClose> {};

// --- Data

// VAR = LVAR | ASYNC-VAR | '~' PATTERN
struct Var : p::sor<Lvar, Tool, Match> {};

// PATTERN = MAP | LIST | SET | STRING | REGEX
// Deviation: a bare lvar, which matches anything (decision 18).
struct MatchMark : Mark<'~'> {};
struct Match : p::if_must<MatchMark, Pattern> {};
struct Pattern : p::sor<Collection, String, Regex, Lvar> {};

// ELEMENT = VAR | LITERAL | COLLECTION
// Deviation: calls and expansions are read as well, so that they can be refused by name.
struct Element : Tok<p::sor<Number, String, Keyword, Var, Collection, Relation, Goal, Expansion>> {
};

// COLLECTION = LIST | SET | MAP
struct Collection : p::sor<List, Set, Map> {};

// LIST = '[' LIST-EXPR ']'
// LIST-EXPR = ELEMENT [ ELEMENT ]* | ELEMENT '.' LIST-EXPR | ELEMENT '&' VAR
// Deviations: commas are blanks, empty is fine (decision 8); `&` needs no element before
// it, and takes several variables in a head (decision 9).
struct ListOpen : Mark<'['> {};
struct ListClose : p::one<']'> {};
struct List : p::if_must<ListOpen, ListExpr, ListClose> {};
struct Dot : p::seq<p::one<'.'>, p::not_at<p::sor<p::one<'.'>, p::digit>>, Blanks> {};
struct RestMark : Mark<'&'> {};
struct RestVar : Tok<Var> {};
struct Rest : p::if_must<RestMark, RestVar, p::star<p::sor<Mark<','>, RestVar>>> {};
struct ListExpr
    : p::seq<p::star<Mark<','>>,
             p::opt<Element, p::star<p::sor<Mark<','>, Element, p::if_must<Dot, Element>>>>,
             p::opt<Rest>> {};

// SET = '#' '{' SET-EXPR '}'
struct SetOpen : Tok<p::string<'#', '{'>> {};
struct SetClose : p::one<'}'> {};
struct Set : p::if_must<SetOpen, SetExpr, SetClose> {};
struct SetExpr : p::seq<ListExpr> {};

// MAP = '{' MAP-EXPR '}'
// MAP-EXPR = MAP-ENTRY [ ',' MAP-ENTRY ]* | MAP-ENTRY '.' MAP-EXPR | MAP-ENTRY '&' VAR
// MAP-ENTRY = ELEMENT ELEMENT
// Deviation: no rule for entries; that elements come in pairs is counted later. So too
// METADATA-MAP, METADATA-ENTRY and METADATA-KEY: a Map, checked where it is metadata.
struct MapOpen : Mark<'{'> {};
struct MapClose : p::one<'}'> {};
struct Map : p::if_must<MapOpen, MapExpr, MapClose> {};
struct MapExpr : p::seq<ListExpr> {};

// LITERAL = STRING | NUMBER | KEYWORD | BOOLEAN | NIL | SYMBOL
// BOOLEAN = 'true' | 'false'   NIL = 'nil'   SYMBOL = NAME
// No rules for the last three: they begin like a call, see Word.

// STRING = DQ-STRING | SQ-STRING
struct String : p::sor<DqString, SqString> {};

// DQ-STRING = '"' DQ-PART* '"'   DQ-PART = DQ-TEXT | '{' LVAR '}'   DQ-TEXT = [^"{]+
// Deviation: a brace that opens no hole is text, and EDN's escapes hold in both forms, with
// \' and \{ added (decision 10).
struct DqClose : p::one<'"'> {};
struct DqString : p::if_must<p::one<'"'>, p::star<DqPart>, DqClose> {};
struct DqText : p::plus<p::not_one<'"', '{', '\\'>> {};
struct DqPart : p::sor<DqText, Hole, Escape, LoneBrace> {};
struct HoleName : p::sor<p::seq<p::one<'?'>, Name>, p::one<'_'>> {};
struct Hole : p::seq<p::one<'{'>, HoleName, p::one<'}'>> {};
struct EscapeBody : p::sor<p::one<'n', 't', 'r', 'b', 'f', '\\', '"', '\'', '{', '}', '/'>,
                           p::seq<p::one<'u'>, p::rep<4, p::xdigit>>> {};
struct Escape : p::if_must<p::one<'\\'>, EscapeBody> {};
struct LoneBrace : p::one<'{'> {};

// SQ-STRING = '\'' SQ-PART* '\''   SQ-PART = SQ-TEXT | '{' LVAR '}'   SQ-TEXT = [^'{]+
struct SqClose : p::one<'\''> {};
struct SqString : p::if_must<p::one<'\''>, p::star<SqPart>, SqClose> {};
struct SqText : p::plus<p::not_one<'\'', '{', '\\'>> {};
struct SqPart : p::sor<SqText, Hole, Escape, LoneBrace> {};

// NUMBER = [0-9]+ [ '.' [0-9]+ ]?
// Deviation: a sign that touches it, an exponent, and EDN's suffixes (decision 13).
struct Exponent : p::seq<p::one<'e', 'E'>, p::opt<p::one<'+', '-'>>, p::plus<p::digit>> {};
struct Digits : p::seq<p::opt<p::one<'+', '-'>>, p::plus<p::digit>,
                       p::opt<p::one<'.'>, p::plus<p::digit>>, p::opt<Exponent>> {};
struct NumberSuffix : p::one<'N', 'M'> {};
struct NumberEnd : p::not_at<p::sor<p::alpha, p::one<'_', '.'>>> {};
struct Number : p::seq<Digits, p::opt<NumberSuffix>, p::must<NumberEnd>> {};

// KEYWORD = ':' NAME
// Deviation: foreign data may have capitals and one `/`, a lint (decision 14).
struct ForeignName
    : p::seq<p::alpha, p::star<NameChar>, p::opt<p::one<'/'>, p::alpha, p::star<NameChar>>> {};
struct KeywordName : p::seq<ForeignName> {};
struct Keyword : p::if_must<p::one<':'>, KeywordName> {};

// REGEX = '/' REGEX-BODY '/'   REGEX-BODY = [^/]+
// Deviation: `\/` does not end it (decision 12), and it does not run over lines.
struct RegexClose : p::one<'/'> {};
struct Regex : p::if_must<p::one<'/'>, RegexBody, RegexClose> {};
struct RegexBody
    : p::plus<p::sor<p::seq<p::one<'\\'>, p::not_one<'\n'>>, p::not_one<'/', '\n', '\\'>>> {};

// LVAR = '?' NAME | '_'
// An lvar is no callee (§3): NoCall.
// Deviation: `?2` names the slot of the second argument of a goal that is no lvar. Shape takes it
// as a key in an entry of a trace, and nowhere else.
struct SlotNumber : p::seq<p::plus<p::digit>, NameEnd> {};
struct LvarName : p::sor<Name, SlotNumber> {};
struct NamedLvar : p::if_must<p::one<'?'>, LvarName> {};
struct AnonymousLvar : p::seq<p::one<'_'>, p::must<NameEnd>> {};
struct NoCall : p::not_at<p::one<'('>> {};
struct Lvar : p::seq<p::sor<NamedLvar, AnonymousLvar>, p::must<NoCall>> {};

// ASYNC-VAR = '$' NAME: a Tool without parentheses.

// --- Names and calls

// NAME = [a-z] [ a-z0-9\- ]*
// Deviation: capitals and underscores inside are read, and are a lint; a name stops before
// `->` (decision 6).
struct NameChar : p::sor<p::ranges<'a', 'z', '0', '9', 'A', 'Z', '_'>,
                         p::seq<p::one<'-'>, p::not_at<p::one<'>'>>>> {};
struct NameEnd : p::not_at<NameChar> {};
struct Name : p::seq<p::lower, p::star<NameChar>> {};

// LABEL = NAME | NS '#' NAME   NS = NAME | NAME '#' NS
// Deviation: a namespace may be a file name and hold dots (decision 77). NsDots is bounded,
// so that `a.b.c.d` is not read again from every dot. A first capital is refused later.
struct LabelName : p::seq<p::alpha, p::star<NameChar>> {};
struct NsDots : p::rep_opt<8, p::one<'.'>, p::plus<NameChar>> {};
struct NsMark : p::seq<p::one<'#'>, p::not_at<p::one<'{', '?'>>> {};
struct Label : p::seq<LabelName, p::star<NsDots, NsMark, p::must<LabelName>>> {};

// RELATION = LABEL '(' [ ARG [ ',' ARG ]* ]? ')'
// Word is any label or symbol, including one with a `/` (decision 14); a `(` that touches it
// makes it a call.
struct SymbolTail : p::seq<p::one<'/'>, p::alpha, p::star<NameChar>> {};
struct Word : p::seq<Label, p::opt<SymbolTail>> {};
struct ArgsOpen : Mark<'('> {};
struct ArgsClose : p::one<')'> {};
struct Args : p::if_must<ArgsOpen, p::opt<Arg, p::star<p::if_must<Mark<','>, Arg>>>, ArgsClose> {};
struct Relation : p::seq<Word, p::opt<Args>> {};

// GOAL = '%' LABEL? [ '(' [ ARG [ ',' ARG ]* ]? ')' ]?
struct GoalLabel : p::seq<p::one<'%'>, p::opt<Label>> {};
struct NoVariable : p::not_at<p::one<'?', '$'>> {};
struct Goal : p::seq<GoalLabel, p::must<NoVariable>, p::opt<Args>> {};

// '!' GOAL (decision 17)
struct Bang : p::seq<p::one<'!'>, p::not_at<p::one<'='>>, Blanks> {};
struct GoalFalse : p::if_must<Bang, Goal> {};

// TOOL = '$' LABEL '(' [ ARG [ ',' ARG ]* ]? ')'
struct AsyncName : p::seq<Label> {};
struct AsyncLabel : p::if_must<p::one<'$'>, AsyncName> {};
struct Tool : p::seq<AsyncLabel, p::opt<Args>> {};

// ARG = VAR | LITERAL | COLLECTION | '_' | RELATION
// Deviation: any comparison is read, so that it can be refused with a hint.
struct Arg : p::seq<Comparison> {};

// One term by itself (ParseTerm).
struct Term : p::seq<Blanks, p::must<Operand>, p::must<SentenceEnd>> {};

}  // namespace rpl::rules

#endif  // RPL_GRAMMAR_RULES_H_
