// SPDX-License-Identifier: Apache-2.0
//
// Complete() evaluates a table. If the evaluation reaches a table that is still running, the two
// belong to one group (a strongly connected component of calls). The outermost table of a group is
// its leader: it is evaluated again, with the others, until none of them grows.
//
//   path(a, _)  runs, needs  path(b, _)  runs, needs  path(a, _) again: running, so far {b}
//   path(b, _)  cannot be complete before its leader path(a, _)
//   path(a, _)  repeats until neither has a new row; then both are complete
//
// What is open (a call without a reply, absence that is not known) goes round the group as rows do:
// the evaluation repeats until no table has more of that, either.
#include "interp/eval/solver.h"

#include <algorithm>

#include "interp/eval/machine.h"
#include "interp/eval/profile.h"
#include "interp/eval/solver_plans.h"
#include "interp/program/builtins.h"
#include "interp/program/library_reasons.h"
#include "interp/program/operators.h"

namespace rpl {
bool AnswerRows::Add(std::span<const Value> row) {
  const auto is_row = [&](std::uint32_t id) { return std::ranges::equal((*this)[id], row); };
  if (index_ == nullptr && size_ == kFew) {
    index_ = std::make_unique<IdTable>();
    for (std::uint32_t id = 0; id < size_; ++id)
      index_->FindOrInsert(RowSet::HashOf((*this)[id]), id, [](std::uint32_t) { return false; });
  }
  if (index_ != nullptr) {
    if (index_->FindOrInsert(RowSet::HashOf(row), size_, is_row) != size_) return false;
  } else {
    for (std::uint32_t id = 0; id < size_; ++id)
      if (is_row(id)) return false;
  }
  if (size_ == 0) width_ = static_cast<std::uint32_t>(row.size());
  if (ends_ == nullptr && row.size() != width_) {
    ends_ = std::make_unique<std::vector<std::size_t>>();
    for (std::size_t id = 1; id <= size_; ++id) ends_->push_back(id * width_);
  }
  cells_.insert(cells_.end(), row.begin(), row.end());
  if (ends_ != nullptr) ends_->push_back(cells_.size());
  ++size_;
  return true;
}

std::uint32_t AnswerRows::Find(std::span<const Value> row) const {
  const auto is_row = [&](std::uint32_t id) { return std::ranges::equal((*this)[id], row); };
  if (index_ != nullptr) return index_->Find(RowSet::HashOf(row), is_row);
  for (std::uint32_t id = 0; id < size_; ++id)
    if (is_row(id)) return id;
  return kNoId;
}

void Table::SettleDoubts() {
  vague = (lacking & kMeaning) != 0;
  if (details == nullptr) return;
  for (std::size_t i = 0; i < details->doubted.size(); ++i) {
    if (rows.Has(details->doubted[i])) continue;
    lacking |= kMeaning;
    undecided = undecided || details->withheld[i];
  }
}

AggregateHead::AggregateHead(const Definition& def) : first(def.slots.size()), args(def.args) {
  const std::function<void(Pattern&, const Pattern&)> take = [&](Pattern& p, const Pattern& from) {
    if (IsGathering(from)) {
      p = Pattern::Slot(static_cast<SlotId>(first + collections.size()));
      collections.push_back(&from);
      return;
    }
    for (std::size_t i = 0; i < p.parts.size(); ++i) take(p.parts[i], from.parts[i]);
  };
  for (std::size_t i : def.gathered) take(args[i], def.args[i]);
}

Solver::Solver(const Program& program, Store& store, const Analysis& analysis, const Limits& limits)
    : program_(program),
      store_(store),
      pool_(store.pool()),
      analysis_(analysis),
      machine_(std::make_unique<Machine>(program, store, analysis, *this, limits)) {}

Solver::~Solver() = default;

void Solver::Truncate() { machine_->truncated = true; }
const Given& Solver::given() const { return machine_->given; }
const Evaluation& Solver::found() const { return machine_->evaluation; }
const Definition* Solver::rule() const { return machine_->rule(); }
std::size_t Solver::new_rows() const { return machine_->new_rows; }
std::string Solver::CallText(const OpenCall& call) const { return machine_->CallText(call); }
CallId Solver::IdOf(const OpenCall& call) const { return machine_->IdOf(call); }
std::string Solver::FailureText(const OpenCall& call, const std::string& failure) const {
  return machine_->FailureText(call, failure);
}

void Solver::Resume(std::size_t long_loop) {
  machine_->long_loop = long_loop;
  if (long_loop == SIZE_MAX) left_.clear(), constraint_loops_.clear();
}

void Solver::Forget() {
  if (machine_->profile() != nullptr) machine_->profile()->Forget();
  // A truncated or interrupted evaluation is not what the next one would do.
  if (machine_->long_loop == SIZE_MAX || machine_->truncated || machine_->profile() != nullptr ||
      machine_->evaluation.stop != Stop::kGoesOn || analysis_known_ != analysis_.version())
    left_.clear(), constraint_loops_.clear();
  else
    for (Table& table : tables_)
      if (table.lasting() != nullptr) Leave(table);
  resuming_ = !left_.empty() && !suspended_;
  tables_.clear();
  table_of_.Clear();
  checked_by_.clear();
  query_tables_.clear();
  query_plans_.clear();
  undefined_below_.clear();
  if (std::exchange(analysis_known_, analysis_.version()) != analysis_.version()) plans_.clear();
  running_.clear();
  unfinished_.clear();
  machine_->opened.Clear();
  Evaluation& found = machine_->evaluation;
  found.calls.clear();
  found.circle.reset();
  found.undefined.clear();
  found.declined.reset();
  found.refused.reset();
  found.failed.reset();
}

void Solver::Begin(Given given) {
  suspended_ = false;
  Forget();
  machine_->evaluation.violations.clear();
  machine_->given = std::move(given);
  machine_->truncated = false;
}

void Solver::Decide(const DecidedCall* call) {
  Forget();
  machine_->given.decided = call;
}

Evaluation Solver::Take() { return std::exchange(machine_->evaluation, {}); }

std::vector<OpenCall> Solver::TakeCalls() { return std::exchange(machine_->evaluation.calls, {}); }

std::vector<Violation> Solver::TakeViolations() {
  return std::exchange(machine_->evaluation.violations, {});
}

void Solver::Collect(const Waiting& waits) {
  std::vector<OpenCall>& calls = machine_->evaluation.calls;
  for (OpenCall& call : CallsOf(waits)) calls.push_back(std::move(call));
}

// Tables may wait for each other.
std::vector<OpenCall> Solver::CallsOf(const Waiting& waits) const {
  std::vector<OpenCall> out;
  std::set<std::pair<const Table*, std::uint8_t>> seen;
  std::vector<bool> taken(machine_->opened.size());
  const auto take = [&](const Waiting::On& on, std::uint8_t of) {
    if ((on.has & of) == 0 || taken[on.call]) return;
    taken[on.call] = true;
    out.push_back(machine_->opened[on.call]);
  };
  struct At {
    const Waiting* waits;
    std::size_t next;
    std::uint8_t of;
  };
  std::vector<At> path = {{&waits, 0, Waiting::kAll}};
  while (!path.empty()) {
    At& at = path.back();
    if (at.next == at.waits->all().size()) {
      path.pop_back();
      continue;
    }
    const Waiting::On& on = at.waits->all()[at.next++];
    const std::uint8_t of = at.of & on.of;
    if (on.table == nullptr) {
      take(on, of);
      continue;
    }
    const Waiting& its = on.table->more().waits;
    if (its.all().size() == 1 && its.all().front().table == nullptr)
      take(its.all().front(), of & its.all().front().of);
    else if (of != 0 && seen.emplace(on.table, of).second) path.push_back({&its, 0, of});
  }
  return out;
}

void Solver::CountRun(const Plan& plan, const std::vector<bool>& bound, int part) {
  if (machine_->profile() != nullptr) machine_->profile()->Take(plan, bound, part);
}

const Plan& Solver::RulePlan(const Definition& def, const std::vector<bool>& bound,
                             const Extent& extent) {
  constexpr int kInputFree = 3, kLoose = 3;  // 1 and 2 are those of FindFirst
  if (extent.input_free)
    return PlanOf(&def, program_.Has(def), kInputFree, bound,
                  [&](Planner planner) { return analysis_.InputFreePlan(def, bound, planner); });
  if (extent.loose != 0)
    return PlanOf(&def, program_.Has(def), kLoose + static_cast<int>(extent.loose), bound,
                  [&](Planner planner) {
                    Analysis::Loose rule = analysis_.LooseIn(def, ~extent.loose);
                    planner.BeginLoosely(std::move(rule.calls));
                    return planner.Make(rule.clauses, bound, HeadSlots(def), def.slots, def.avar);
                  });
  return PlanOf(&def, program_.Has(def), 0, bound, [&](Planner planner) {
    return planner.Make(WithTexts(def, bound, ClausesOf(def)), bound, HeadSlots(def), def.slots,
                        def.avar);
  });
}

// --- deriving --------------------------------------------------------------------------

const Definition* Solver::Derive(std::span<const Derivation> work,
                                 const std::vector<Marks>& marks) {
  machine_->marks = &marks;
  for (std::size_t done = 1; !work.empty(); work = work.subspan(done)) {
    const Definition& def = *work.front().def;
    Frame frame(&def, def.slots);
    const Machine::Use use(*machine_, frame, Mode::kDerive);
    const std::size_t before = machine_->new_rows;
    Profile* const profile = machine_->profile();
    Profile::Evaluation evaluation(profile, def, Profile::Kind::kDerived);
    if (!def.gathered.empty()) {
      Gather(def, std::vector<bool>(def.slots.size()), [&](const Gathered& group) {
        if (!machine_->HasRoomFor(group.row)) return;
        const std::size_t added = store_.Insert(def.head, group.row, false);
        machine_->new_rows += added;
        if (added == 0) ++frame.repeated;
      });
      machine_->TakeOverflow();
      done = 1;
    } else {
      if (profile != nullptr) profile->Take(*work.front().plan, {});
      done = machine_->Derive(work);
    }
    evaluation.Gave(machine_->new_rows - before, frame.repeated);
    if (machine_->evaluation.stop != Stop::kGoesOn) return frame.def;
  }
  return nullptr;
}

const Definition* Solver::Close(const Stratum::Equivalence& equivalence,
                                const std::shared_ptr<Classes>& classes) {
  const Definition& transitive = *equivalence.transitive;
  Frame frame(&transitive, transitive.slots);
  const Machine::Use use(*machine_, frame, Mode::kDerive);
  Relation& relation = store_.at(transitive.head);
  if (Profile* const profile = machine_->profile(); profile == nullptr) {
    machine_->Close(classes, relation, nullptr);
  } else {
    struct Followed {
      std::uint64_t rows = 0, repeated = 0;
    };
    Followed by_symmetry, by_transitivity;
    Profile::Evaluation of_transitive(profile, transitive, Profile::Kind::kDerived);
    machine_->Close(classes, relation, [&](Classes::By by, bool is_new) {
      Followed& followed = by == Classes::By::kSymmetry ? by_symmetry : by_transitivity;
      ++(is_new ? followed.rows : followed.repeated);
    });
    of_transitive.Gave(by_transitivity.rows, by_transitivity.repeated);
    Profile::Evaluation(profile, *equivalence.symmetric, Profile::Kind::kDerived)
        .Gave(by_symmetry.rows, by_symmetry.repeated);
  }
  return machine_->evaluation.stop != Stop::kGoesOn ? &transitive : nullptr;
}

/// The groups of a rule with an aggregate head, while its answers come.
struct Groups {
  struct Members {
    std::vector<Value> values;
    std::set<Value> seen;
  };
  struct Group {
    Gathered out;
    std::vector<Value> slots;  // of its first answer, and those of the collections
    std::vector<Members> members;
  };

  std::vector<Group> all;
  std::map<std::vector<Value>, std::size_t> number_of;
  std::size_t emitted = 0;      // Frame::emitted at the last answer that is in them
  bool rests_on_table = false;  // some answer, which the next evaluation does not find again
};

// Groups the answers of a rule with an aggregate head by its other arguments (§8, decision 32).
// `bound`: the slots that the caller's arguments bind. While a call is waited for, no group is
// complete, so answers behind it are not collected; where the frame has a loop, the groups of its
// settled rows are left to the next evaluation.
void Solver::Gather(const Definition& def, const std::vector<bool>& bound,
                    const std::function<void(Gathered)>& add) {
  const AggregateHead head(def);
  const std::size_t gathers = head.collections.size();
  Frame& frame = machine_->frame();
  RuleLoop* const loop = frame.loop;
  Groups own;
  const auto is_entered = [&] { return loop != nullptr && frame.loop == nullptr; };
  const auto groups = [&]() -> Groups& {
    if (!is_entered()) return own;
    if (loop->groups == nullptr) loop->groups = std::make_shared<Groups>();
    return *loop->groups;
  };
  // The answer at hand: its group, the key of that, and a member for each collection.
  const auto read = [&](Groups::Group& group, std::vector<Value>& key, std::vector<Value>& found) {
    group.slots = frame.slots;
    group.slots.resize(head.first + gathers, kNil);
    const auto build = [&](const Pattern& p) {
      return Build(pool_, p, group.slots.data(), frame.names);
    };
    for (const Pattern& p : head.args) group.out.row.push_back(build(p));
    key = group.out.row;  // followed by the elements before each `&`
    for (const Pattern* collection : head.collections) {
      Groups::Members& members = group.members.emplace_back();
      for (const Pattern& p : collection->parts) members.values.push_back(build(p));
      key.insert(key.end(), members.values.begin(), members.values.end());
      std::vector<Value> member;
      for (const Pattern& p : collection->rest) member.push_back(build(p));
      for (Value v : member)
        if (v.is_none()) return false;
      found.push_back(member.size() == 1 ? member.front() : pool_.List(member));
    }
    return std::ranges::none_of(key, &Value::is_none);
  };
  const auto collect = [&] {
    // A row of a loop that has not ended may be settled, so its answers are needed.
    const bool may_settle = is_entered() && !loop->ended;
    if (!frame.waits.empty() && frame.excuse == nullptr && !may_settle) return true;
    Groups& to = groups();
    to.emitted = frame.emitted;
    Groups::Group group;
    std::vector<Value> key, found;
    if (!read(group, key, found)) return true;
    const auto [it, is_new] = to.number_of.emplace(std::move(key), to.all.size());
    if (is_new) to.all.push_back(std::move(group));
    Groups::Group& of = to.all[it->second];
    for (std::size_t g = 0; g < gathers; ++g) {
      Groups::Members& members = of.members[g];
      if (members.seen.insert(found[g]).second) members.values.push_back(found[g]);
    }
    of.out.path.insert(of.out.path.end(), frame.path.begin(), frame.path.end());
    of.out.shown.insert(of.out.shown.end(), frame.shown.begin(), frame.shown.end());
    for (const RowUsed& used : frame.path)
      to.rests_on_table = to.rests_on_table || used.from != nullptr;
    return true;
  };
  // A member that is not decided makes no difference where it is one anyway.
  struct Doubted {
    std::vector<Value> key, found;
    bool by_absence;
  };
  std::vector<Doubted> doubted;
  const auto keep = [&] {
    constexpr std::size_t kMost = 1000;
    if (frame.unknown || doubted.size() >= kMost || IsHeadUnknown(def)) return false;
    Groups::Group group;
    Doubted of{{}, {}, frame.by_absence};
    if (read(group, of.key, of.found)) doubted.push_back(std::move(of));
    return true;
  };
  const Continuation each(collect), excuse(keep);
  const Continuation* outer = std::exchange(frame.answer, &each);
  const Plan& plan = RulePlan(def, bound);
  frame.excuse = KeepsDoubts(def, plan) ? &excuse : nullptr;
  machine_->Run(plan.first);
  frame.answer = outer;
  frame.excuse = nullptr;
  Groups& found = groups();
  for (const Doubted& of : doubted) {
    const auto it = found.number_of.find(of.key);
    bool known = it != found.number_of.end();
    for (std::size_t g = 0; known && g < gathers; ++g)
      known = found.all[it->second].members[g].seen.contains(of.found[g]);
    if (known) continue;
    frame.lacking |= kMeaning;
    frame.undecided = frame.undecided || of.by_absence;
  }
  if (machine_->evaluation.stop != Stop::kGoesOn) return;
  machine_->Leave(machine_->Absent({{}, frame.lacking, frame.unfinished}));
  const bool open = frame.lacking != 0 || !frame.waits.empty();
  // Of rows that are not settled the next evaluation finds the answers again.
  const bool lasts =
      open && found.emitted <= (is_entered() ? loop->emitted : 0) && !found.rests_on_table;
  const std::shared_ptr<Groups> kept = is_entered() ? loop->groups : nullptr;
  if (is_entered() && !lasts) loop->Restart();
  if (open) return;
  for (Groups::Group& group : found.all) {
    for (std::size_t g = 0; g < gathers; ++g) {
      const std::vector<Value>& all = group.members[g].values;
      if (!machine_->HasTimeFor(all.size())) return;
      group.slots[head.first + g] =
          head.collections[g]->kind == Pattern::Kind::kSet ? pool_.Set(all) : pool_.List(all);
    }
    for (std::size_t i : def.gathered)
      group.out.row[i] = Build(pool_, head.args[i], group.slots.data(), frame.names);
    add(std::move(group.out));
  }
}

// --- rules -------------------------------------------------------------------------------

// The arguments that a call with `key` binds in the head of a rule: `key`, or a copy in `changed`
// without those that are aggregated or chosen, or may be elements of a set in the rule's answers.
std::span<const Value> Solver::GivenTo(const Definition& def, RelationId relation,
                                       std::span<const Value> key,
                                       std::vector<Value>& changed) const {
  const bool gathers = !def.gathered.empty();
  const Columns sets = analysis_.MayGiveSets(def);
  if (!gathers && !def.extremum && sets == 0) return key;
  changed.assign(key.begin(), key.end());
  if (def.extremum) changed[def.extremum->column] = kNone;
  const Columns inputs = analysis_.ModesOf(relation).AnyOf();
  for (std::size_t i = 0; i < changed.size(); ++i)
    if (std::ranges::count(def.gathered, i) > 0 || ((sets & ~inputs) >> i & 1) != 0)
      changed[i] = kNone;
  return changed;
}

// Matches the head with the bound arguments of a call; runs `then` for each way to match. Arguments
// with templates are left to the plan (TextArgument).
bool Solver::BindHead(const Definition& def, std::span<const Value> key, std::size_t at,
                      std::vector<bool>& bound, Continuation then) {
  Value* slots = machine_->frame().slots.data();
  std::vector<SlotId> here;  // bound by the arguments that are slots
  const auto bind = [&](SlotId slot) {
    slots[slot] = key[at];
    bound[static_cast<std::size_t>(slot)] = true;
    here.push_back(slot);
  };
  const auto go_on = [&] {
    for (; at < def.args.size(); ++at) {
      if (at >= key.size() || key[at].is_none()) continue;
      const Pattern& p = def.args[at];
      const auto text = std::ranges::find(def.texts, at, &TextArgument::column);
      if (text != def.texts.end()) {
        bind(text->slot);
      } else if (p.kind == Pattern::Kind::kConstant) {
        if (p.constant != key[at]) return true;
      } else if (p.kind != Pattern::Kind::kSlot) {
        break;
      } else if (bound[static_cast<std::size_t>(p.slot)]) {
        if (slots[p.slot] != key[at]) return true;
      } else {
        bind(p.slot);
      }
    }
    if (at == def.args.size()) return then();
    std::vector<bool> after = bound;
    const Pattern p = WithBinds(def.args[at], after);
    return Unify(pool_, p, key[at], slots, [&] {
      std::vector<bool> inner = after;
      std::swap(bound, inner);
      const bool more = BindHead(def, key, at + 1, bound, then);
      std::swap(bound, inner);
      return more;
    });
  };
  const bool more = go_on();
  for (const SlotId slot : here) bound[static_cast<std::size_t>(slot)] = false;
  return more;
}

// --- what long tables leave ----------------------------------------------------------------

// Rows that did not come from the store might come in another order the next time.
void Solver::Leave(Table& table) {
  constexpr std::size_t kMost = 4'096;
  Left left{std::move(table.rows), std::move(table.record->lasting)};
  Lasting& lasting = *left.lasting;
  if (!table.complete || !lasting.scanned || lasting.from_store != left.rows.size()) {
    left.rows = {};
    lasting = {};
    lasting.rows = ++machine_->last_rows;
  }
  if (left_.size() < kMost)
    left_.insert_or_assign({table.relation, std::move(table.key)}, std::move(left));
}

// Begins a new table with what the one before left.
void Solver::TakeUp(Table& table) {
  if (table.extent != Extent{}) return;
  const auto at = left_.find({table.relation, table.key});
  if (at == left_.end()) return;
  const Relation& rel = store_.at(table.relation);
  Lasting& lasting = *at->second.lasting;
  if (lasting.scanned && lasting.epoch == rel.epoch()) {
    table.rows = std::move(at->second.rows);
  } else {
    lasting = {};
    lasting.rows = ++machine_->last_rows;
  }
  table.recorded().lasting = std::move(at->second.lasting);
  left_.erase(at);
}

// The loop with which a plan of the rule begins, to be resumed; null if it begins with none.
RuleLoop* Solver::LoopOf(Table& table, const Definition& def, const Plan& plan) {
  if (table.lasting() == nullptr || def.choice || def.extremum || store_.IsWhole(table.relation))
    return nullptr;
  return LoopOf(table.lasting()->loops, &def, plan);
}

RuleLoop* Solver::LoopOf(std::deque<RuleLoop>& loops, const void* owner, const Plan& plan) {
  if (machine_->truncated || machine_->reads == nullptr) return nullptr;
  const Step* step = plan.first;
  for (;; step = step->next) {
    const bool once =
        step->kind == Step::Kind::kCompare || step->kind == Step::Kind::kTruth ||
        (step->kind == Step::Kind::kBind && step->pattern.kind == Pattern::Kind::kSlot);
    if (!once) break;
  }
  if (step->kind != Step::Kind::kAtom || step->all_bound || step->asked >= 0 || step->loose != 0 ||
      (step->access != Access::kTable && step->access != Access::kRows))
    return nullptr;
  auto at = std::ranges::find(loops, owner, &RuleLoop::owner);
  if (at == loops.end()) {
    at = loops.insert(at, RuleLoop());
    at->owner = owner;
    at->step = step;
  }
  return at->step == step ? &*at : nullptr;
}

// The key with which a table evaluates a rule: its own, or a copy in `inputs`.
//
// A rule that chooses does so among all answers for given inputs (decision 68), and its constraint
// speaks of all of them (decision 41), so neither may depend on what else the caller knows by then.
// Such a rule is evaluated with nothing but its inputs. With a constraint alone that is done once;
// other tables for the same inputs then know that it has been checked. A rule that asks or calls
// does so for what the caller wants only.
std::span<const Value> Solver::KeyOfInputs(const Table& table, const Definition& def,
                                           std::vector<Value>& inputs) {
  if (!def.choice || !program_.Has(def)) return table.key;
  const Columns needed = analysis_.InputsOf(def);
  Columns known = 0;
  inputs.assign(table.key.size(), kNone);
  for (std::size_t i = 0; i < table.key.size(); ++i) {
    if ((needed >> i & 1) == 0 || table.key[i].is_none()) continue;
    inputs[i] = table.key[i];
    known |= Columns{1} << i;
  }
  if (analysis_.Acts(def, known)) return table.key;
  if (Chooses(def)) return inputs;
  // The table that was first is evaluated again until it is complete.
  const auto [at, is_new] = checked_by_.try_emplace({&def, inputs}, &table);
  if (!is_new && at->second != &table) return table.key;
  return inputs;
}

// Where a rule is called with a set, its answers have the instances of that set in their other
// arguments (§7): same(#{1 2}, ?y) gives 1 and 2. So same(#{1 2}, 1), which knows more than the
// rule needs, is answered by what it needs alone. These keys are in addition to the table's own.
std::vector<std::vector<Value>> Solver::KeysBeforeSets(const Table& table, const Definition& def) {
  std::vector<std::vector<Value>> out;
  const std::span<const Columns> modes = analysis_.ModesOf(store_.BaseOf(table.relation)).modes();
  const bool has_set =
      std::ranges::any_of(table.key, [](Value v) { return v.kind() == Kind::kSet; });
  if (!has_set || modes.size() < 2 || store_.at(table.relation).space() == Space::kGoal) return out;
  for (const Columns mode : modes) {
    std::vector<Value> less = table.key;
    bool meets = true;
    for (std::size_t i = 0; i < less.size(); ++i)
      if ((mode >> i & 1) == 0) less[i] = kNone;
      else meets = meets && !less[i].is_none();
    if (meets && less != table.key && !analysis_.Acts(def, mode)) out.push_back(std::move(less));
  }
  return out;
}

// Whether rows that are not decided are kept one by one. Where a rule acts, the first of them ends
// its alternatives (decision 85).
bool Solver::KeepsDoubts(const Definition& def, const Plan& plan) const {
  return machine_->mode() == Mode::kSolve && machine_->again != &def && !plan.acts && !def.choice &&
         (!program_.Has(def) || !analysis_.Acts(def)) && def.head != kNoId &&
         !IsOfLibrary(store_.at(def.head).name());
}

// Whether the row of the head rests on what a clause without a meaning would bind.
bool Solver::IsHeadUnknown(const Definition& def) const {
  const std::vector<Value>& slots = machine_->frame().slots;
  const std::vector<bool> of_head = HeadSlots(def);
  for (std::size_t i = 0; i < slots.size(); ++i)
    if (of_head[i] && slots[i] == kUnknown) return true;
  return false;
}

// Keeps the row of the current frame as one that may be an answer: another rule or alternative may
// give it for certain, and for others it is no answer in any case. False if the row is not known.
bool Solver::KeepDoubt(Table& table, const Definition& def) {
  constexpr std::size_t kMost = 1000;
  Frame& frame = machine_->frame();
  if (frame.unknown || store_.IsWhole(table.relation) || IsHeadUnknown(def)) return false;
  const std::vector<Value> row = machine_->HeadRow(def);
  if (row.size() != def.args.size() ||
      std::ranges::find(row, Kind::kSet, &Value::kind) != row.end())
    return false;
  if (!machine_->Means(table, row)) return true;
  Table::Details& more = table.more();
  if (more.doubt.empty()) more.doubt = frame.doubt;
  const std::uint32_t known = more.doubted.Find(row);
  if (known != kNoId) {
    more.withheld[known] = more.withheld[known] || frame.by_absence;
    return true;
  }
  if (more.doubted.size() >= kMost) return false;
  more.doubted.Add(row);
  more.withheld.push_back(frame.by_absence);
  return true;
}

// Whether one row says all that the rule has to say: the call knows its arguments, nothing acts by
// reading on, and no constraint looks at the answers.
bool Solver::IsYesOrNo(const Table& table, const Definition& def) const {
  const Relation& rel = store_.at(table.relation);
  return rel.space() == Space::kRelation && !table.acts && !table.recursive && !def.force &&
         !IsChecked(def) && table.extent == Extent{} && !store_.IsWhole(table.relation) &&
         std::ranges::none_of(table.key, &Value::is_none);
}

void Solver::EvaluateRule(Table& table, const Definition& def, BestAnswers* best) {
  const auto offer = [&] { return OfferAnswer(*best); };
  const Continuation to_best(offer);
  Frame frame(&def, def.slots);
  frame.table = &table;
  table.forced = table.forced || def.force;
  if (best != nullptr) frame.answer = &to_best;
  const auto keep = [&] { return KeepDoubt(table, def); };
  const Continuation keeps_doubt(keep);
  frame.explains = table.explains;
  const Machine::Use use(*machine_, frame, Mode::kSolve);
  Profile::Evaluation evaluation(machine_->profile(), def, KindOf(store_.at(table.relation)));
  const std::size_t before = table.rows.size();
  std::vector<bool> bound(def.slots.size());
  std::vector<Value> inputs, changed;
  const std::span<const Value> key = KeyOfInputs(table, def, inputs);
  const std::span<const Value> given = GivenTo(def, table.relation, key, changed);
  std::size_t runs = 0;
  if (!def.gathered.empty()) {
    const auto gather = [&] {
      if (table.extent.input_free && HasStuck(RulePlan(def, bound))) return true;
      frame.loop = ++runs == 1 ? LoopOf(table, def, RulePlan(def, bound)) : nullptr;
      Gather(def, bound, [&](Gathered group) {
        frame.path = std::move(group.path);
        frame.shown = std::move(group.shown);
        machine_->TakeAnswer(std::move(group.row));
        frame.path.clear();
        frame.shown.clear();
      });
      return machine_->evaluation.stop == Stop::kGoesOn;
    };
    BindHead(def, given, 0, bound, gather);
  } else {
    const auto run = [&] {
      const Plan& plan = RulePlan(def, bound, table.extent);
      frame.excuse = best == nullptr && KeepsDoubts(def, plan) ? &keeps_doubt : nullptr;
      frame.loop = ++runs == 1 ? LoopOf(table, def, plan) : nullptr;
      frame.one_is_all = best == nullptr && frame.loop == nullptr && IsYesOrNo(table, def);
      return machine_->Run(plan.first);
    };
    BindHead(def, given, 0, bound, run);
    for (const std::vector<Value>& less : KeysBeforeSets(table, def)) {
      if (machine_->evaluation.stop != Stop::kGoesOn) break;
      BindHead(def, less, 0, bound, run);
    }
  }
  if (runs > 1 && table.lasting() != nullptr)
    std::erase_if(table.lasting()->loops, [&](const RuleLoop& loop) { return loop.owner == &def; });
  evaluation.Gave(table.rows.size() - before, frame.repeated);
  table.Wait(frame.waits);
  table.lacking |= frame.lacking;
  table.undecided |= frame.undecided;
  if ((frame.lacking & kMeaning) != 0 && table.more().doubt.empty()) {
    table.more().doubt = frame.doubt;
    if (IsOfLibrary(store_.at(table.relation).name())) EndInLibrary(table, frame.why);
  }
  if (frame.emitted > 0 || !frame.waits.empty()) return;
  if (table.explains && table.more().reason.empty()) table.more().reason = ReasonOf(frame);
  if (table.ineligible == kNoId) table.ineligible = frame.ineligible;
}

// A rule of the library was undefined: what is told is the call of the relation (std/std.md), as if
// it were built in.
void Solver::EndInLibrary(Table& table, const std::string& inner) {
  const Relation& rel = store_.at(store_.BaseOf(table.relation));
  std::string why = WhyLibraryUndefined(pool_, rel.name(), table.key, inner);
  if (why.empty()) return;
  OpenCall call;
  call.relation = table.relation;
  call.args = table.key;
  table.more().doubt = "`" + machine_->CallText(call, kToldBytes) + "` is undefined: " + why;
  table.more().undefined = std::move(why);
}

// The rows of a built-in relation have instances, as those of rules have (§7).
void Solver::EvaluateBuiltin(Table& table, const Builtin& builtin) {
  Columns known = 0;
  for (std::size_t i = 0; i < table.key.size(); ++i)
    if (!table.key[i].is_none()) known |= Columns{1} << i;
  const RelationId base = store_.BaseOf(table.relation);
  if (const ModeSet& modes = analysis_.ModesOf(base); !modes.Meets(known)) {
    const std::vector<std::string>& names = *program_.ParametersOf(base);
    table.lacking |= kMeaning;
    table.more().doubt = table.more().reason =
        store_.at(base).name() + " needs " +
        modes.Text([&](std::size_t i) { return "?" + names[i]; });
    return;
  }
  const Pool::Watched watched(pool_, machine_->within_limits);
  const bool whole = store_.IsWhole(table.relation);
  const auto add = [&](std::span<const Value> row) {
    if (machine_->Means(table, row)) table.rows.Add(row);
  };
  BuiltinCall call{pool_, builtin.label, machine_->given.decided, machine_->given.host, table.key,
                   {}};
  call.give = [&](std::span<const Value> row) {
    if (std::ranges::any_of(row, &Value::is_none)) return;
    const bool has_set = std::ranges::any_of(row, [](Value v) { return v.kind() == Kind::kSet; });
    if (!has_set || whole) return add(row);
    std::vector<Value> scratch(row.begin(), row.end());
    ForEachInstance(pool_, scratch, 0, table.key, add);
  };
  builtin.answer(call);
  const bool of_host = DescribesHost(builtin.label, builtin.arity);
  if (call.decided != nullptr || of_host) machine_->Disturb();  // it describes one call
  machine_->TakeOverflow();
  if (call.unknown) {
    table.lacking |= kReply;
    table.more().reason =
        of_host ? call.host == nullptr ? "no host of an agent reports its calls here"
                                       : "what a call of the host does is not known"
        : machine_->given.decided == nullptr ? "only a guard that decides about a call knows it"
                                             : "it is not known of this call";
  }
  if (!call.none.empty()) table.more().reason = NoMatchText(table) + ": " + call.none;
  if (call.why.empty()) return;
  table.more().reason = "it is undefined: " + call.why;
  if (!call.unknown) table.more().undefined = std::move(call.why);
}

// --- tabled relations --------------------------------------------------------------------

// Calls `fn` for the stored rows from `from` on that agree with a key: facts, replies, and rows
// derived bottom-up; of a companion, for all rows.
void Solver::ForEachStored(RelationId relation, const std::vector<Value>& key, RowId from,
                           const std::function<void(RowId)>& fn) {
  Relation& rel = store_.at(relation);
  if (rel.size() <= from && machine_->reads == nullptr && machine_->profile() == nullptr) return;
  Columns probe = 0;
  std::vector<Value> values;
  for (std::size_t i = 0; i < key.size() && !store_.IsWhole(relation); ++i)
    if (!key[i].is_none()) {
      probe |= Columns{1} << i;
      values.push_back(key[i]);
    }
  if (machine_->reads != nullptr) machine_->reads->Probe(relation, probe, values);
  if (probe == 0) {
    for (RowId row = from; row < rel.size(); ++row) fn(row);
  } else if (values.size() == key.size()) {
    if (const RowId row = rel.Find(values); row != kNoId) fn(row);
  } else {
    if (machine_->profile() != nullptr) machine_->profile()->CountProbes(relation, probe);
    std::vector<RowId> own;
    const auto rows = rel.RowsWith(probe, values, rel.size(), &machine_->within_limits, own);
    for (auto row = std::ranges::lower_bound(rows, from); row != rows.end(); ++row) fn(*row);
  }
}

void Solver::EvaluateTable(Table& table) {
  table.ClearWaits();
  table.lacking = 0;
  table.undecided = false;
  if (table.details != nullptr) {
    table.details->shown.clear();
    table.details->used.clear();
    table.details->reason.clear();
    table.details->undefined.clear();
  }
  Relation& rel = store_.at(table.relation);
  if (rel.space() == Space::kGoal) {
    EvaluateGoal(table);
    return table.SettleDoubts();
  }
  const RelationId base = store_.BaseOf(table.relation);  // a companion has the rules of its base
  if (analysis_.IsBroken(base)) {
    if (!analysis_.ExtremumOf(base)) machine_->evaluation.circle = {table.relation, rel.name()};
    table.lacking |= kReply;
    table.more().reason = rel.name() + " " + analysis_.WhyBroken(base);
    return;
  }
  if (const std::optional<Extremum>& extremum = analysis_.ExtremumOf(base)) {
    EvaluateBest(table, *extremum);
    return Close(table);
  }
  Lasting* const lasting = table.lasting();
  const RowId from = lasting != nullptr && lasting->scanned ? lasting->scanned_to : 0;
  const bool store_only = lasting != nullptr && table.rows.size() == lasting->from_store;
  // Rows of groups that rules derived are not added to what they give for a key: a gathering head
  // may have gathered less.
  const bool keyed = analysis_.BindsKey(base, table.key);
  std::vector<Value> cells, less;
  const Columns given = table.extent.loose != 0 ? table.extent.loose : ~Columns{0};
  if (table.extent.loose != 0) less = table.key;
  for (std::size_t i = 0; i < less.size(); ++i)
    if ((given >> i & 1) == 0) less[i] = kNone;
  const auto take = [&](RowId row) {
    if (keyed && !rel.asserted(row)) return;
    RowView(rel.CellsOf(row)).CopyTo(cells);
    for (std::size_t i = 0; i < cells.size(); ++i)
      if ((given >> i & 1) == 0) cells[i] = kNil;
    if (base == table.relation || machine_->Means(table, cells)) table.rows.Add(cells);
  };
  ForEachStored(table.relation, table.extent.loose != 0 ? less : table.key, from, std::ref(take));
  if (lasting != nullptr) {
    lasting->scanned = true;
    lasting->scanned_to = rel.size();
    lasting->epoch = rel.epoch();
    if (store_only) lasting->from_store = table.rows.size();
  }
  if (program_.FindCollected(table.relation) != nullptr) {
    if (table.rows.empty()) machine_->Disturb();
    EvaluateCollected(table);
  }
  if (const Builtin* builtin = program_.FindBuiltin(base)) EvaluateBuiltin(table, *builtin);
  const bool ground = std::ranges::none_of(table.key, &Value::is_none);
  for (int number : analysis_.RulesOf(base)) {
    // The rules are alternatives, and one holds; the constraints of the others are checked. A
    // recursive table is counted until its group is complete.
    const Definition& def = program_.definitions()[static_cast<std::size_t>(number)];
    if (table.extent.before && analysis_.GuardsItself(def)) continue;
    if (ground && !table.rows.empty() && !table.recursive && table.lowest == nullptr) {
      if (!analysis_.HasChecked(base)) break;
      if (!IsChecked(def)) continue;
    }
    EvaluateRule(table, def);
    if (machine_->evaluation.stop != Stop::kGoesOn) return;
  }
  if (const std::string& why = WhyUnfed(base); !why.empty()) {
    table.lacking |= kMeaning;
    if (table.more().doubt.empty()) table.more().doubt = why;
  }
  Close(table);
}

const std::string& Solver::WhyUnfed(RelationId relation) const {
  static const std::string kFed;
  const std::map<RelationId, std::string>& unfed = machine_->unfed;
  auto at = unfed.find(relation);
  if (at == unfed.end()) at = unfed.find(kNoId);
  const Relation& rel = store_.at(relation);
  return at == unfed.end() || rel.space() != Space::kRelation || IsOfLibrary(rel.name())
             ? kFed
             : at->second;
}

// One row is all that a call without free arguments can have; no row has a reason.
void Solver::Close(Table& table) {
  table.SettleDoubts();
  const bool ground = std::ranges::none_of(table.key, &Value::is_none);
  if (ground && !table.rows.empty()) {
    table.ClearWaits();
    table.lacking = 0;
    table.undecided = false;
    table.vague = false;
  }
  if (!table.explains || !table.rows.empty()) return;
  const RelationId base = store_.BaseOf(table.relation);
  if (IsOfLibrary(store_.at(base).name()) && program_.FindBuiltin(base) == nullptr)
    table.more().reason = WhyNothingInLibrary(table);
  else if (table.more().reason.empty()) table.more().reason = NoMatchText(table);
}

void Solver::Complete(Table& table) {
  if (table.complete) return;
  Table* caller = running_.empty() ? nullptr : running_.back();
  const auto depend = [&](Table* on) {
    if (caller == nullptr) return;
    if (caller->lowest == nullptr || on->position < caller->lowest->position) caller->lowest = on;
  };
  if (table.running || table.visited) {
    // A table that a visited one read may be visited itself by now; then its lowest counts.
    if (!table.running)
      while (!table.lowest->running) table.lowest = table.lowest->lowest;
    depend(table.running ? &table : table.lowest);
    const Relation& rel = store_.at(table.relation);
    if (table.running && rel.space() == Space::kGoal && !analysis_.IsFounded(table.relation)) {
      std::string text;
      for (std::size_t i = table.position; i < running_.size(); ++i)
        text += store_.at(running_[i]->relation).name() + " → ";
      machine_->evaluation.circle = {table.relation, text + rel.name()};
    }
    return;
  }
  // Reads are of use where a loop may be resumed, and in what such a loop reads.
  const bool records = (resuming_ && table.lasting() != nullptr) ||
                       (machine_->reads != nullptr && machine_->reads->known);
  const Machine::Recording recording(*machine_, table, records);
  const std::size_t position = running_.size();
  const std::size_t group = unfinished_.size();
  running_.push_back(&table);
  table.running = true;
  table.position = static_cast<std::uint32_t>(position);
  const auto members = [&] { return std::span<Table* const>(unfinished_).subspan(group); };
  int open = 0;  // how much was open after the last evaluation with the same rows
  for (std::size_t before = SIZE_MAX;;) {
    table.lowest = nullptr;
    table.least_read = SIZE_MAX;
    EvaluateTable(table);
    table.recursive = table.recursive || table.lowest != nullptr;
    if (machine_->evaluation.stop != Stop::kGoesOn) break;
    if (table.lowest != nullptr && table.lowest->position < position) {  // `lowest` is the leader
      table.visited = true;
      unfinished_.push_back(&table);
      depend(table.lowest);
      break;
    }
    std::size_t rows = table.AllRows();
    for (const Table* member : members()) rows += member->AllRows();
    const auto is_settled = [](const Table* t) {
      return t->least_read >= t->rows.size() && !t->pending && t->lacking == 0 && !t->undecided;
    };
    bool ends = table.lowest == nullptr ||
                (is_settled(&table) && std::ranges::all_of(members(), is_settled));
    if (!ends && rows == before) {
      int still_open = table.KeepOpen();
      for (Table* member : members()) still_open += member->KeepOpen();
      ends = std::exchange(open, still_open) == still_open;
    }
    for (Table* member : members()) (ends ? member->complete : member->visited) = ends;
    if (ends) {
      SettleBest(table);
      for (Table* member : members()) SettleBest(*member);
    }
    unfinished_.resize(group);
    table.complete = ends;
    if (ends) break;
    before = rows;
  }
  table.running = false;
  running_.pop_back();
}

void Solver::ForEachRow(RelationId relation, const std::vector<Value>& key,
                        const std::function<void(std::span<const Value> row)>& fn) {
  if (analysis_.AccessWith(relation, key) == Access::kTable) {
    const Table& table = Demand(relation, key);
    for (std::size_t row = 0; row < table.rows.size(); ++row) fn(table.rows[row]);
    return;
  }
  const Relation& stored = store_.at(relation);
  std::vector<Value> cells;
  for (RowId row = 0; row < stored.size(); ++row) {
    RowView(stored.CellsOf(row)).CopyTo(cells);
    if (std::ranges::equal(key, cells, [](Value k, Value v) { return k.is_none() || k == v; }))
      fn(cells);
  }
}

Table& Solver::Demand(RelationId relation, std::vector<Value> key, Extent extent) {
  const auto next = static_cast<std::uint32_t>(tables_.size());
  const std::uint32_t id =
      table_of_.FindOrInsert(MixHash(RowSet::HashOf(key), relation), next, [&](std::uint32_t i) {
        const Table& table = tables_[i];
        return table.relation == relation && table.key == key && table.extent == extent;
      });
  if (id == next) {
    Table& table = tables_.emplace_back();
    table.relation = relation;
    table.key = std::move(key);
    table.extent = extent;
    if (!left_.empty()) TakeUp(table);
    table.acts = analysis_.Acts(store_.BaseOf(relation));
    table.explains = store_.at(relation).space() == Space::kGoal;
  }
  Complete(tables_[id]);
  return tables_[id];
}

}  // namespace rpl
