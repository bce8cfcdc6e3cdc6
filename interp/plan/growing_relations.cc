// SPDX-License-Identifier: Apache-2.0
//
// Relations that grow: with which arguments a call of them ends, and whether all who read them bind
// these. What the analysis finds when they are derived tells the components that grow; it is made
// again with those tabled whose readers may suffice, and once more without those whose readers do
// not.
#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "interp/plan/analysis.h"
#include "interp/plan/growth.h"
#include "interp/program/library_reasons.h"
#include "interp/store/store.h"

namespace rpl {
namespace {

// Whether a rule does more than to combine rows and to test them.
bool MakesValues(const Definition& def, std::span<const Clause* const> clauses) {
  const auto is_made = [](const Pattern& p) { return !p.parts.empty() || !p.rest.empty(); };
  return std::ranges::any_of(def.args, is_made) ||
         std::ranges::any_of(clauses, [](const Clause* clause) {
           return Visit(
               *clause, [](const Among<Atom, Negation> auto&) { return false; },
               [](const Compare& c) { return c.op == Operator::kEqual; },
               [](const Among<MatchWith, Member, Temporal, CountOf, Alternatives, Expand, Metadata,
                              Aggregate, ReadAvar, ShowJson, GoalIsFalse, First, Loop, Distinct,
                              Check, Truth> auto&) { return true; });
         });
}

}  // namespace

// Relations that are tabled anyway grow as well. Then their calls wait for what they get smaller
// by; whoever cannot give that has them all, as before.
class Analysis::TabledCircles {
 public:
  TabledCircles(const Analysis& analysis, const Program& program)
      : analysis_(analysis), program_(program) {}

  /// Calls fn(relations, rules) for each circle of such relations, if all of its rules are plain.
  template <typename Fn>
  void ForEach(Fn&& fn) {
    std::map<int, std::vector<RelationId>> circles;
    for (RelationId r = 0; r < analysis_.info_.size(); ++r)
      if (analysis_.info_[r].circle >= 0 && !analysis_.info_[r].rules.empty())
        circles[analysis_.info_[r].circle].push_back(r);
    for (const auto& [circle, relations] : circles) {
      if (!std::ranges::all_of(relations, [&](RelationId r) { return MayGrow(r); })) continue;
      lists_.clear();
      std::vector<Growth::Rule> rules;
      bool makes = false;
      for (const RelationId r : relations)
        for (const int number : analysis_.info_[r].rules) {
          const Definition& def = program_.definitions()[static_cast<std::size_t>(number)];
          for (const std::vector<const Clause*>& list :
               lists_.emplace_back(AlternativesOf(ClausesOf(def)))) {
            rules.push_back({&def, list});
            makes = makes || (Recurs(list, circle) && MakesValues(def, list));
          }
        }
      if (makes) fn(relations, rules);
    }
  }

 private:
  bool MayGrow(RelationId r) const {
    const Info& info = analysis_.info_[r];
    const Relation& relation = analysis_.store_->at(r);
    return relation.space() == Space::kRelation && info.demanded && !info.collected &&
           !info.broken && !info.extremum && !IsOfLibrary(relation.name()) &&
           std::ranges::all_of(info.rules, [&](int number) {
             const Definition& def = program_.definitions()[static_cast<std::size_t>(number)];
             return !def.choice && !def.force && def.gathered.empty() && def.activation.empty();
           });
  }
  bool Recurs(const std::vector<const Clause*>& clauses, int circle) const {
    return std::ranges::any_of(OwnAtoms(clauses), [&](const auto& own) {
      return analysis_.At(analysis_.store_->BaseOf(own.atom.relation)).circle == circle;
    });
  }

  const Analysis& analysis_;
  const Program& program_;
  std::deque<std::vector<std::vector<const Clause*>>> lists_;
};

// Whether a rule that reads its own stratum does more than that.
bool Analysis::RecursionMakesValues(const Stratum& stratum) const {
  return std::ranges::any_of(stratum.rules, [&](const DerivedRule& rule) {
    const int component = At(rule.def->head).component;
    return MakesValues(*rule.def, rule.clauses) &&
           std::ranges::any_of(rule.reads, [&](RelationId r) {
             return At(store_->BaseOf(r)).component == component;
           });
  });
}

void Analysis::FindGrowing(const std::vector<Candidate>& candidates,
                           const std::vector<std::vector<RelationId>>& components,
                           const Store& store) {
  growing_known_ = true;
  std::vector<std::vector<Growth::Rule>> rules(components.size());
  std::vector<bool> makes(components.size());
  for (const Candidate& c : candidates) {
    if (!c.ok || c.def->head == kNoId || info_[c.def->head].broken) continue;
    const int component = info_[c.def->head].component;
    if (component < 0) continue;
    const auto at = static_cast<std::size_t>(component);
    const bool recursive = std::ranges::any_of(
        c.reads, [&](RelationId r) { return info_[store.BaseOf(r)].component == component; });
    for (const std::vector<const Clause*>& list : c.alternatives) {
      rules[at].push_back({c.def, list});
      makes[at] = makes[at] || (recursive && MakesValues(*c.def, list));
    }
  }
  for (std::size_t i = 0; i < components.size(); ++i) {
    if (!makes[i]) continue;
    const Growth growth(store, components[i], rules[i]);
    if (!growth.MayGrow()) continue;
    Growing& found = growing_.emplace_back();
    found.relations = components[i];
    if (const std::optional<Growth::Endless> endless = growth.FindEndless()) {
      const Clause* const clause = endless->clause;
      found.endless = {endless->def->head,
                       clause == nullptr ? endless->def->span : clause->span,
                       clause == nullptr ? "" : clause->text,
                       {},
                       {},
                       {}};
    }
    FindFiniteModes(found, growth, rules[i]);
  }
  TabledCircles(*this, *program_)
      .ForEach(
          [&](const std::vector<RelationId>& relations, const std::vector<Growth::Rule>& rules_of) {
            const Growth growth(store, relations, rules_of);
            if (!growth.MayGrow()) return;
            Growing found;
            found.relations = relations;
            FindFiniteModes(found, growth, rules_of);
            if (!found.modes.empty()) growing_.push_back(std::move(found));
          });
}

// The relations are read as they would be if they were tabled, and wait for all arguments.
void Analysis::FindFiniteModes(Growing& growing, const Growth& growth,
                               std::span<const Growth::Rule> rules) {
  std::map<RelationId, Columns> columns;
  for (const Growth::Rule& rule : rules) columns[rule.def->head] = MayBeGiven(*rule.def);
  std::map<RelationId, bool> demanded;
  for (const auto& [relation, all] : columns) {
    const RelationId r = relation;
    demanded[r] = std::exchange(info_[r].demanded, true);
    info_[r].finite = ModeSet(all);
  }
  Planner planner(*this, *store_, Mode::kSolve);
  std::map<std::pair<std::size_t, Columns>, std::optional<std::vector<Columns>>> plans;
  const Growth::Probes probes = [&](std::size_t number, Columns known) {
    const auto [at, is_new] = plans.try_emplace({number, known});
    if (!is_new) return at->second;
    const Definition& def = *rules[number].def;
    std::vector<bool> bound(def.slots.size());
    const auto bind = [&](SlotId s) { bound[static_cast<std::size_t>(s)] = true; };
    for (std::size_t i = 0; i < def.args.size(); ++i) {
      if ((known >> i & 1) == 0) continue;
      const auto text = std::ranges::find(def.texts, i, &TextArgument::column);
      if (text != def.texts.end()) bind(text->slot);
      else ForEachSlot(def.args[i], bind);
    }
    const std::unique_ptr<Plan> plan = planner.Make(
        WithTexts(def, bound, {rules[number].clauses.begin(), rules[number].clauses.end()}), bound,
        HeadSlots(def), def.slots, def.avar);
    if (HasStuck(*plan)) return at->second;
    std::vector<Columns> out;
    for (const Clause* atom : growth.AtomsOf(number)) {
      const auto step = std::ranges::find(plan->steps, atom, &Step::clause);
      if (step == plan->steps.end()) return at->second;
      out.push_back(step->probe);
    }
    at->second = std::move(out);
    return at->second;
  };
  for (const auto& [relation, all] : columns) {
    const RelationId r = relation;
    const auto ends = [&](Columns known) { return growth.Ends(r, known, probes); };
    if (!ends(all)) {
      growing.modes.clear();
      break;
    }
    growing.modes[r] = ModeSet::Of(all, ends);
  }
  for (const auto& [r, all] : columns) {
    info_[r].demanded = demanded[r];
    info_[r].finite = info_[r].modes;
  }
}

// Finds who does not bind what a call of a growing relation needs in order to end.
class Analysis::Readers {
 public:
  /// `before`: what was found when none of the relations was answered from callers.
  Readers(Analysis& analysis, const Program& program, const std::vector<Info>& before)
      : analysis_(analysis), program_(program), before_(before) {}

  /// By number of the growing component: the first reader that leaves something open. Those left
  /// open whatever a caller binds come first, alone, as they spoil the modes of other rules.
  struct Reader {
    Span span;
    std::string text;
  };
  std::map<std::size_t, Reader> Find() {
    for (const Definition& def : program_.definitions()) Look(def);
    for (const Constraint& c : program_.constraints())
      if (!c.guards) Look(c);
    for (const CallGuard& guard : program_.guards())
      for (const CallGuard::Reading& reading : guard.readings) Look(reading.form);
    for (const ArgumentQuestion& question : program_.questions())
      LookAtChoices(program_.OptionsOf(question), question.prompt);
    for (const auto& [heading, use] : analysis_.headings_)
      for (const HeadingUse::Argument& argument : use.arguments)
        LookAtChoices(argument.choices, analysis_.store_->at(heading).name());
    return std::move(always_.empty() ? found_ : always_);
  }

 private:
  void Refuse(const std::set<std::size_t>& growing, Span span, const std::string& text) {
    for (const std::size_t i : growing) found_.try_emplace(i, Reader{span, text});
  }
  void RefuseAll(Span span, const std::string& text) {
    for (std::size_t i = 0; i < analysis_.growing_.size(); ++i)
      if (analysis_.growing_[i].from_callers) Refuse({i}, span, text);
  }

  // Whether the relation is tabled for no other reason than a growing one.
  bool IsNewlyTabled(RelationId relation) const {
    const RelationId base = analysis_.store_->BaseOf(relation);
    return analysis_.At(base).demanded && !(base < before_.size() && before_[base].demanded);
  }
  void Look(const Definition& def) {
    // A row that nothing stores has no metadata; a head that is an expansion has no caller.
    const auto look = [&](const Atom& atom) {
      if ((atom.row >= 0 || def.head == kNoId) && IsNewlyTabled(atom.relation))
        RefuseAll(def.span, def.text);
    };
    ForEachAtom(def.activation, look);
    ForEachAtom(def.body, look);
    if (def.head == kNoId) return;
    const Info& info = analysis_.At(def.head);
    if (info.broken && !(def.head < before_.size() && before_[def.head].broken))
      RefuseAll(def.span, def.text);
    const auto at = analysis_.open_rules_.find(def.number);
    if (at == analysis_.open_rules_.end()) return;
    const Needs& needs = at->second;
    const bool asked_whole =
        analysis_.store_->at(def.head).space() == Space::kGoal || IsChecked(def);
    for (const std::size_t i : needs.always) always_.try_emplace(i, Reader{def.span, def.text});
    bool refused = asked_whole && needs.finite != needs.modes;
    if (info.from_callers)
      for (const std::size_t i : info.growing)
        if (const auto own = analysis_.growing_[i].modes.find(def.head);
            own != analysis_.growing_[i].modes.end())
          refused = refused || info.finite != own->second;
    if (refused) Refuse(needs.growing, def.span, def.text);
  }

  void Look(const Constraint& c) {
    std::vector<bool> bound(c.slots.size());
    const std::vector<bool> nothing(c.slots.size());
    Planner planner(analysis_, *analysis_.store_, Mode::kSolve);
    for (const Clauses* side : {&c.left, &c.right}) {
      ForEachAtom(*side, [&](const Atom& atom) {
        if (atom.row >= 0 && IsNewlyTabled(atom.relation)) RefuseAll(c.span, c.text);
      });
      const std::unique_ptr<Plan> plan =
          planner.Make(PointersTo(*side), bound, nothing, c.slots, c.avar);
      for (const Step& step : plan->steps) {
        if (step.endless)
          Refuse(analysis_.At(analysis_.store_->BaseOf(step.relation)).growing, c.span, c.text);
        for (const SlotId s : step.writes) bound[static_cast<std::size_t>(s)] = true;
      }
    }
  }

  // A question offers all rows of the relation.
  void LookAtChoices(RelationId choices, const std::string& text) {
    if (choices == kNoId) return;
    const Info& info = analysis_.At(choices);
    if (info.finite != info.modes) Refuse(info.growing, {}, text);
  }

  Analysis& analysis_;
  const Program& program_;
  const std::vector<Info>& before_;
  std::map<std::size_t, Reader> always_, found_;
};

bool Analysis::AddReader(const Definition& query) {
  if (!DependsOnReaders()) return false;
  Planner planner(*this, *store_, Mode::kSolve);
  const std::size_t before = read_whole_.size();
  for (const std::size_t i : NeedsOf(query, planner).growing)
    read_whole_.insert(growing_[i].relations.begin(), growing_[i].relations.end());
  return read_whole_.size() > before;
}

void Analysis::AnswerFromCallers(const Program& program, const Store& store) {
  std::size_t left = 0;
  for (Growing& growing : growing_) {
    growing.from_callers =
        std::ranges::any_of(growing.modes,
                            [](const auto& mode) { return mode.second != ModeSet(); }) &&
        std::ranges::none_of(growing.relations,
                             [&](RelationId r) { return read_whole_.contains(r); });
    left += growing.from_callers ? 1 : 0;
  }
  const std::vector<Info> before = left > 0 ? info_ : std::vector<Info>();
  while (left > 0) {
    MakeOnce(program, store);
    const auto refusing = Readers(*this, program, before).Find();
    if (refusing.empty()) break;
    for (const auto& [i, reader] : refusing) {
      growing_[i].from_callers = false;
      --left;
      if (!growing_[i].endless) continue;
      growing_[i].endless->reader = reader.span;
      growing_[i].endless->reader_text = reader.text;
    }
    if (left == 0) MakeOnce(program, store);
  }
  for (Growing& growing : growing_) {
    if (growing.from_callers || !growing.endless) continue;
    const auto modes = growing.modes.find(growing.endless->relation);
    if (modes != growing.modes.end()) growing.endless->modes = modes->second;
    endless_.push_back(std::move(*growing.endless));
  }
}

}  // namespace rpl
