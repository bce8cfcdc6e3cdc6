// SPDX-License-Identifier: Apache-2.0
//
// One walk over the tree. Each method is named for the position of a node, and throws the first
// form that may not stand there; the two functions of the header catch.
#include "grammar/shape.h"

#include <re2/re2.h>

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

#include "formats/character.h"
#include "formats/spelling.h"
#include "grammar/abductives.h"
#include "grammar/printer.h"

namespace rpl {
namespace {

bool IsArithmetic(Operator op) {
  return op == Operator::kAdd || op == Operator::kSubtract || op == Operator::kMultiply ||
         op == Operator::kDivide;
}
bool IsSetOperator(Operator op) {
  return op == Operator::kUnion || op == Operator::kIntersect || op == Operator::kDifference;
}
bool IsTemporal(Operator op) { return op == Operator::kBefore || op == Operator::kAfter; }

const Node& InsideGroups(const Node& node) {
  const Node* n = &node;
  while (const Group* group = n->As<Group>()) n = &group->inner.front();
  return *n;
}

bool IsGround(const Node& node) {
  if (node.As<Lvar>() || node.As<Avar>() || node.As<Template>() || node.As<Match>()) return false;
  bool ground = true;
  ForEachChild(node, [&](const Node& child) { ground = ground && IsGround(child); });
  return ground;
}

// Whether the node says what a value is, as values print: without variables, except for names of
// slots, which are keys of maps.
bool IsRecorded(const Node& node) {
  const Collection* map = node.As<Collection>();
  if (map != nullptr && !map->rest.empty()) return false;
  if (map == nullptr || map->kind != CollectionKind::kMap) {
    if (node.As<Lvar>() || node.As<Avar>() || node.As<Template>() || node.As<Match>()) return false;
    bool recorded = true;
    ForEachChild(node, [&](const Node& child) { recorded = recorded && IsRecorded(child); });
    return recorded;
  }
  for (std::size_t i = 0; i < map->items.size(); ++i) {
    const Lvar* lvar = map->items[i].As<Lvar>();
    const bool slot = i % 2 == 0 && lvar != nullptr && !lvar->name.empty();
    if (!slot && !IsRecorded(map->items[i])) return false;
  }
  return true;
}

// Whether the sentence has the form of an entry of a trace: one clause, `-> true` or `-> false`.
bool IsEntry(const Rule& rule) {
  if (!rule.heads.empty() || !rule.abductives.empty() || rule.tail.size() != 1 ||
      rule.constraints.size() != 1 || !InsideGroups(rule.constraints.front()).As<Boolean>())
    return false;
  const Node& clause = InsideGroups(rule.tail.front());
  return clause.As<Annotated>() || clause.As<Call>();
}

std::string HeadHint(const Node& node) {
  if (node.As<Avar>()) return "a tool as a head has parentheses, as in `$tool(?x)`";
  if (node.As<Conjunction>()) return "write one rule for each head";
  if (node.As<Annotated>()) return "metadata stands on a fact or on the tail, not on a head";
  return "";
}

bool ToolIn(const Node& node) {
  const Call* call = InsideGroups(node).As<Call>();
  return call != nullptr && call->ns == Namespace::kTool;
}

bool IsNamedLvar(const Node& node) {
  const Lvar* lvar = node.As<Lvar>();
  return lvar != nullptr && !lvar->name.empty();
}

bool IsNumber(const std::string& name) { return !name.empty() && IsDigit(name.front()); }

// Each `?name` of the text, with its mark.
std::unordered_set<std::string_view> VariablesIn(std::string_view text) {
  constexpr std::string_view kNameChars =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  std::unordered_set<std::string_view> names;
  for (std::size_t at = text.find('?'); at != text.npos; at = text.find('?', at + 1)) {
    const std::size_t end = std::min(text.find_first_not_of(kNameChars, at + 1), text.size());
    names.insert(text.substr(at, end - at));
  }
  return names;
}

[[noreturn]] void Fail(Code code, Span span, std::string message, std::string hint = "") {
  throw Diagnostic{code, InfoOf(code).severity, span, std::move(message), std::move(hint)};
}

// The lints of a sentence, and what they quote of it.
class ShapeFindings {
 public:
  /// Borrows both; `text` is the whole file.
  ShapeFindings(std::string_view text, std::vector<Diagnostic>& lints)
      : text_(text), lints_(lints) {}

  // Reports each name once per sentence.
  void Lint(Code code, Span span, std::string message, std::string hint, std::string about = "") {
    if (!linted_.insert(CodeText(code) + message).second) return;
    lints_.push_back(
        {code, InfoOf(code).severity, span, std::move(message), std::move(hint), std::move(about)});
  }

  std::string_view TextOf(Span span) const {
    return text_.substr(span.begin, span.end - span.begin);
  }

  // The source of a node, short enough for a message.
  std::string Quoted(const Node& node) const {
    constexpr std::size_t kMost = 60;
    const std::string_view source = TextOf(node.span);
    if (source.size() <= kMost) return std::string(source);
    return std::string(source.substr(0, kMost)) + "...";
  }

 private:
  std::string_view text_;
  std::vector<Diagnostic>& lints_;
  std::unordered_set<std::string> linted_;
};

// The spelling of the names in a sentence (decisions 6, 14): an error for what is no name, lints
// for what is no kebab-case. Names come in the order of the walk; HyphensInNames is last.
class NameCheck {
 public:
  /// Borrows the findings.
  explicit NameCheck(ShapeFindings& findings) : findings_(findings) {}

  // The span of `?hole` in a template, searched from byte `at`, which advances to it.
  Span NextHole(Span span, const std::string& hole, std::size_t& at) const {
    const std::size_t next = findings_.TextOf(span).find("{?" + hole + "}", at);
    if (next == std::string_view::npos) return span;
    at = next + 1;
    const auto begin = span.begin + static_cast<std::uint32_t>(at);
    return {span.file, begin, begin + static_cast<std::uint32_t>(hole.size()) + 1};
  }

  void NameAt(Span span, std::string_view name, const char* sigil) {
    bool kebab = true;
    bool part_begins = true;
    for (const char c : name) {
      if (part_begins && !IsLower(c)) {
        Fail(Code::kBadName, span, "`" + std::string(sigil) + std::string(name) + "` is not a name",
             "a name begins with a lower-case letter: `" + std::string(sigil) + Kebab(name) + "`");
      }
      if (c == '/') {
        Fail(Code::kBadName, span, "`" + std::string(name) + "` is not a name",
             "a namespace is joined with `#`");
      }
      kebab = kebab && c != '_' && !IsUpper(c);
      part_begins = c == '#';
    }
    if (kebab) return;
    findings_.Lint(Code::kNotKebabCase, span,
                   "`" + std::string(sigil) + std::string(name) + "` is not kebab-case",
                   "write `" + std::string(sigil) + Kebab(name) + "`",
                   std::string(sigil) + std::string(name));
  }

  // Data may follow the spelling of other systems (decision 14). A symbol such as `From` is a
  // variable elsewhere.
  void ForeignName(Span span, std::string_view name, const char* sigil) {
    if (*sigil == '\0' && IsUpper(name.front()) && name.find('/') == name.npos) {
      findings_.Lint(Code::kForeignName, span,
                     "`" + std::string(name) + "` is a symbol, not a variable",
                     "a variable begins with `?`: write `?" + Kebab(name) + "`, or for a text `\"" +
                         std::string(name) + "\"`");
      return;
    }
    const bool foreign = std::any_of(name.begin(), name.end(),
                                     [](char c) { return c == '/' || c == '_' || IsUpper(c); });
    if (!foreign) return;
    std::string kebab = Kebab(name);
    std::replace(kebab.begin(), kebab.end(), '/', '-');
    findings_.Lint(Code::kForeignName, span,
                   "`" + std::string(sigil) + std::string(name) + "` is not kebab-case",
                   "as a name of your own, write `" + std::string(sigil) + kebab + "`");
  }

  void LvarName(Span span, const std::string& name) {
    if (IsNumber(name))
      Fail(Code::kBadName, span, "expected a name, got `" + name + "`",
           "a name begins with a lower-case letter, as in `first-name`");
    NameAt(span, name, "?");
    const std::size_t hyphen = name.rfind('-');
    const bool number = hyphen != name.npos && hyphen + 1 < name.size() &&
                        name.find_first_not_of("0123456789", hyphen + 1) == name.npos;
    if (number) numbered_.emplace_back(name, span);
  }

  // `?x-1` beside `?x` may be meant as a subtraction (decision 6).
  void HyphensInNames(Span sentence) {
    if (numbered_.empty()) return;
    const std::unordered_set<std::string_view> variables = VariablesIn(findings_.TextOf(sentence));
    for (const auto& [name, span] : numbered_) {
      const std::size_t hyphen = name.rfind('-');
      const std::string base = "?" + name.substr(0, hyphen);
      if (!variables.contains(base)) continue;
      findings_.Lint(Code::kHyphenInName, span, "`?" + name + "` is one variable",
                     "to subtract, write `" + base + " - " + name.substr(hyphen + 1) + "`");
    }
  }

 private:
  ShapeFindings& findings_;
  std::vector<std::pair<std::string, Span>> numbered_;  // ?x-1
};

class Shape {
 public:
  Shape(std::string_view text, std::vector<Diagnostic>& lints)
      : text_(text), findings_(text, lints) {}

  void WholeSentence(Sentence& sentence) {
    takes_recorded_ = IsEntry(sentence.rule);
    RuleParts(sentence.rule, true);
    names_.HyphensInNames(sentence.span);
  }

  void WholeTerm(Node& term) {
    takes_recorded_ = true;
    if (term.As<Call>()) return ACall(term);
    Argument(term, nullptr);
  }

 private:
  // --- Sentences ------------------------------------------------------------------------

  // `whole`: no clause stands beside the rule.
  void RuleParts(Rule& rule, bool whole) {
    for (Node& head : rule.heads) Head(head);
    for (Node& tail : rule.tail) Clause(tail, whole && !rule.heads.empty());
    for (Abductive& act : rule.abductives) Activation(act);
    Constraints(rule);
  }

  void Head(Node& node) {
    in_head_ = true;
    if (node.As<Expansion>()) {  // decision 36
      names_.NameAt(node.span, node.As<Expansion>()->name, "#?");
    } else {
      if (node.As<Symbol>()) BareName(node);
      if (node.As<Call>() == nullptr) {
        Fail(Code::kBadHead, node.span, "expected one relation, goal or tool call before `<-`",
             HeadHint(node));
      }
      ACall(node);
    }
    in_head_ = false;
  }

  void Constraints(Rule& rule) {
    for (Node& c : rule.constraints) Clause(c, false);
    if (rule.constraints.size() < 2) return;
    // -> ?r -> inner(?x) (decision 19)
    const Node* last = &rule.constraints[rule.constraints.size() - 2];
    if (const Conjunction* list = last->As<Conjunction>()) last = &list->clauses.back();
    if (rule.constraints.size() == 2 && last->As<Lvar>()) return;
    Fail(Code::kBadConstraint, rule.constraints[1].span,
         "arrows chain only as `-> ?r -> inner(?x)`",
         "write two constraints, or put the inner one in parentheses");
  }

  void Activation(Abductive& act) {
    for (Node& clause : act.clauses) Clause(clause, false);
    const AbductiveRow& row = AbductiveOf(act.kind);
    const std::size_t size = act.clauses.size();
    if (row.arguments != AbductiveArguments::kTail && size == 1 &&
        act.clauses[0].As<Disjunction>()) {
      Fail(Code::kBadAbductive, act.span, "`|` here would part the comma list",
           "put the disjunction in parentheses");
    }
    const auto require = [&](bool holds, const char* expected) {
      if (holds) return;
      Fail(Code::kBadAbductive, act.span,
           std::string("expected ") + expected + " in `@" + std::string(row.word) + "`",
           "write `" + std::string(row.usage) + "`");
    };
    switch (row.arguments) {
      case AbductiveArguments::kTail:
      case AbductiveArguments::kItems: return;
      case AbductiveArguments::kBindingTail: {
        const std::size_t lvars = BindingSize(act);
        return require(lvars >= 1 && lvars < size, "one or more lvars and then a tail");
      }
      case AbductiveArguments::kBindingTailStep:
        return require(size >= 3, "a binding, a tail and a step");
    }
  }

  // --- Clauses --------------------------------------------------------------------------

  // `whole_tail`: the node is everything after the `<-` of a sentence, where NESTED-RULE may stand.
  void Clause(Node& node, bool whole_tail) {
    Visit(
        node, [&](Call&) { ACall(node); },
        [&](Symbol&) {
          BareName(node);
          ACall(node);
        },
        [&](Conjunction& c) {
          for (Node& clause : c.clauses) Clause(clause, false);
        },
        [&](Disjunction& d) {
          for (Node& branch : d.branches) Clause(branch, false);
        },
        [&](Not& n) { Clause(n.clause.front(), false); },
        [&](Annotated& a) {
          Clause(a.form.front(), false);
          for (Suffix& suffix : a.suffixes) Metadata(suffix);
        },
        [&](Group& g) { Grouped(g.inner.front(), whole_tail); },
        [&](Binary& b) {
          if (IsArithmetic(b.op) || IsSetOperator(b.op)) NotAClause(node);
          Comparison(node, b);
        },
        [&](Among<Within, Between> auto& t) {
          for (Node& part : t.parts) TemporalOperand(part);
        },
        [&](GoalFalse& f) { ACall(f.goal.front()); },
        [&](Among<Collection, Count> auto&) { NotAClause(node); },
        [&](Among<Lvar, Avar, String, Template, Number, Keyword, Boolean, Nil, Regex, Match, Now,
                  Expansion, Rule> auto&) { Leaf(node); });
  }

  [[noreturn]] void NotAClause(const Node& node) const {
    const Collection* c = node.As<Collection>();
    const auto is_call = [](const Node& item) { return item.As<Call>() != nullptr; };
    if (c != nullptr && std::ranges::any_of(c->items, is_call))
      Fail(Code::kSyntaxError, node.span, "a collection is a value, and states no facts",
           "write each fact on a line of its own, without brackets");
    Fail(Code::kSyntaxError, node.span, "`" + findings_.Quoted(node) + "` is a value, not a clause",
         "compare it, as in `?y = " + findings_.Quoted(node) + "`");
  }

  void Grouped(Node& inner, bool whole_tail) {
    Rule* rule = inner.As<Rule>();
    if (rule == nullptr) return Clause(inner, false);
    if (!whole_tail && (!rule->abductives.empty() || !rule->constraints.empty())) {
      Fail(Code::kSyntaxError, inner.span,
           "a rule with `;` or `->` in parentheses must be the whole tail of another rule");
    }
    RuleParts(*rule, whole_tail);
  }

  // A bare name as a head or clause is a nullary relation (decision 16).
  void BareName(Node& node) {
    std::string name = node.As<Symbol>()->name;
    if (name.find('/') != name.npos) {
      Fail(Code::kBadName, node.span, "`" + name + "` is not the name of a relation",
           "a namespace is joined with `#`");
    }
    node.is = Call{Namespace::kRelation, std::move(name), {}, false};
  }

  // --- Calls ----------------------------------------------------------------------------

  void ACall(Node& node) {
    Call& call = *node.As<Call>();
    Label(node.span, call);
    if (call.ns == Namespace::kTool && call.label == "json" &&
        (call.args.size() != 1 || !call.args[0].As<Lvar>() ||
         call.args[0].As<Lvar>()->name.empty())) {
      Fail(Code::kBadJson, node.span, "expected exactly one lvar in `$json`",
           "bind the value first and write `$json(?x)`");
    }
    if (call.ns == Namespace::kGoal && call.label == "fail" && call.args.size() != 2) {
      Fail(Code::kBadFail, node.span,
           "expected two arguments in `%fail`, got " + std::to_string(call.args.size()),
           "write `%fail(?reason, ?explanation)`");
    }
    for (Node& arg : call.args) Argument(arg, &node);
  }

  void Label(Span span, const Call& call) {
    if (call.label.empty()) return;  // the root goal
    const char* sigil = call.ns == Namespace::kGoal ? "%" : call.ns == Namespace::kTool ? "$" : "";
    const Span name_span = {span.file, span.begin,
                            static_cast<std::uint32_t>(span.begin + std::string_view(sigil).size() +
                                                       call.label.size())};
    names_.NameAt(name_span, call.label, sigil);
    if (call.ns != Namespace::kRelation) return;
    if (!call.parens) {
      findings_.Lint(Code::kBareName, span,
                     "`" + call.label + "` is read as a relation without arguments",
                     "write `" + call.label + "()`");
    }
    if (IsOperatorWord(call.label)) {
      findings_.Lint(Code::kOperatorName, name_span,
                     "the relation `" + call.label + "` is named like an operator",
                     "choose another name");
    }
  }

  // ARG = VAR | LITERAL | COLLECTION | '_' | RELATION. `call` is the owner of the argument.
  void Argument(Node& node, const Node* call) {
    const auto fail = [&](const std::string& message, const std::string& hint) {
      Fail(Code::kNotAnArgument, node.span, message, hint);
    };
    Visit(
        node,
        [&](const Call& c) {
          if (c.ns == Namespace::kRelation && c.parens) return ACall(node);
          const bool tool = c.ns == Namespace::kTool;
          const std::string kind = c.ns == Namespace::kGoal ? "a goal"
                                   : tool                   ? "a tool call"
                                                            : "a relation without parentheses";
          fail(kind + " cannot be an argument", tool ? BoundFirst(node, call) : "");
        },
        [&](const Binary& b) {
          if (IsArithmetic(b.op) || IsSetOperator(b.op))
            fail("an operator cannot stand in an argument", BoundFirst(node, call));
          fail("a comparison cannot be an argument", "");
        },
        [&](const Count&) { fail("a count cannot be an argument", BoundFirst(node, call)); },
        [&](const Expansion& e) {
          fail("an expansion cannot be an argument", "write the lvar, `?" + e.name + "`");
        },
        [&](const Among<Group, GoalFalse, Within, Between> auto&) {
          fail("expected a variable, literal, collection or relation call as an argument", "");
        },
        [&](const Among<Lvar, Avar, String, Template, Number, Keyword, Symbol, Boolean, Nil, Regex,
                        Match, Now, Collection, Not, Conjunction, Disjunction, Annotated,
                        Rule> auto&) { Data(node); });
  }

  // Rewrites p(1, ?x + 1) to `?y = ?x + 1, p(1, ?y)`.
  std::string BoundFirst(const Node& arg, const Node* call) const {
    const std::unordered_set<std::string_view> taken =
        VariablesIn(call == nullptr ? std::string_view{} : findings_.TextOf(call->span));
    std::string fresh = "?y";
    for (int n = 2; taken.contains(fresh); ++n) fresh = "?y" + std::to_string(n);
    std::string hint = "write `" + fresh + " = " + std::string(findings_.TextOf(arg.span));
    if (call != nullptr && call->span.end - call->span.begin <= 80) {
      std::string rewritten(findings_.TextOf(call->span));
      rewritten.replace(arg.span.begin - call->span.begin, arg.span.end - arg.span.begin, fresh);
      hint += ", " + rewritten;
    }
    return hint + "`";
  }

  // --- Data: arguments, elements, operands ------------------------------------------------

  // A variable, literal or collection.
  void Data(Node& node) {
    if (Collection* c = node.As<Collection>()) return Elements(node, *c);
    const Symbol* symbol = node.As<Symbol>();
    if (symbol == nullptr) return Leaf(node);
    names_.ForeignName(node.span, symbol->name, "");
    if (symbol->name == "now") {
      findings_.Lint(Code::kOperatorName, node.span, "`now` is a symbol here, not the time",
                     "the time is `now` only beside a temporal operator");
    }
  }

  void Leaf(Node& node) {
    Visit(
        node,
        [&](const Lvar& v) {
          if (!v.name.empty()) names_.LvarName(node.span, v.name);
        },
        [&](const Avar& a) {
          if (a.name.find('#') != a.name.npos) {
            Fail(Code::kBadName, node.span, "a namespace cannot stand in an async variable",
                 "a tool call has parentheses, as in `$" + a.name + "()`");
          }
          names_.NameAt(node.span, a.name, "$");
        },
        [&](const Expansion& e) { names_.NameAt(node.span, e.name, "#?"); },
        [&](const Template& t) {
          std::size_t at = 0;
          for (const std::string& hole : t.holes) {
            if (!hole.empty()) names_.NameAt(names_.NextHole(node.span, hole, at), hole, "?");
          }
        },
        [&](const Keyword& k) { names_.ForeignName(node.span, k.name, ":"); },
        [&](const Regex& r) { ValidRegex(node.span, r); },
        [&](Match& m) { Data(m.pattern.front()); },
        [](const Among<String, Number, Symbol, Boolean, Nil, Now, Collection, Call, Count, Not,
                       GoalFalse, Binary, Within, Between, Conjunction, Disjunction, Annotated,
                       Group, Rule> auto&) {});
  }

  void Elements(const Node& node, Collection& c) {
    for (std::size_t i = 0; i < c.items.size(); ++i) {
      Node& item = c.items[i];
      if (const Call* call = item.As<Call>(); call != nullptr && takes_recorded_ && call->parens &&
                                              call->ns == Namespace::kRelation &&
                                              IsRecorded(item)) {
        ACall(item);
        continue;
      }
      const bool key = c.kind == CollectionKind::kMap && i % 2 == 0;
      if (key && takes_recorded_ && item.As<Lvar>() && IsNumber(item.As<Lvar>()->name)) continue;
      if (item.As<Call>() || item.As<Expansion>()) {
        Fail(Code::kNotAnElement, item.span,
             std::string(item.As<Call>() ? "a call" : "an expansion") +
                 " cannot be an element of a collection",
             item.As<Call>() ? "gather its answers in a head, as in `all([& ?x]) <- p(?x)`" : "");
      }
      Data(item);
    }
    for (Node& rest : c.rest) {
      if (rest.As<Call>()) {
        Fail(Code::kNotAnElement, rest.span, "expected a variable after `&`", "");
      }
      Data(rest);
    }
    if (c.rest.size() > 1) {
      const auto lvar = [](const Node& n) { return n.As<Lvar>() != nullptr; };
      if (!in_head_ || !std::all_of(c.rest.begin(), c.rest.end(), lvar)) {
        Fail(Code::kSyntaxError, Cover(c.rest[0].span, c.rest.back().span),
             "expected one variable after `&`, at the end",
             "only a head gathers several, as in `lines([& ?i ?q]) <- line(?i, ?q)`");
      }
    }
    if (c.kind == CollectionKind::kMap) Entries(c);
    if (c.kind == CollectionKind::kList && c.dotted && c.items.size() == 2 && c.rest.empty()) {
      findings_.Lint(Code::kDottedPair, node.span,
                     "`" + findings_.Quoted(node) + "` has exactly two elements",
                     "for the rest, write `[" + findings_.Quoted(c.items[0]) + " & ?rest]`");
    }
  }

  void Entries(const Collection& map) {
    if (map.items.size() % 2 != 0) {
      Fail(Code::kBadMap, map.items.back().span,
           "the key `" + findings_.Quoted(map.items.back()) + "` has no value",
           "a map holds pairs: key, value, key, value");
    }
    std::unordered_set<std::string> keys;
    for (std::size_t i = 0; i < map.items.size() && map.items.size() > 2; i += 2) {
      if (!IsGround(map.items[i]) || keys.insert(Print(map.items[i])).second) continue;
      Fail(Code::kBadMap, map.items[i].span,
           "the key `" + findings_.Quoted(map.items[i]) + "` stands twice in one map");
    }
  }

  void ValidRegex(Span span, const Regex& regex) {
    RE2::Options options;
    options.set_log_errors(false);
    const RE2 compiled(Re2Pattern(regex.body), options);
    if (!compiled.ok()) Fail(Code::kBadRegex, span, "the regex is invalid: " + compiled.error());
  }

  void Comparison(Node& node, Binary& b) {
    Node& left = b.sides[0];
    Node& right = b.sides[1];
    const Call* a = left.As<Call>();
    if (b.op == Operator::kLessEqual && a != nullptr && right.As<Call>() != nullptr) {
      const std::uint32_t at = static_cast<std::uint32_t>(
          text_.find("<=", left.span.end));  // only blanks and comments lie between
      Fail(Code::kOldArrow, {node.span.file, at, at + 2},
           "`<=` compares values, and calls have no order", "write `<-` for a rule");
    }
    const bool temporal = IsTemporal(b.op);
    if (ToolIn(right)) {
      if (b.op != Operator::kEqual || left.As<Lvar>() == nullptr) ToolOperand(left, right);
      Operand(left, true);
      return ToolClause(right);
    }
    const bool equality = b.op == Operator::kEqual || b.op == Operator::kNotEqual;
    for (Node* side : {&left, &right}) {
      if (temporal) {
        TemporalOperand(*side);
      } else {
        Operand(*side, equality);
      }
    }
  }

  void ToolClause(Node& node) {
    if (Group* group = node.As<Group>()) return ToolClause(group->inner.front());
    ACall(node);
  }

  // Only LVAR = TOOL binds (decision 55).
  [[noreturn]] void ToolOperand(const Node& other, const Node& tool) const {
    Fail(Code::kSyntaxError, tool.span, "only an lvar can be equated with a tool call",
         "write `" + findings_.Quoted(tool) + " ^ ~ {:result " + findings_.Quoted(other) + "}`");
  }

  void TemporalOperand(Node& node) {
    if (Symbol* symbol = node.As<Symbol>(); symbol && symbol->name == "now") {
      node.is = Now{};
      return;
    }
    if (Group* group = node.As<Group>()) return TemporalOperand(group->inner.front());
    Operand(node, false);
  }

  // The operand of an operator. `pattern`: `~ PATTERN` is allowed as well.
  void Operand(Node& node, bool pattern) {
    Visit(
        node,
        [&](const Call& call) {
          if (call.ns == Namespace::kRelation && call.parens) return ACall(node);
          if (call.ns == Namespace::kTool) {
            Fail(Code::kSyntaxError, node.span, "a tool call cannot be an operand",
                 "bind its result first: `?r = " + findings_.Quoted(node) + "`");
          }
          Fail(Code::kSyntaxError, node.span,
               "`" + findings_.Quoted(node) + "` cannot be an operand");
        },
        [&](Group& group) { Operand(group.inner.front(), false); },
        [&](Binary& b) {
          if (!IsArithmetic(b.op) && !IsSetOperator(b.op)) NotAnOperand(node);
          for (Node& side : b.sides) Operand(side, false);
          MixedOperators(node, b);
        },
        [&](Count& count) { Counted(count.operand.front()); },
        [&](Match&) {
          if (pattern) return Data(node);
          Fail(Code::kSyntaxError, node.span, "a pattern stands beside `=` or in an argument",
               "write `?x = " + findings_.Quoted(node) + "` as a clause of its own");
        },
        [&](const Among<Rule, Conjunction, Disjunction, Not, Annotated, GoalFalse, Within,
                        Between> auto&) { NotAnOperand(node); },
        [&](const Among<Lvar, Avar, String, Template, Number, Keyword, Symbol, Boolean, Nil, Regex,
                        Now, Collection, Expansion> auto&) { Data(node); });
  }

  [[noreturn]] void NotAnOperand(const Node& node) const {
    Fail(Code::kSyntaxError, node.span, "expected an operand, got a clause",
         "an operand is a variable, literal, collection, relation call or count");
  }

  void Counted(Node& node) {
    if (Group* group = node.As<Group>()) return Counted(group->inner.front());
    const Call* call = node.As<Call>();
    const bool refused = (call != nullptr && (call->ns != Namespace::kRelation || !call->parens)) ||
                         node.As<Binary>() || node.As<Count>() || node.As<Match>();
    if (refused) {
      Fail(Code::kSyntaxError, node.span, "`" + findings_.Quoted(node) + "` cannot be counted",
           "bars hold one operand: a relation call, a variable, a collection or `#?x`");
    }
    Operand(node, false);
  }

  void MixedOperators(const Node& node, const Binary& b) {
    if (!IsSetOperator(b.op)) return;
    for (const Node& side : b.sides) {
      const Binary* inner = side.As<Binary>();
      if (inner != nullptr && IsSetOperator(inner->op) && inner->op != b.op) {
        findings_.Lint(Code::kMixedSetOperators, node.span,
                       "different set operators group left here",
                       "write parentheses: `(" + findings_.Quoted(side) + ")`");
      }
    }
  }

  // --- Metadata (§11) ---------------------------------------------------------------------

  void Metadata(Suffix& suffix) {
    Node& value = suffix.value.front();
    const Keyword* keyword = suffix.key.empty() ? nullptr : suffix.key[0].As<Keyword>();
    for (Node& key : suffix.key) {
      if (key.As<Avar>()) RefuseKey(key);
      if (!key.As<Keyword>() && !key.As<Symbol>() && !IsNamedLvar(key)) RefuseKey(key);
      Data(key);
    }
    if (value.As<Call>() || value.As<Expansion>()) {
      Fail(Code::kBadMetadata, value.span, "expected a variable, pattern or literal after `^`");
    }
    Data(value);
    const bool bindings =
        suffix.key.empty() ? suffix.bindings : keyword != nullptr && keyword->name == "bindings";
    Keys(value, bindings);
    if (!suffix.bindings && suffix.key.empty() && value.As<Collection>()) {
      findings_.Lint(Code::kBareMetadataMap, value.span, "a metadata map is a pattern here",
                     "write `^ ~ " + findings_.Quoted(value) + "`");
    }
  }

  // Keys of a metadata map are literals at every level (§11); in a bindings map `?g` is
  // the literal spelling of a slot (decision 46). A value that an entry of a trace records is no
  // pattern, and has the keys that it has.
  void Keys(const Node& value, bool bindings) const {
    if (const Match* match = value.As<Match>()) return Keys(match->pattern.front(), bindings);
    const Collection* c = value.As<Collection>();
    if (c == nullptr) return;
    if (c->kind != CollectionKind::kMap) {
      for (const Node& item : c->items) Keys(item, bindings);
      return;
    }
    for (std::size_t i = 0; i + 1 < c->items.size(); i += 2) {
      const Node& key = c->items[i];
      const bool slot = bindings && IsNamedLvar(key);
      if (!slot && !IsLiteral(key)) RefuseKey(key);
      if (takes_recorded_ && IsRecorded(c->items[i + 1])) continue;
      const Keyword* keyword = key.As<Keyword>();
      Keys(c->items[i + 1], !bindings && keyword != nullptr && keyword->name == "bindings");
    }
  }

  [[noreturn]] void RefuseKey(const Node& key) const {
    const bool variable = key.As<Lvar>() || key.As<Avar>();
    Fail(Code::kBadMetadata, key.span,
         "expected a literal as a metadata key, got `" + findings_.Quoted(key) + "`",
         variable
             ? "for a variable key, bind the map with `^^ ?b`, then match `?b ~ [?key, ?value]`"
             : "a key is a keyword, string, symbol, number, boolean or nil");
  }

  std::string_view text_;
  ShapeFindings findings_;
  NameCheck names_{findings_};
  bool in_head_ = false;
  // Values may be what no sentence writes but rules can bind: calls within collections, and maps
  // with any keys. Traces and replies hold such values (§12.3).
  bool takes_recorded_ = false;
};

}  // namespace

std::string Re2Pattern(std::string_view body) {
  std::string out;
  bool in_class = false;
  for (std::size_t i = 0; i < body.size(); ++i) {
    const char c = body[i];
    if (c == '\\' && i + 1 < body.size()) {
      out += c;
      out += body[++i];
      continue;
    }
    if (c == '[') in_class = true;
    if (c == ']') in_class = false;
    const bool named = !in_class && body.substr(i, 3) == "(?<" && i + 3 < body.size() &&
                       body[i + 3] != '=' && body[i + 3] != '!';
    if (named) {
      out += "(?P<";
      i += 2;
    } else {
      out += c;
    }
  }
  return out;
}

std::optional<Diagnostic> SettleSentence(std::string_view text, Sentence& sentence,
                                         std::vector<Diagnostic>& lints) {
  try {
    Shape(text, lints).WholeSentence(sentence);
    return std::nullopt;
  } catch (const Diagnostic& error) {
    return error;
  }
}

std::optional<Diagnostic> SettleTerm(std::string_view text, Node& term,
                                     std::vector<Diagnostic>& lints) {
  try {
    Shape(text, lints).WholeTerm(term);
    return std::nullopt;
  } catch (const Diagnostic& error) {
    return error;
  }
}

}  // namespace rpl
