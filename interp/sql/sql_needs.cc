// SPDX-License-Identifier: Apache-2.0
#include "interp/sql/sql_needs.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "interp/plan/analysis.h"
#include "interp/store/store.h"

namespace rpl {
namespace {

class NeedsFinder {
 public:
  NeedsFinder(const Program& program, const Analysis& analysis, Diagnostics& refused)
      : program_(program), store_(program.store()), analysis_(analysis), refused_(refused) {}

  std::set<RelationId> Find(const SqlRequest& request) {
    const std::size_t before = refused_.size();
    RefuseProgram();
    for (const SqlQuestion& question : request.questions)
      for (const Definition* rule : question.rules) Rule(*rule);
    for (const RelationId relation : request.relations) Relation_(relation, {}, "");
    for (std::size_t next = 0; next < work_.size(); ++next)
      for (const int number : analysis_.RulesOf(work_[next]))
        Rule(program_.definitions()[static_cast<std::size_t>(number)]);
    // One that calls a tool needs its caller, too; the tool is the reason to tell.
    if (refused_.size() == before)
      for (const Diagnostic& d : tabled_) refused_.Add(d);
    return std::move(found_);
  }

 private:
  // Constraints decide about a run, and a rule with an expansion as its head may derive anything.
  void RefuseProgram() {
    for (const Constraint& c : program_.constraints())
      refused_.Add(Code::kSqlConstraint, c.span, "a constraint has no counterpart in SQL");
    for (const CallGuard& guard : program_.guards())
      if (!guard.readings.empty())
        refused_.Add(Code::kSqlConstraint, guard.readings.front().form.span,
                     "a constraint has no counterpart in SQL");
    for (const Definition& def : program_.definitions())
      if (def.head_expansion >= 0)
        refused_.Add(Code::kSqlClause, def.span,
                     "a head that is an expansion has no counterpart in SQL");
  }

  void Rule(const Definition& def) {
    if (def.force) refused_.Add(Code::kSqlClause, def.span, "`@each` has no counterpart in SQL");
    if (def.question >= 0) refused_.Add(Code::kSqlOutside, def.span, "the rule asks a question");
    All(def.activation);
    All(def.body);
  }

  // Nested as deep as the parser allows.
  void All(const Clauses& clauses) {
    for (const Clause& clause : clauses) One(clause);
  }

  void One(const Clause& clause) {
    const auto refuse = [&](Code code, const std::string& what) {
      refused_.Add(code, clause.span, what + " in `" + clause.text + "`");
    };
    Visit(
        clause,
        [&](const Atom& c) { Relation_(store_.BaseOf(c.relation), clause.span, clause.text); },
        [&](const ReadAvar&) { refuse(Code::kSqlOutside, "an async variable is read"); },
        [&](const ShowJson&) { refuse(Code::kSqlOutside, "`$json` is called"); },
        [&](const GoalIsFalse&) { refuse(Code::kSqlOutside, "a goal is read"); },
        [&](const Among<Metadata, Aggregate> auto&) {
          refuse(Code::kSqlClause, "metadata is read");
        },
        [&](const Expand&) { refuse(Code::kSqlClause, "a form is expanded"); },
        [&](const First&) { refuse(Code::kSqlClause, "`@choose` takes the first answer"); },
        [&](const Loop&) { refuse(Code::kSqlClause, "`@for` takes steps in order"); },
        [&](const Distinct&) { refuse(Code::kSqlClause, "`@distinct` takes the first answers"); },
        [&](const Check&) { refuse(Code::kSqlConstraint, "a constraint stands on a rule"); },
        [&](const Temporal&) { refuse(Code::kSqlClause, "times are compared"); },
        [](const Among<Compare, MatchWith, Member, CountOf, Negation, Alternatives, Truth> auto&) {
        });
    ForEachBody(clause, [&](const Clauses& body) { All(body); });
  }

  void Relation_(RelationId relation, Span span, const std::string& text) {
    if (found_.contains(relation) || !told_.insert(relation).second) return;
    const rpl::Relation& rel = store_.at(relation);
    const std::string name = rel.name() + "/" + std::to_string(rel.arity());
    if (span == Span{})
      if (const std::vector<int>& rules = analysis_.RulesOf(relation); !rules.empty())
        span = program_.definitions()[static_cast<std::size_t>(rules.front())].span;
    const std::string where = text.empty() ? "" : " in `" + text + "`";
    const auto refuse = [&](Code code, const std::string& what) {
      refused_.Add(code, span, name + " " + what + where);
    };
    switch (rel.space()) {
      case Space::kGoal: return refuse(Code::kSqlOutside, "is a goal, which is read");
      case Space::kTool: return refuse(Code::kSqlOutside, "is a tool, which is called");
      case Space::kAvar: return refuse(Code::kSqlOutside, "is an async variable, which is read");
      case Space::kRelation:
      case Space::kIntermediate: break;
    }
    if (program_.FindCollected(relation) != nullptr)
      return refuse(Code::kSqlOutside, "is asked of a person");
    if (program_.FindBuiltin(relation) != nullptr)
      return refuse(Code::kSqlClause, "is built in, without a counterpart in SQL");
    if (analysis_.IsBroken(relation))
      return refuse(Code::kSqlCaller, analysis_.WhyBroken(relation));
    if (analysis_.IsTabled(relation))
      tabled_.push_back({Code::kSqlCaller, Severity::kError, span,
                         name + " has rules that need the bindings of their caller," + where, ""});
    if (rel.arity() > kMostSqlColumns)
      return refuse(Code::kSqlTooLarge, "has more than 32 arguments");
    found_.insert(relation);
    work_.push_back(relation);
  }

  const Program& program_;
  const Store& store_;
  const Analysis& analysis_;
  Diagnostics& refused_;
  std::set<RelationId> found_, told_;
  std::vector<RelationId> work_;
  std::vector<Diagnostic> tabled_;
};

}  // namespace

std::set<RelationId> SqlNeeds(const Program& program, const Analysis& analysis,
                              const SqlRequest& request, Diagnostics& refused) {
  return NeedsFinder(program, analysis, refused).Find(request);
}

}  // namespace rpl
