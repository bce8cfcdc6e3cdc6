// SPDX-License-Identifier: Apache-2.0
//
// Three steps per sentence: sentences.h cuts it out and bounds the recursion, rules.h reads it with
// the actions below, which drive a Builder, and shape.h settles the tree.
//
// A grammar error is a must<> that failed: kExpectation states what was expected there, Explain
// examines what was found instead. Within this file alone, errors travel as a thrown Diagnostic.
#include "grammar/parser.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "formats/character.h"
#include "formats/launch.h"
#include "formats/look_alike.h"
#include "grammar/abductives.h"
#include "grammar/builder.h"
#include "grammar/rules.h"
#include "grammar/sentences.h"
#include "grammar/shape.h"

namespace rpl {
namespace {

// A text of so many sentences is read by two threads, half each.
constexpr std::size_t kSentencesForTwoThreads = 5000;

// --- Errors ------------------------------------------------------------------------------

struct Expectation {
  Code code = Code::kSyntaxError;
  const char* expected = "something else";
  const char* hint = "";
  const char* message = nullptr;  // instead of "expected ..., got ..."
};

// "there are @when, … and @for"
constexpr auto kAbductivesHint = [] {
  std::array<char, 400> text{};
  auto end = text.begin();
  const auto add = [&](std::string_view part) { end = std::ranges::copy(part, end).out; };
  for (const AbductiveRow& row : kAbductives) {
    add(&row == std::begin(kAbductives)     ? "there are @"
        : &row + 1 == std::end(kAbductives) ? " and @"
                                            : ", @");
    add(row.word);
  }
  return text;
}();

// One per rule of rules.h that occurs in a must<> and can fail.
template <typename Rule>
inline constexpr Expectation kExpectation{};

// RPL_EXPECT(rule, code, expected form, hint); RPL_REFUSE states what is not allowed there.
#define RPL_EXPECT(rule, code, expected, hint)             \
  template <>                                              \
  inline constexpr Expectation kExpectation<rules::rule> { \
    Code::code, expected, hint, nullptr                    \
  }
#define RPL_REFUSE(rule, code, message, hint)              \
  template <>                                              \
  inline constexpr Expectation kExpectation<rules::rule> { \
    Code::code, "", hint, message                          \
  }

RPL_EXPECT(Expr, kSyntaxError, "a clause", "");
RPL_EXPECT(Tail, kSyntaxError, "a clause", "");
RPL_EXPECT(Conjunction, kSyntaxError, "a clause", "");
RPL_EXPECT(Conjunct, kSyntaxError, "a clause", "");
RPL_EXPECT(Clause, kSyntaxError, "a clause", "");
RPL_EXPECT(Constraint, kSyntaxError, "a clause", "");
RPL_EXPECT(Sum, kSyntaxError, "an operand", "");
RPL_EXPECT(Product, kSyntaxError, "an operand", "");
RPL_EXPECT(Atom, kSyntaxError, "an operand", "");
RPL_EXPECT(Operand, kSyntaxError, "an operand", "");

RPL_EXPECT(Element, kSyntaxError, "an element after `.`", "");
RPL_EXPECT(Arg, kSyntaxError, "an argument after `,`", "");
RPL_EXPECT(ArgsClose, kSyntaxError, "`,` or `)`", "");
RPL_EXPECT(GroupClose, kSyntaxError, "`,` or `)`", "");
RPL_EXPECT(ListClose, kSyntaxError, "an element or `]`", "");
RPL_EXPECT(SetClose, kSyntaxError, "an element or `}`", "");
RPL_EXPECT(MapClose, kSyntaxError, "an element or `}`", "");
RPL_EXPECT(RestVar, kSyntaxError, "a variable after `&`", "");
RPL_EXPECT(CountClose, kSyntaxError, "`|`",
           "bars hold one operand: a relation call, a variable, a collection or `#?x`");
RPL_EXPECT(Pattern, kSyntaxError, "a pattern after `~`",
           "a pattern is a map, list, set, string, regex or lvar");
RPL_EXPECT(MetaBody, kBadMetadata, "what `^` is about",
           "write `^ ?m`, `^ ~ {:key ?v}`, `^:key ?v` or `^ true`");
RPL_EXPECT(BindingsBody, kBadMetadata, "what `^^` is about",
           "write `^^ ?b`, `^^ ~ {?a ?v}` or `^^ ?a ?v`");
RPL_EXPECT(SuffixValue, kBadMetadata, "a value for the metadata key",
           "write a variable after it, as in `^:key ?v`");
RPL_EXPECT(OfWord, kSyntaxError, "`of`", "write `?t within ?n of ?ref`");
RPL_EXPECT(AndWord, kSyntaxError, "`and`", "write `?t between ?a and ?b`");
RPL_EXPECT(AnyAct, kBadAbductive, "an activation clause", kAbductivesHint.data());
RPL_EXPECT(ActOpen, kBadAbductive, "`(`", "");
RPL_EXPECT(ActClose, kBadAbductive, "`,` or `)`", "");
RPL_EXPECT(SentenceEnd, kSyntaxError, "the end of the sentence", "");
RPL_EXPECT(NameEnd, kBadName, "nothing after `_`", "a variable is `_` or `?` and a name");
RPL_EXPECT(NumberEnd, kBadLiteral, "a blank or operator after the number",
           "a name does not begin with a digit, and a point has digits on both sides");
RPL_EXPECT(
    EscapeBody, kBadLiteral, "an escape",
    "there are \\n \\t \\r \\b \\f \\\\ \\\" \\' \\{ \\/ and \\uXXXX; a backslash is `\\\\`");
RPL_EXPECT(DqClose, kUnclosedString, "`\"`", "");
RPL_EXPECT(SqClose, kUnclosedString, "`'`", "");
RPL_EXPECT(RegexBody, kBadRegex, "the body of a regex", "");
RPL_EXPECT(RegexClose, kBadRegex, "`/`", "");
RPL_REFUSE(NoCall, kVariableCallee, "an lvar cannot be called",
           "name the relation, or bind a call to an argument and use that lvar alone");
RPL_REFUSE(NoVariable, kVariableCallee, "a variable cannot name a goal",
           "a goal is named by a label, as in `%draft`");
RPL_REFUSE(NoChain, kSyntaxError, "comparisons do not chain", "write two, as in `1 < ?x, ?x < 3`");
RPL_REFUSE(Goal, kSyntaxError, "`!` stands only before a goal", "before other clauses write `not`");

constexpr const char* kNameHint = "a name begins with a lower-case letter, as in `first-name`";
RPL_EXPECT(LvarName, kBadName, "a name", kNameHint);
RPL_EXPECT(KeywordName, kBadName, "a name", kNameHint);
RPL_EXPECT(LabelName, kBadName, "a name", kNameHint);
RPL_EXPECT(AsyncName, kBadName, "a name", kNameHint);

#undef RPL_EXPECT
#undef RPL_REFUSE

Diagnostic LookAlikeFound(const LookAlike& found, Span span) {
  return {Code::kSyntaxError, InfoOf(Code::kSyntaxError).severity, span,
          found.Shown() + " stands here", found.Hint()};
}

// The explanation of a syntax error at one place of a sentence.
class Explainer {
 public:
  Explainer(std::string_view text, std::uint32_t file, std::uint32_t at, std::uint32_t limit)
      : text_(text.substr(0, limit)), file_(file), at_(at), limit_(limit) {}

  /// REQUIRES: `wanted` was expected at the place and is not there.
  [[noreturn]] void Explain(const Expectation& wanted) const {
    if (Begins("...")) {
      SentenceText::Fail(Code::kElision, To(3), "`...` is elision and not part of the language",
                         "write out what it stands for");
    }
    if (Begins("=>")) {
      SentenceText::Fail(Code::kOldArrow, To(2), "`=>` is not an operator",
                         "write `->` for a constraint, `<-` for a rule");
    }
    ExplainLookAlike();
    if (wanted.code == Code::kSyntaxError) {
      ExplainSplitOperator();
      ExplainForeignToken();
      if (std::string_view(wanted.expected) == kExpectation<rules::SentenceEnd>.expected) {
        ExplainRest();
      }
    }
    if (wanted.message != nullptr)
      SentenceText::Fail(wanted.code, Found(), wanted.message, wanted.hint);
    const std::uint32_t first = at_ > 0 && At(at_ - 1) == ':' ? at_ - 1 : at_;
    const bool in_list = first > 0 && (At(first - 1) == '(' || At(first - 1) == ',');
    if (wanted.code == Code::kSyntaxError || (wanted.code == Code::kBadName && !in_list))
      ExplainForeignOperator();
    if (wanted.code == Code::kBadAbductive && At(at_) != '@') ExplainAlternative();
    SentenceText::Fail(wanted.code, Found(),
                       std::string("expected ") + wanted.expected + ", got " + FoundText(),
                       wanted.hint);
  }

 private:
  bool Begins(std::string_view token) const { return text_.substr(at_, token.size()) == token; }
  char At(std::uint32_t at) const { return at < limit_ ? text_[at] : '\0'; }
  Span To(std::uint32_t size) const { return {file_, at_, std::min(at_ + size, limit_)}; }

  // A letter of two bytes: Latin with diacritics, Greek or Cyrillic, but not the signs × and ÷.
  bool IsForeignLetter(std::uint32_t at) const {
    const std::string_view letter = text_.substr(at, 2);
    return at + 1 < limit_ && letter[0] >= '\xC3' && letter[0] <= '\xDF' && letter != "\xC3\x97" &&
           letter != "\xC3\xB7";
  }

  // The name that contains the place, if foreign letters counted as name characters.
  Span WordHere() const {
    std::uint32_t begin = at_;
    while (begin > 0 && (IsNameChar(text_[begin - 1]) || (begin > 1 && IsForeignLetter(begin - 2))))
      begin -= IsNameChar(text_[begin - 1]) ? 1 : 2;
    std::uint32_t end = at_;
    while (end < limit_ && (IsNameChar(text_[end]) || IsForeignLetter(end)))
      end += IsNameChar(text_[end]) ? 1 : 2;
    return {file_, begin, end};
  }

  // The token at the place, approximately: a name with its sigil, or one character.
  Span Found() const {
    std::uint32_t end = at_;
    if (end < limit_ && !IsNameChar(text_[end])) {
      ++end;
      while (end < limit_ && (static_cast<unsigned char>(text_[end]) & 0xC0) == 0x80) ++end;
      const bool sigil = std::string_view("?$%:@#").find(text_[at_]) != std::string_view::npos;
      if (!sigil) return {file_, at_, end};
    }
    while (end < limit_ && IsNameChar(text_[end]) && text_.substr(end, 2) != "->") ++end;
    return {file_, at_, end};
  }

  std::string FoundText() const {
    const Span span = Found();
    if (span.begin == span.end) return "the end of the sentence";
    std::string token(text_.substr(span.begin, std::min(span.end - span.begin, 40u)));
    if (token == "<" && At(at_ + 1) == '-') token = "<-";
    if (token == "-" && At(at_ + 1) == '>') token = "->";
    return "`" + token + "`";
  }

  // A word of another language is no look-alike, though some of its letters are.
  void ExplainLookAlike() const {
    const std::optional<LookAlike> found = LookAlikeAt(text_, at_);
    if (!found) return;
    if (IsForeignLetter(at_)) {
      const Span word = WordHere();
      const std::string plain =
          WithoutLookAlikes(text_.substr(word.begin, word.end - word.begin)).text;
      if (!std::ranges::all_of(plain, IsNameChar)) return;
    }
    throw LookAlikeFound(*found, {file_, at_, at_ + static_cast<std::uint32_t>(found->size)});
  }

  // Tokens of other languages that RPL lacks.
  void ExplainForeignToken() const {
    const char c = At(at_);
    const char next = At(at_ + 1);
    const bool digit_next = next >= '0' && next <= '9';
    if (c == '\\') {
      ExplainForeignOperator();
      SentenceText::Fail(Code::kBadLiteral, To(2), "a character literal is not part of RPL",
                         "write a string");
    }
    if (c == '/' && digit_next && at_ > 0 && text_[at_ - 1] >= '0' && text_[at_ - 1] <= '9') {
      SentenceText::Fail(Code::kBadLiteral, To(1), "a ratio is not part of RPL",
                         "write the quotient as an expression, as in `?x = 1 / 2`");
    }
    if (c == '/') {
      const Span regex = RegexHere();
      SentenceText::Fail(Code::kBadRegex, regex, "a regex stands only after `~`",
                         regex.end - regex.begin < 3
                             ? "write `~ /.../`"
                             : "write `~ " + std::string(text_.substr(at_, regex.end - at_)) + "`");
    }
    const bool sign = c == '-' || c == '+';
    const std::uint32_t point = at_ + (sign ? 1 : 0);
    if (At(point) == '.' && IsDigit(At(point + 1))) {
      std::uint32_t end = point + 1;
      while (IsDigit(At(end))) ++end;
      SentenceText::Fail(Code::kBadLiteral, To(end - at_),
                         "expected a digit before the point of a number",
                         std::string("write `") + (c == '-' ? "-" : "") + "0" +
                             std::string(text_.substr(point, end - point)) + "`");
    }
    if (c == '#') ExplainHash(next);
    if (c == '@') {
      SentenceText::Fail(Code::kBadAbductive, Found(),
                         "an activation clause stands only after `;`");
    }
    if (c == ';') {
      SentenceText::Fail(Code::kSyntaxError, To(1),
                         "`;` stands once, after the tail and before `->`");
    }
    if (Begins("<-")) {
      SentenceText::Fail(Code::kBadHead, To(2), "expected a head before `<-`",
                         "write `head(?x) <- tail(?x)`");
    }
    if (Begins("\xE2\x80\x9C") || Begins("\xE2\x80\x9D") || Begins("\xE2\x80\x98") ||
        Begins("\xE2\x80\x99")) {
      SentenceText::Fail(Code::kBadLiteral, To(3), "a typographic quote does not begin a string",
                         "write `\"` or `'`");
    }
    if (IsForeignLetter(at_)) {
      const Span word = WordHere();
      SentenceText::Fail(
          Code::kBadName, word,
          "`" + std::string(text_.substr(word.begin, word.end - word.begin)) + "` is not a name",
          "names are made of the letters a to z, digits and `-`");
    }
  }

  // Operators that other languages spell differently. The failure may be at the second character of
  // one (`?x == 1`), so the character before counts as well.
  void ExplainForeignOperator() const {
    struct Foreign {
      std::string_view token;
      const char* hint;
    };
    const Foreign kForeign[] = {
        {"?-", "write `% <- …` for a query"},
        {":-", BeginsSentence(at_) || (at_ > 0 && BeginsSentence(at_ - 1))
                   ? "write `… -> false` for what must not hold, `<-` for a rule"
                   : "write `<-` for a rule"},
        {":=", "write `<-` for a rule, `=` for a value"},
        {"=:=", "write `=`"},
        {"=\\=", "write `!=`"},
        {"\\==", "write `!=`"},
        {"\\=", "write `!=`"},
        {"\\+", "write `not`"},
        {"<--", "write `<-` for a rule"},
        {"\xE2\x86\x90", "write `<-` for a rule"},
        {"\xE2\x87\x90", "write `<-` for a rule"},
        {"\xE2\x86\x92", "write `->` for a constraint, `<-` for a rule"},
        {"\xE2\x87\x92", "write `->` for a constraint, `<-` for a rule"},
        {"===", "write `=`"},
        {"==", "write `=`"},
        {"=<", "write `<=`"},
        {"<>", "write `!=`"},
        {"\xE2\x89\xA4", "write `<=`"},
        {"\xE2\x89\xA5", "write `>=`"},
        {"\xE2\x89\xA0", "write `!=`"},
        {"&&", "write `,` between clauses"},
        {"||", "write `|` between clauses"},
        {"\xE2\x88\xA7", "write `,` between clauses"},
        {"\xE2\x88\xA8", "write `|` between clauses"},
        {"\xC2\xAC", "write `not`"},
    };
    for (const std::uint32_t back : {2u, 1u, 0u}) {  // the longest token
      if (back > at_) continue;
      const std::string_view here = text_.substr(at_ - back);
      for (const Foreign& f : kForeign) {
        if (f.token.size() <= back || !here.starts_with(f.token)) continue;
        SentenceText::Fail(
            Code::kSyntaxError,
            {file_, at_ - back, at_ - back + static_cast<std::uint32_t>(f.token.size())},
            "`" + std::string(f.token) + "` is not an operator of RPL", f.hint);
      }
    }
  }

  // True if only blanks stand between the start of a line and `at`.
  bool BeginsSentence(std::uint32_t at) const {
    while (at > 0 && IsBlank(text_[at - 1])) --at;
    return at == 0 || text_[at - 1] == '\n';
  }

  // `a(?x) < - b(?x)`: an operator that blanks part.
  void ExplainSplitOperator() const {
    std::uint32_t before = at_;
    while (before > 0 && IsBlank(text_[before - 1])) --before;
    const auto after = static_cast<std::uint32_t>(SkipBlanks(text_, std::min(at_ + 1, limit_)));
    if (before > 0 && before < at_) ExplainSplit(before - 1, at_);
    if (after < limit_ && after > at_ + 1) ExplainSplit(at_, after);
  }

  void ExplainSplit(std::uint32_t first, std::uint32_t second) const {
    constexpr std::string_view kSplit[] = {"<-", "->", ":-", ":=", "=>", "<=", ">=", "!=", "?-"};
    const std::string whole = {text_[first], text_[second]};
    if (std::ranges::find(kSplit, whole) == std::end(kSplit)) return;
    const Span span{file_, first, second + 1};
    std::string hint = "write `" + whole + "` without a blank";
    if (whole == "<-" && At(second + 1) >= '0' && At(second + 1) <= '9')
      hint = "write the sign right before its number, and `<-` for a rule";
    else if (whole == "<-") hint = "write `<-` for a rule, without a blank";
    else if (whole == "->") hint = "write `->` for a constraint, without a blank";
    else if (whole == ":-" || whole == ":=") hint = "write `<-` for a rule";
    else if (whole == "=>") hint = "write `->` for a constraint, `<-` for a rule";
    else if (whole == "?-") hint = "write `% <- …` for a query";
    SentenceText::Fail(
        Code::kSyntaxError, span,
        "`" + std::string(text_.substr(first, second + 1 - first)) + "` is not an operator of RPL",
        hint);
  }

  // `a(?x); b(?x)`, as Prolog writes alternatives and other languages end statements.
  void ExplainAlternative() const {
    std::uint32_t before = at_;
    while (before > 0 && IsSpace(text_[before - 1])) --before;
    if (before == 0 || text_[before - 1] != ';') return;
    SentenceText::Fail(
        Code::kBadAbductive, {file_, before - 1, before},
        "`;` stands only before an activation clause, such as `@when`",
        "write `|` between alternatives, `,` between clauses, and each sentence on a line "
        "of its own");
  }

  // `a(?x) and b(?x)`, `?x is 1`, `a(?x) if b(?x)`.
  static const char* HintForWord(std::string_view word) {
    if (word == "and") return "write `,` between clauses";
    if (word == "or") return "write `|` between clauses";
    if (word == "is") return "write `=`";
    if (word == "if" || word == "when" || word == "where") return "write `<-` for a rule";
    return nullptr;
  }

  void ExplainHash(char next) const {
    if (next == '_') {
      SentenceText::Fail(Code::kBadLiteral, To(2), "discarding with `#_` is not part of RPL",
                         "remove it, or write a comment after `--`");
    }
    if ((next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z')) {
      SentenceText::Fail(Code::kBadLiteral, Found(), "a tagged value is not part of RPL",
                         "write its string alone; expansion is `#?x`");
    }
    if (next == '[' || next == '(') {
      SentenceText::Fail(Code::kSyntaxError, To(2), "a set has braces", "write `#{...}`");
    }
    SentenceText::Fail(Code::kSyntaxError, To(1), "expected an lvar right after `#`",
                       "write `#?x`, or `#{...}` for a set");
  }

  // From the slash to the next one on the line; else the slash alone.
  Span RegexHere() const {
    std::uint32_t end = at_ + 1;
    while (end < limit_ && text_[end] != '/' && text_[end] != '\n') ++end;
    return At(end) == '/' ? Span{file_, at_, end + 1} : Span{file_, at_, at_ + 1};
  }

  // A complete sentence was read, and more text follows.
  void ExplainRest() const {
    if (At(at_) == '.') {
      SentenceText::Fail(Code::kSyntaxError, To(1), "a sentence does not end with `.`",
                         "remove it; a newline ends a sentence");
    }
    if (AfterPercent())
      SentenceText::Fail(Code::kSyntaxError, Found(), "an arrow is missing after `%`",
                         "write `% <- …` for a query; a comment begins with `--`");
    const std::string_view word = WordBefore();
    if (At(at_) == '(' && !word.empty()) {
      SentenceText::Fail(Code::kSyntaxError, To(1), "a blank stands between a name and its `(`",
                         "write `" + std::string(word) + "(`");
    }
    constexpr std::string_view kBeginners = "?$%\"'([{#_!";
    if (!IsNameChar(At(at_)) && kBeginners.find(At(at_)) == kBeginners.npos) return;
    if (!word.empty()) {
      const std::uint32_t begin = static_cast<std::uint32_t>(word.data() - text_.data());
      SentenceText::Fail(Code::kSyntaxError,
                         {file_, begin, begin + static_cast<std::uint32_t>(word.size())},
                         "`" + std::string(word) + "` is not an operator of RPL",
                         "between clauses write `,`, and `(...)` after the name of a relation");
    }
    const std::string_view found = text_.substr(at_, Found().end - at_);
    if (const char* hint = HintForWord(found))
      SentenceText::Fail(Code::kSyntaxError, Found(),
                         "`" + std::string(found) + "` is not an operator of RPL", hint);
    SentenceText::Fail(Code::kTwoSentences, Found(),
                       "a second sentence begins here on the same line",
                       "start it on a new line, or write `,` between clauses");
  }

  // True for `% edge(1, ?x)`.
  bool AfterPercent() const {
    std::uint32_t before = at_;
    while (before > 0 && IsBlank(text_[before - 1])) --before;
    return before > 0 && before < at_ && text_[before - 1] == '%' && IsLower(At(at_));
  }

  // The bare word before the place; empty if another token precedes it.
  std::string_view WordBefore() const {
    std::uint32_t end = at_;
    while (end > 0 && IsSpace(text_[end - 1])) --end;
    if (end == at_) return {};
    std::uint32_t begin = end;
    while (begin > 0 && IsNameChar(text_[begin - 1])) --begin;
    const std::string_view word = text_.substr(begin, end - begin);
    if (word.empty() || word[0] < 'a' || word[0] > 'z' || word == "true" || word == "false" ||
        word == "nil") {
      return {};
    }
    const bool sigil =
        begin > 0 && std::string_view("?$%:@#^./").find(text_[begin - 1]) != std::string_view::npos;
    return sigil ? std::string_view{} : word;
  }

  std::string_view text_;
  std::uint32_t file_;
  std::uint32_t at_;
  std::uint32_t limit_;
};

template <typename Rule>
struct Control : tao::pegtl::normal<Rule> {
  template <typename Input>
  [[noreturn]] static void raise(const Input& in, Builder& b) {
    const Span here = b.source().SpanOf(std::string_view(in.current(), 0));
    Explainer(b.source().text(), here.file, here.begin, b.source().limit())
        .Explain(kExpectation<Rule>);
  }
};

// --- Leaves ------------------------------------------------------------------------------
//
// What single tokens make; numbers, which may fail, and strings, which have pieces, are the
// builder's.

// A boolean, nil, a qualified call or a symbol.
LeafForm WordLeaf(std::string_view token) {
  if (token == "true" || token == "false") {
    return Boolean{token == "true"};
  } else if (token == "nil") {
    return Nil{};
  } else if (token.find('#') != token.npos) {
    return Call{Namespace::kRelation, std::string(token), {}, false};
  } else {
    return Symbol{std::string(token)};
  }
}

// `%label`: a call of a goal without arguments.
LeafForm GoalLeaf(std::string_view token) {
  return Call{Namespace::kGoal, std::string(token.substr(1)), {}, false};
}

// `$label`: an avar until arguments follow.
LeafForm ToolLeaf(std::string_view token) { return Avar{std::string(token.substr(1))}; }

LeafForm LvarLeaf(std::string_view token) {
  return Lvar{std::string(token.substr(1))};  // `_` has an empty name
}

LeafForm ExpansionLeaf(std::string_view token) { return Expansion{std::string(token.substr(2))}; }

LeafForm KeywordLeaf(std::string_view token) { return Keyword{std::string(token.substr(1))}; }

LeafForm SymbolLeaf(std::string_view token) { return Symbol{std::string(token)}; }

LeafForm TruthLeaf(std::string_view token) { return Boolean{token == "true"}; }

// `/body/`, with the slashes of its body bare.
LeafForm RegexLeaf(std::string_view token) {
  std::string body;
  for (std::size_t i = 1; i + 1 < token.size(); ++i) {
    if (token[i] == '\\') {
      if (token[i + 1] != '/') body += '\\';
      ++i;
    }
    body += token[i];
  }
  return Regex{std::move(body)};
}

// --- Actions -----------------------------------------------------------------------------

template <typename Rule>
struct Action : tao::pegtl::nothing<Rule> {};

// RPL_TOKEN(Rule, Member) calls b.Member(matched text), RPL_LEAF pushes Function(matched text);
// RPL_STEP calls b.Member(...).
#define RPL_TOKEN(rule, member)                          \
  template <>                                            \
  struct Action<rules::rule> {                           \
    template <typename Input>                            \
    static void apply(const Input& in, Builder& b) {     \
      b.member(std::string_view(in.begin(), in.size())); \
    }                                                    \
  }
#define RPL_LEAF(rule, function)                           \
  template <>                                              \
  struct Action<rules::rule> {                             \
    template <typename Input>                              \
    static void apply(const Input& in, Builder& b) {       \
      const std::string_view token(in.begin(), in.size()); \
      b.AddLeaf(function(token), token);                   \
    }                                                      \
  }
#define RPL_STEP(rule, call)                   \
  template <>                                  \
  struct Action<rules::rule> {                 \
    static void apply0(Builder& b) { b.call; } \
  }
#define RPL_COLLECTION(rule, kind)                                                      \
  template <>                                                                           \
  struct Action<rules::rule> {                                                          \
    template <typename Input>                                                           \
    static void apply(const Input& in, Builder& b) {                                    \
      b.CloseCollection(CollectionKind::kind, std::string_view(in.begin(), in.size())); \
    }                                                                                   \
  }

// False: the rule has not matched.
template <>
struct Action<rules::ActWord> {
  template <typename Input>
  static bool apply(const Input& in, Builder&) {
    return FindAbductive(std::string_view(in.begin() + 1, in.size() - 1)) != nullptr;
  }
};

RPL_LEAF(Word, WordLeaf);
RPL_LEAF(GoalLabel, GoalLeaf);
RPL_LEAF(AsyncLabel, ToolLeaf);
RPL_LEAF(NamedLvar, LvarLeaf);
RPL_LEAF(AnonymousLvar, LvarLeaf);
RPL_LEAF(ExpansionName, ExpansionLeaf);
RPL_LEAF(Keyword, KeywordLeaf);
RPL_LEAF(SuffixName, SymbolLeaf);
RPL_LEAF(SuffixTruth, TruthLeaf);
RPL_TOKEN(Digits, AddNumber);
RPL_TOKEN(NumberSuffix, AddNumberSuffix);
RPL_LEAF(Regex, RegexLeaf);

RPL_TOKEN(DqText, string().Text);
RPL_TOKEN(SqText, string().Text);
RPL_TOKEN(Escape, string().Escape);
RPL_TOKEN(LoneBrace, string().Brace);
RPL_TOKEN(Hole, string().Hole);
RPL_TOKEN(String, AddString);

RPL_TOKEN(ArgsOpen, Open);
RPL_TOKEN(ArgsClose, CloseArgs);
RPL_TOKEN(ListOpen, Open);
RPL_COLLECTION(ListClose, kList);
RPL_TOKEN(SetOpen, Open);
RPL_COLLECTION(SetClose, kSet);
RPL_TOKEN(MapOpen, Open);
RPL_COLLECTION(MapClose, kMap);
RPL_TOKEN(Dot, Dot);
RPL_STEP(RestMark, RestBegins());
RPL_TOKEN(GroupOpen, Open);
RPL_TOKEN(GroupClose, CloseGroup);
RPL_TOKEN(CountOpen, Open);
RPL_TOKEN(CountClose, CloseCount);

RPL_TOKEN(MatchMark, Open);
RPL_STEP(Match, AddMatch());
RPL_TOKEN(Bang, Open);
RPL_STEP(GoalFalse, AddGoalFalse());
RPL_TOKEN(ProductOperator, AddOperator);
RPL_STEP(ProductTail, CloseBinary());
RPL_TOKEN(SumOperator, AddOperator);
RPL_STEP(SumTail, CloseBinary());
RPL_TOKEN(CompareOperator, AddOperator);
RPL_STEP(CompareTail, CloseBinary());
RPL_STEP(MatchTail, AddMatchTail());
RPL_STEP(WithinTail, CloseWithin());
RPL_STEP(BetweenTail, CloseBetween());
RPL_TOKEN(MetaMark, Open);
RPL_STEP(MetaSuffix, CloseSuffix(false));
RPL_TOKEN(BindingsMark, Open);
RPL_STEP(BindingsSuffix, CloseSuffix(true));
RPL_TOKEN(NotWord, AddNot);
RPL_STEP(Negation, CloseNots());
RPL_STEP(ConjunctionTail, CloseConjunction());
RPL_STEP(DisjunctionTail, CloseDisjunction());

RPL_STEP(RuleBegin, OpenRule());
RPL_STEP(Arrow, AddArrow());
RPL_TOKEN(ActClose, CloseAct);
RPL_TOKEN(AnyAct, AddAbductive);
RPL_STEP(ConstraintArrow, AddConstraint());
RPL_STEP(Rule, CloseRule());

#undef RPL_TOKEN
#undef RPL_LEAF
#undef RPL_STEP
#undef RPL_COLLECTION

// Runs the grammar over text[begin, end) of the builder. Throws a Diagnostic.
template <typename Start>
Node Read(Builder& b, std::uint32_t begin, std::uint32_t end) {
  b.Start(begin, end);
  const char* text = b.source().text().data();
  tao::pegtl::memory_input<tao::pegtl::tracking_mode::lazy, tao::pegtl::eol::lf_crlf, const char*>
      in(text + begin, text + end, "");
  [[maybe_unused]] const bool read = tao::pegtl::parse<Start, Action, Control>(in, b);
  return b.Take();
}

// --- Sentences ---------------------------------------------------------------------------

void AddTo(Diagnostics& out, const Diagnostic& d) { out.Add(d); }

// The length of a form of an extension at the beginning of the text: `<% %>`, `<expr>`, `~>`,
// `:memo`, `@lang`; 0 if there is none. Some of them are read where they have another meaning.
std::size_t ExtensionAt(std::string_view text) {
  const auto ends_at = [&](std::size_t at) {
    return at >= text.size() ||
           (std::isalnum(static_cast<unsigned char>(text[at])) == 0 && text[at] != '-');
  };
  for (const std::string_view word : {":memo", "@lang"})
    if (text.starts_with(word) && ends_at(word.size())) return word.size();
  for (const std::string_view mark : {"<%", "%>", "~>"})
    if (text.starts_with(mark)) return mark.size();
  std::size_t name = 1;
  while (name < text.size() && text[name] >= 'a' && text[name] <= 'z') ++name;
  const bool template_name =
      text.starts_with('<') && name > 1 && name < text.size() && text[name] == '>';
  return template_name ? name + 1 : 0;
}

// The reader of the sentences of one text.
class SentenceReader {
 public:
  SentenceReader(const Sources& sources, std::uint32_t file, Diagnostics& out)
      : text_(sources.at(file).text), file_(file), out_(out), builder_(text_, file) {}

  std::optional<Sentence> ReadSentence(const Cut& cut, bool signature) {
    if (cut.error) {
      AddTo(out_, ExtensionIn(cut, *cut.error).value_or(LookAlikeIn(cut).value_or(*cut.error)));
      return std::nullopt;
    }
    try {
      Node node = Read<rules::Sentence>(builder_, cut.begin, cut.end);
      Sentence sentence;
      sentence.span = {file_, cut.begin, cut.end};
      if (Rule* rule = node.As<Rule>()) {
        Rule moved = std::move(*rule);
        sentence.rule = std::move(moved);
      } else if (signature) {
        RequireSignature(node);
        sentence.rule.heads.push_back(std::move(node));
      } else {
        sentence.rule.tail.push_back(std::move(node));
      }
      std::vector<Diagnostic> lints = std::move(builder_.source().lints());
      if (std::optional<Diagnostic> error = SettleSentence(text_, sentence, lints)) throw *error;
      for (const Diagnostic& lint : lints) AddTo(out_, lint);
      return sentence;
    } catch (const Diagnostic& error) {
      AddTo(out_, ExtensionIn(cut, error).value_or(error));
      return std::nullopt;
    }
  }

  std::optional<Node> ReadTerm(const Cut& cut) {
    if (cut.error) {
      AddTo(out_, *cut.error);
      return std::nullopt;
    }
    try {
      Node term = Read<rules::Term>(builder_, cut.begin, cut.end);
      std::vector<Diagnostic> lints = std::move(builder_.source().lints());
      if (std::optional<Diagnostic> error = SettleTerm(text_, term, lints)) throw *error;
      for (const Diagnostic& lint : lints) AddTo(out_, lint);
      return term;
    } catch (const Diagnostic& error) {
      AddTo(out_, error);
      return std::nullopt;
    }
  }

 private:
  // A form of an extension of the language at the place of an error, as what it is.
  std::optional<Diagnostic> ExtensionIn(const Cut& cut, const Diagnostic& error) const {
    constexpr std::uint32_t kNear = 2;
    const std::string_view text = text_.substr(0, cut.end);
    for (std::uint32_t at = cut.begin; at < cut.end; ++at) {
      if (text[at] == '"') {
        for (++at; at < cut.end && text[at] != '"'; ++at)
          if (text[at] == '\\') ++at;
        continue;
      }
      const auto size = static_cast<std::uint32_t>(ExtensionAt(text.substr(at)));
      if (size == 0 || error.span.begin + kNear < at || error.span.begin > at + size + kNear)
        continue;
      return Diagnostic{Code::kSyntaxError, InfoOf(Code::kSyntaxError).severity,
                        Span{file_, at, at + size},
                        "`" + std::string(text.substr(at, size)) +
                            "` belongs to an extension of the language, which is not read here",
                        "docs/language.md has the forms that are"};
    }
    return std::nullopt;
  }

  // What looks like the bracket that a sentence lacks.
  std::optional<Diagnostic> LookAlikeIn(const Cut& cut) const {
    if (cut.error->code != Code::kUnclosedBracket) return std::nullopt;
    const std::string_view text = text_.substr(cut.begin, cut.end - cut.begin);
    const std::vector<std::size_t> places = WithoutLookAlikes(text).places;
    if (places.empty()) return std::nullopt;
    const LookAlike found = *LookAlikeAt(text, places.front());
    const std::uint32_t at = cut.begin + static_cast<std::uint32_t>(places.front());
    return LookAlikeFound(found, {file_, at, at + static_cast<std::uint32_t>(found.size)});
  }

  // Of the forms that are neither rule nor constraint, only a head is a signature: a call with
  // parentheses, or a goal. A bare word is the end of a title (decision 16).
  void RequireSignature(const Node& node) const {
    const Call* call = node.As<Call>();
    if (call != nullptr && (call->parens || call->ns == Namespace::kGoal)) return;
    SentenceText::Fail(Code::kBadHead, node.span, "expected the signature of a heading",
                       "write a relation, goal or tool call, a rule or a constraint");
  }

  std::string_view text_;
  std::uint32_t file_;
  Diagnostics& out_;
  Builder builder_;
};

// The single sentence or term of `span`; adds an error if there is none.
std::optional<Cut> CutWhole(const Sources& sources, Span span, Diagnostics& out) {
  SentenceCutter cutter(sources.at(span.file).text, span.file, span.begin, span.end,
                        Newlines::kAreBlanks);
  std::optional<Cut> cut = cutter.Next();
  if (!cut) out.Add(Code::kSyntaxError, span, "expected a sentence, got nothing");
  return cut;
}

}  // namespace

std::vector<Sentence> ParseSentences(const Sources& sources, Span span, Diagnostics& out,
                                     PlainFacts* facts) {
  SentenceCutter cutter(sources.at(span.file).text, span.file, span.begin, span.end,
                        Newlines::kEndSentences);
  std::vector<Cut> cuts;
  for (;;) {
    while (facts != nullptr && cutter.NextPlainFact(*facts)) {
    }
    std::optional<Cut> cut = cutter.Next();
    if (!cut) break;
    cuts.push_back(std::move(*cut));
  }
  const auto read = [&](std::span<const Cut> some, Diagnostics& found) {
    std::vector<Sentence> sentences;
    sentences.reserve(some.size());
    SentenceReader reader(sources, span.file, found);
    for (const Cut& cut : some)
      if (std::optional<Sentence> s = reader.ReadSentence(cut, false))
        sentences.push_back(std::move(*s));
    return sentences;
  };
  if (cuts.size() < kSentencesForTwoThreads) return read(cuts, out);
  const std::span<const Cut> all = cuts;
  Diagnostics found_later;
  auto later = std::async(kBeside, [&] { return read(all.subspan(all.size() / 2), found_later); });
  std::vector<Sentence> sentences = read(all.first(all.size() / 2), out);
  std::ranges::move(later.get(), std::back_inserter(sentences));
  for (const Diagnostic& d : found_later.all()) out.Add(d);
  return sentences;
}

std::optional<Sentence> ParseSentence(const Sources& sources, Span span, Diagnostics& out) {
  const std::optional<Cut> cut = CutWhole(sources, span, out);
  if (!cut) return std::nullopt;
  return SentenceReader(sources, span.file, out).ReadSentence(*cut, false);
}

std::optional<Sentence> ParseSignature(const Sources& sources, Span span, Diagnostics& out) {
  const std::optional<Cut> cut = CutWhole(sources, span, out);
  if (!cut) return std::nullopt;
  return SentenceReader(sources, span.file, out).ReadSentence(*cut, true);
}

std::optional<Node> ParseTerm(const Sources& sources, Span span, Diagnostics& out) {
  const std::optional<Cut> cut = CutWhole(sources, span, out);
  if (!cut) return std::nullopt;
  return SentenceReader(sources, span.file, out).ReadTerm(*cut);
}

std::uint32_t SentenceEnd(std::string_view text, std::uint32_t begin, std::uint32_t limit) {
  SentenceCutter cutter(text, 0, begin, limit, Newlines::kEndSentences);
  const std::optional<Cut> cut = cutter.Next();
  return cut ? cut->next : limit;
}

}  // namespace rpl
