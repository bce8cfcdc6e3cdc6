// SPDX-License-Identifier: Apache-2.0
#include "interp/eval/coverage.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "interp/store/store.h"

namespace rpl {
namespace {

/// What a rule did, from all the ways in which it is evaluated.
struct RuleWork {
  std::uint64_t runs = 0;
  std::uint64_t given = 0;
};

class CoverageReader {
 public:
  CoverageReader(const Program& program, const Profile& profile)
      : program_(program), profile_(profile) {
    for (const Profile::Rule& rule : profile.rules()) {
      if (rule.kind == Profile::Kind::kConstraint || rule.kind == Profile::Kind::kProof) continue;
      RuleWork& work = works_[{rule.place.file, rule.place.begin, rule.text}];
      work.runs += rule.runs;
      work.given += rule.rows + rule.duplicates;
    }
  }

  std::vector<CoveredPart> Read() {
    for (const Definition& def : program_.definitions()) Add(def);
    for (const Constraint& c : program_.constraints()) {
      if (!c.obligation) Add(PartKind::kConstraint, c.span, c.text, profile_.ViolationsOf(c));
      AddBranches(c.left);
      AddBranches(c.right);
    }
    const Store& store = program_.store();
    for (RelationId id = 0; id < store.size(); ++id)
      if (const Collected* heading = program_.FindCollected(id))
        Add(PartKind::kHeading, heading->span,
            std::string(store.at(id).name()) + "/" + std::to_string(store.at(id).arity()),
            profile_.AskedOf(id) + store.at(id).size());
    std::vector<CoveredPart> parts;
    for (auto& [key, part] : parts_) parts.push_back(std::move(part));
    return parts;
  }

 private:
  using PartKey = std::tuple<std::uint32_t, std::uint32_t, PartKind, std::string>;

  void Add(PartKind kind, Span place, const std::string& text, std::uint64_t count) {
    auto& part = parts_[{place.file, place.begin, kind, text}];
    part = {kind, place, text, part.count + count};
  }

  void Add(const Definition& def) {
    const auto at = works_.find({def.span.file, def.span.begin, def.text});
    const RuleWork work = at == works_.end() ? RuleWork() : at->second;
    Add(PartKind::kRule, def.span, def.text, work.given);
    if (def.from_heading) {
      const bool is_goal = program_.store().at(def.head).space() == Space::kGoal;
      Add(PartKind::kHeading, def.span, def.text,
          !is_goal                 ? work.given
          : def.activation.empty() ? work.runs
                                   : profile_.ActivationsOf(def));
    }
    AddBranches(def.activation);
    AddBranches(def.body);
  }

  // The nesting is that of the source, which the parser bounds.
  void AddBranches(const Clauses& clauses) {
    ForEachClause(clauses, [&](const Clause& clause) { AddBranchesOf(clause); });
  }

  void AddBranchesOf(const Clause& clause) {
    const std::span<const Clauses> branches = BranchesOf(clause);
    for (std::size_t i = 0; i < branches.size(); ++i) {
      if (branches[i].empty()) continue;
      Span place = branches[i].front().span;
      for (const Clause& part : branches[i]) place = Cover(place, part.span);
      std::string text(program_.sources().Text(place));
      std::replace(text.begin(), text.end(), '\n', ' ');
      const std::uint64_t answers = profile_.AnswersOf(clause, i);
      const auto [at, is_new] =
          parts_.try_emplace({place.file, place.begin, PartKind::kBranch, text},
                             CoveredPart{PartKind::kBranch, place, text, answers});
      if (!is_new) at->second.count = std::max(at->second.count, answers);  // counted by place
    }
  }

  const Program& program_;
  const Profile& profile_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::string>, RuleWork> works_;
  std::map<PartKey, CoveredPart> parts_;
};

}  // namespace

std::string_view PartName(PartKind kind) {
  switch (kind) {
    case PartKind::kRule: return "rule";
    case PartKind::kHeading: return "heading";
    case PartKind::kBranch: return "branch";
    case PartKind::kConstraint: return "constraint";
  }
  return "";
}

std::vector<CoveredPart> CoverageOf(const Program& program, const Profile& profile) {
  return CoverageReader(program, profile).Read();
}

}  // namespace rpl
