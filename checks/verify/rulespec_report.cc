// SPDX-License-Identifier: Apache-2.0
#include "checks/verify/rulespec_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "grammar/ast.h"
#include "interp/store/value.h"

namespace rpl {
namespace {

using TermKind = ProgramTerm::Kind;
using LiteralKind = ProgramLiteral::Kind;

std::string_view NameOf(ProgramRelation relation) {
  return ProgramSchemas()[static_cast<std::size_t>(relation)].name;
}

// The spelling of the program in one of the languages.
class Syntax {
 public:
  virtual ~Syntax() = default;

  std::string Rule(const ProgramRule& rule) {
    std::string text = Atom(rule.head);
    for (std::size_t i = 0; i < rule.body.size(); ++i)
      text += (i == 0 ? arrow_ : ", ") + Literal(rule.body[i]);
    return text + end_;
  }

  std::string Atom(const ProgramAtom& atom) {
    std::string text = Name(NameOf(atom.relation)) + "(";
    for (std::size_t i = 0; i < atom.args.size(); ++i)
      text += (i == 0 ? "" : ", ") + Term(atom.args[i]);
    return text + ")";
  }

 protected:
  Syntax(std::string arrow, std::string end) : arrow_(std::move(arrow)), end_(std::move(end)) {}

  virtual std::string Name(std::string_view name) = 0;
  virtual std::string Symbol(const std::string& text) = 0;
  virtual std::string Variable(const std::string& name) = 0;
  virtual std::string Not(const std::string& atom) = 0;
  virtual std::string OnlyOne(const std::string& atom) = 0;

 private:
  std::string Term(const ProgramTerm& term) {
    switch (term.kind) {
      case TermKind::kSymbol: return Symbol(term.text);
      case TermKind::kNumber: return std::to_string(term.number);
      case TermKind::kVariable: return Variable(term.text);
      case TermKind::kAny: break;
    }
    return "_";
  }

  std::string Literal(const ProgramLiteral& literal) {
    switch (literal.kind) {
      case LiteralKind::kAtom: return Atom(literal.atom);
      case LiteralKind::kNot: return Not(Atom(literal.atom));
      case LiteralKind::kOnlyOne: return OnlyOne(Atom(literal.atom));
      case LiteralKind::kCompare: break;
    }
    return fmt::format("{} {} {}", Variable(literal.variable), literal.comparison, literal.number);
  }

  const std::string arrow_;
  const std::string end_;
};

class RplSyntax : public Syntax {
 public:
  RplSyntax() : Syntax(" <- ", "") {}

 private:
  std::string Name(std::string_view name) override { return RplName(name); }
  std::string Symbol(const std::string& text) override { return Text(pool_, pool_.String(text)); }
  std::string Variable(const std::string& name) override { return "?" + name; }
  std::string Not(const std::string& atom) override { return "not " + atom; }
  std::string OnlyOne(const std::string& atom) override { return "|" + atom + "| = 1"; }

  Pool pool_;
};

class SouffleSyntax : public Syntax {
 public:
  SouffleSyntax() : Syntax(" :- ", ".") {}

 private:
  std::string Name(std::string_view name) override { return std::string(name); }
  std::string Symbol(const std::string& text) override { return SouffleSymbol(text); }
  std::string Variable(const std::string& name) override { return name; }
  std::string Not(const std::string& atom) override { return "!" + atom; }
  std::string OnlyOne(const std::string& atom) override { return "1 = count : { " + atom + " }"; }
};

std::string Declaration(const ProgramSchema& schema) {
  std::string columns;
  for (std::size_t i = 0; i < schema.columns.size(); ++i)
    columns += fmt::format("{}{}:{}", i == 0 ? "" : ", ", schema.names[i],
                           schema.columns[i] == 's' ? "symbol" : "number");
  return fmt::format(".decl {}({})\n", schema.name, columns);
}

// A comment with untrusted text: on one line, without a backslash at its end.
std::string Comment(std::string_view what, const std::string& text) {
  return fmt::format("// {}: {}\n", what, nlohmann::json(text).dump());
}

}  // namespace

std::string RplName(std::string_view name) {
  std::string kebab(name);
  std::replace(kebab.begin(), kebab.end(), '_', '-');
  return kebab;
}

std::string RulesAsRpl(const RulespecProgram& program) {
  RplSyntax syntax;
  std::string text;
  for (const auto& rules : program.rules)
    for (const ProgramRule& rule : rules) text += syntax.Rule(rule) + "\n";
  return text + "predicate-fail(?id) -> false\n";
}

std::string SouffleSymbol(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default: out += c;
    }
  }
  return out + "\"";
}

std::string ProgramAsSouffle(const Rulespec& rulespec, const RulespecProgram& program) {
  SouffleSyntax syntax;
  std::string text = "// A rulespec and the facts of an envelope, as written by rpl verify.\n\n";
  for (const ProgramSchema& schema : ProgramSchemas()) text += Declaration(schema);
  text += ".output predicate_pass\n.output predicate_fail\n";
  if (!program.facts.empty()) text += "\n";
  for (const ProgramAtom& fact : program.facts) text += syntax.Atom(fact) + ".\n";
  for (std::size_t i = 0; i < program.rules.size(); ++i) {
    const Predicate& predicate = rulespec.predicates[i];
    text += "\n" + Comment(fmt::format("predicate {}, {}", i, predicate.source),
                           ClaimRuleText(rulespec, predicate.is));
    if (predicate.when) text += Comment("when", ClaimRuleText(rulespec, *predicate.when));
    if (!predicate.notes.empty()) text += Comment("notes", predicate.notes);
    for (const ProgramRule& rule : program.rules[i]) text += syntax.Rule(rule) + "\n";
  }
  return text;
}

std::string EvaluationReport(const Rulespec& rulespec, const std::vector<CheckResult>& results,
                             std::size_t extracted) {
  std::string text =
      fmt::format("Facts extracted: {}\nPredicates: {}\n", extracted, rulespec.predicates.size());
  std::size_t passed = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Predicate& predicate = rulespec.predicates[i];
    passed += results[i].passed ? 1 : 0;
    text +=
        fmt::format("\n{} [{}] {}: {}\n   {}\n", results[i].passed ? "✅" : "❌", predicate.source, i,
                    ClaimRuleText(rulespec, predicate.is), results[i].message);
    if (!predicate.notes.empty()) text += fmt::format("   Notes: {}\n", predicate.notes);
  }
  if (results.empty()) return text + "\nSummary: no predicates\n";
  if (passed == results.size()) return text + fmt::format("\nSummary: all {} satisfied\n", passed);
  return text + fmt::format("\nSummary: {}/{} satisfied, {} failed\n", passed, results.size(),
                            results.size() - passed);
}

}  // namespace rpl
