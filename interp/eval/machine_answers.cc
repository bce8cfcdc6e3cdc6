// SPDX-License-Identifier: Apache-2.0
//
// Ends of plans: rows that a rule derives, and answers for the table of a call.
#include <algorithm>

#include "interp/eval/machine.h"
#include "interp/eval/profile.h"

namespace rpl {
namespace {

constexpr std::size_t kManyAgain = 4;  // rows found for each new one
constexpr std::size_t kStages = 16;    // of the first run of a plan
constexpr double kLeastWork = 1'000;   // of a stage; less is not worth trying other plans

}  // namespace

bool Machine::Emit() {
  if (frame_->doubtful) return (frame_->excuse != nullptr && (*frame_->excuse)()) || TakeDoubt();
  if (frame_->unknown) return ++frame_->unknown_ends, true;
  ++frame_->answers;
  ++frame_->emitted;
  if (frame_->answer != nullptr) return (*frame_->answer)();
  return mode_ == Mode::kDerive ? EmitRow() : EmitAnswer();
}

std::vector<Value> Machine::HeadRow(const Definition& def) {
  std::vector<Value> row;
  for (const Pattern& p : def.args) {
    row.push_back(Made(Build(pool_, p, slots_, frame_->names)));
    if (row.back().is_none()) return {};
  }
  return row;
}

// Asks the limits before all instances of a row are made at once.
bool Machine::HasRoomFor(std::span<const Value> row) {
  constexpr std::size_t kPerRow = 24;
  return HasRoom(InstanceCount(pool_, row) * (row.size() * sizeof(Value) + kPerRow));
}

// The same before many values are put in the order of a set, which takes as long as filling memory.
bool Machine::HasTimeFor(std::size_t values) {
  constexpr std::size_t kBytesEach = 200;
  return HasRoom(values * kBytesEach);
}

bool Machine::EmitRow() {
  const Definition& def = *frame_->def;
  Value cells[kMaxArity];
  RelationId head = def.head;
  std::size_t arity = def.args.size();
  bool plain = true;  // no set to distribute
  if (def.head_expansion >= 0) {
    const Value form = slots_[def.head_expansion];
    if (form.kind() != Kind::kTerm || pool_.NamespaceOf(form) != Namespace::kRelation) {
      bad_heads.emplace_back(&def,
                             Text(pool_, form, kToldBytes));  // other cases go on (decision 36)
      return true;
    }
    const std::span<const Value> args = pool_.ItemsOf(form);
    arity = args.size();
    head = store_.Declare(Space::kRelation, pool_.TextOf(form), static_cast<std::uint32_t>(arity));
    std::copy(args.begin(), args.end(), cells);
    plain = false;
  } else {
    for (std::size_t i = 0; i < arity; ++i) {
      const Pattern& p = def.args[i];
      cells[i] = p.kind == Pattern::Kind::kSlot ? slots_[p.slot]
                                                : Made(Build(pool_, p, slots_, frame_->names));
      if (cells[i].is_none()) return evaluation.stop == Stop::kGoesOn;
      plain &= cells[i].kind() != Kind::kSet;
    }
  }
  const std::span<const Value> row(cells, arity);
  if (BestRows* const best = BestOf(head)) return EmitBetter(*best, head, row);
  if (plain && store_.WholeIfAny(head) == kNoId) return Stage(store_.at(head), row);
  if (!plain && !HasRoomFor(row)) return false;
  Flush();  // a companion that is made now has the rows before
  const std::size_t added = store_.Insert(head, row, false);
  if (added == 0) ++frame_->repeated;
  return CountNew(added);
}

BestRows& Machine::KeepBest(RelationId relation, Extremum extremum) {
  if (best_rows_.size() <= relation) best_rows_.resize(relation + 1);
  std::unique_ptr<BestRows>& best = best_rows_[relation];
  if (best == nullptr) best = std::make_unique<BestRows>(store_.at(relation), extremum, pool_);
  return *best;
}

// A row without sets, of which instances and companions would have to agree about what is best.
bool Machine::MayBeBest(const Extremum& extremum, std::span<const Value> row) {
  return BestRows::HasOrder(row[extremum.column]) &&
         std::ranges::find(row, Kind::kSet, &Value::kind) == row.end();
}

std::string Machine::NotBestText(const Extremum& extremum, std::span<const Value> row) const {
  const Value value = row[extremum.column];
  const bool ordered = BestRows::HasOrder(value);
  const std::string why =
      std::string("it chooses among ") + (ordered ? "rows without sets" : "numbers or texts") +
      ", got `" +
      Text(pool_, ordered ? *std::ranges::find(row, Kind::kSet, &Value::kind) : value, kToldBytes) +
      "`";
  return UndefinedText(ExtremumName(extremum), "", frame_->def->span, why);
}

// Adds a row to a relation with an extremum unless another one of its group is as good.
bool Machine::EmitBetter(BestRows& best, RelationId head, std::span<const Value> row) {
  if (!MayBeBest(best.extremum(), row)) {
    if (!undefined.contains(frame_->def))
      undefined.emplace(frame_->def, NotBestText(best.extremum(), row));
    return Polled();
  }
  if (!best.IsBetter(row)) {
    ++frame_->repeated;
    return Polled();
  }
  const std::size_t added = store_.Insert(head, row, false);
  best.Sync();
  return CountNew(added);
}

// Counts new rows against the limit.
bool Machine::CountNew(std::size_t added) {
  new_rows += added;
  if (added > 0 && new_rows > limits_.max_rows) StopAt(Stop::kRows);
  return Polled();
}

bool Machine::Stage(Relation& head, std::span<const Value> row) {
  if (staged_head_ != &head) StageFor(head);
  const std::uint64_t hash = RowSet::HashOf(row);
  head.rows().Prefetch(hash);
  std::copy(row.begin(), row.end(), staged_.Add(0, hash));
  if (staged_.size == kStaged) Flush();
  return Polled();
}

// New rows up to the limit, plus the one that exceeds it.
std::size_t Machine::MostNew() const {
  return limits_.max_rows + 1 - std::min(new_rows, limits_.max_rows);
}

// Polls the limits before a large allocation; false when one stopped the run.
bool Machine::HasRoom(std::size_t bytes) {
  if (bytes >= kMuch) Watch(bytes);
  return evaluation.stop == Stop::kGoesOn;
}

void Machine::StageFor(Relation& head) {
  Flush();
  HasRoomToStore(head);
  staged_head_ = &head;
  staged_.Clear(head.arity());
}

void Machine::Flush() {
  if (staged_.size == 0) return;
  RowSet& rows = staged_head_->rows();
  std::size_t added = 0;
  if (HasRoom(rows.GrowthFor(staged_.size))) {  // otherwise derived again after the stop
    rows.Reserve(staged_.size, workers_ == nullptr ? nullptr : &workers_->workers());
    added = rows.InsertEach(staged_.parts.front(), MostNew());
    rows.TellFound(staged_.size, added);
  }
  frame_->repeated += staged_.size - added;
  staged_.Clear(rows.arity());
  if (added > 0) CountNew(added);
}

std::size_t Machine::Derive(std::span<const Derivation> work) {
  const Plan& plan = *work.front().plan;
  if (IsWatched(work.front())) {
    DeriveWatched(work.front());
    return 1;
  }
  JoinCounts counts;
  const std::size_t shared = Shared(work);
  if (shared > 0) {
    DeriveShared(work.first(shared), {}, counts);
  } else if (IsJoin(plan)) {
    DeriveAlone(plan, {}, counts);
  } else {
    Run(plan.first);
    Flush();
    TakeOverflow();
    return 1;
  }
  Count(plan, counts);
  return std::max<std::size_t>(shared, 1);
}

void Machine::Close(const std::shared_ptr<Classes>& classes, Relation& relation,
                    const std::function<void(Classes::By by, bool is_new)>& followed) {
  if (!HasRoomToStore(relation)) return;
  if (!classes->Take(relation.rows(), relation.epoch(), within_limits))
    return classes->Settle(false, 0);
  const std::uint64_t follow = classes->pairs() - relation.size();
  const std::uint64_t most = std::min<std::uint64_t>(MostNew(), kNoId - relation.size()) - 1;
  if (followed == nullptr && follow >= limits_.min_as_classes && follow <= most) {
    classes->Number(relation.rows());
    relation.KeepAsClasses(classes);
    CountNew(follow);
  } else {
    classes->ForEachFollowing([&](Value a, Value b, Classes::By by) {
      const Value row[] = {a, b};
      if (followed != nullptr) followed(by, relation.Find(row) == kNoId);
      return Stage(relation, row);
    });
    Flush();
  }
  classes->Settle(evaluation.stop == Stop::kGoesOn, relation.size());
}

// Asks the limits before the rows of a relation that are kept as classes are stored.
bool Machine::HasRoomToStore(const Relation& relation) {
  constexpr std::size_t kPerRow = 16;
  return HasRoom((relation.size() - relation.stored().size()) * kPerRow);
}

// Whether its cost was estimated, and does not depend on the number of threads, each of which has
// its own JoinStep::distinct.
bool Machine::IsWatched(const Derivation& derivation) const {
  if (derivation.instead == nullptr || !IsJoin(*derivation.plan)) return false;
  const Join& join = *derivation.plan->join;
  return JoinRun::Outer(join, *marks) >= std::max<std::size_t>(limits_.min_watched, 1) &&
         std::ranges::all_of(join.steps,
                             [](const JoinStep& step) { return step.distinct.empty(); });
}

// Runs a plan in stages of its outer rows. If those so far have taken far more than expected,
// another plan runs in its place, unless none is cheaper. What was found stays.
void Machine::DeriveWatched(Derivation derivation) {
  const Plan& plan = *derivation.plan;
  const bool shared = Shared({&derivation, 1}) > 0;
  const std::size_t outer = JoinRun::Outer(*plan.join, *marks);
  JoinCounts counts;
  std::uint64_t work = 0;
  std::optional<Derivation> other;
  for (std::size_t stage = 1; stage <= kStages && !other; ++stage) {
    const OuterRows rows = {(stage - 1) * outer / kStages, stage * outer / kStages};
    work += shared ? DeriveShared({&derivation, 1}, rows, counts) : DeriveAlone(plan, rows, counts);
    if (evaluation.stop != Stop::kGoesOn) break;
    const double share = static_cast<double>(stage) / kStages;
    const double most = limits_.far_more * std::max(derivation.expected * share, kLeastWork);
    if (stage == kStages || derivation.instead == nullptr || static_cast<double>(work) < most)
      continue;
    other = derivation.instead(static_cast<double>(work) / share);
    derivation.instead = nullptr;
  }
  Count(plan, counts);
  if (!other) return;
  if (limits_.profile != nullptr) limits_.profile->Take(*other->plan, {});
  Derive({&*other, 1});
}

void Machine::Count(const Plan& plan, const JoinCounts& counts) {
  if (limits_.profile != nullptr) limits_.profile->Count(plan, counts);
}

// Runs a join for these outer rows. Returns JoinRun::work.
std::uint64_t Machine::DeriveAlone(const Plan& plan, OuterRows rows, JoinCounts& counts) {
  StageFor(store_.at(plan.join->head));
  const auto pause = [&] {
    if (staged_.size >= kStaged) Flush();
    else Watch(0);
    return evaluation.stop == Stop::kGoesOn;
  };
  JoinRun run(*plan.join, store_, *marks, &within_limits,
              workers_ == nullptr ? nullptr : &workers_->workers());
  rows.end = std::min(rows.end, run.outer());
  if (plan.join->remembers) run.TakeUp(std::move(seen_[plan.join.get()]));
  if (evaluation.stop == Stop::kGoesOn) run.Run(rows.begin, rows.end, staged_, kStaged, pause);
  Flush();
  if (plan.join->remembers) seen_[plan.join.get()] = run.Leave();
  frame_->repeated += run.known();
  TakeOverflow();
  TakeUndefined(*frame_->def, plan, run.undefined());
  if (limits_.threads > 1 && rows.end > rows.begin)
    yields_[plan.join.get()] =
        static_cast<double>(run.answers()) / static_cast<double>(rows.end - rows.begin);
  if (limits_.profile != nullptr) run.AddTo(counts);
  return run.work();
}

// Notes that a row of the rule may be absent, and the first clause that is why.
void Machine::TakeUndefined(const Definition& def, const Plan& plan,
                            const std::optional<JoinRun::UndefinedStep>& found) {
  if (!found) return;
  partial.insert(&def);
  const Step* step = plan.first;
  while (step->depth != found->place) step = step->next;
  std::vector<Value> slots(found->slots.begin(),
                           found->slots.begin() + static_cast<std::ptrdiff_t>(def.slots.size()));
  for (const SlotId w : step->writes) slots[static_cast<std::size_t>(w)] = kNone;
  undefined.try_emplace(&def,
                        UndefinedText(step->clause->text, BoundIn(*step->clause, slots, def.slots),
                                      step->clause->span, found->why));
}

// Whether a plan runs as a join. Joins do not distribute sets and fill no companions (§7): a head
// that has one runs otherwise, and so do rows that may have sets in their cells.
bool Machine::IsJoin(const Plan& plan) const {
  if (plan.join == nullptr || store_.WholeIfAny(plan.join->head) != kNoId) return false;
  return std::ranges::all_of(plan.join->steps, [&](const JoinStep& step) {
    return step.kind != JoinStep::Kind::kRows || store_.WholeIfAny(step.relation) == kNoId;
  });
}

// Whether one thread that remembers does less than each of several that do not: where values come
// again, as far as is known. Its first run tells.
bool Machine::IsBetterAlone(const Join& join) const {
  if (!join.remembers) return false;
  const auto at = seen_.find(&join);
  return at == seen_.end() || !std::ranges::any_of(at->second, &Seen::looks_away);
}

// The number of leading plans to run together on the thread pool: joins that make no values, with
// enough outer rows and expected answers in sum; else 0. At most one under a profile, which counts
// each plan. One that is watched runs by itself.
std::size_t Machine::Shared(std::span<const Derivation> work) {
  if (limits_.threads == 1) return 0;
  if (limits_.profile != nullptr) work = work.first(1);
  double cost = 0;
  std::size_t count = 0;
  for (; count < work.size(); ++count) {
    const Plan& plan = *work[count].plan;
    if (!IsJoin(plan) || plan.join->computes || IsBetterAlone(*plan.join)) break;
    if (count > 0 && IsWatched(work[count])) break;
    const std::size_t outer = JoinRun::Outer(*plan.join, *marks);
    if (outer > 0) cost += static_cast<double>(outer) * (1 + yields_[plan.join.get()].value_or(0));
  }
  return cost >= static_cast<double>(limits_.min_shared) ? count : 0;
}

// Runs joins, each for these of its outer rows. Returns JoinRun::work of all of them.
std::uint64_t Machine::DeriveShared(std::span<const Derivation> work, OuterRows rows,
                                    JoinCounts& counts) {
  if (workers_ == nullptr)
    workers_ = std::make_unique<ParallelJoin>(limits_.threads, limits_.min_shared);
  std::vector<ParallelJoin::Job> jobs;
  for (const Derivation& derivation : work) {
    const Join* const join = derivation.plan->join.get();
    jobs.push_back({join, &yields_[join], limits_.profile != nullptr ? &counts : nullptr,
                    rows.begin, rows.end});
  }
  workers_->Run(jobs, store_, *marks, MostNew(), within_limits,
                [this](std::size_t bytes) { return HasRoom(bytes); });
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < work.size(); ++i) {
    const ParallelJoin::Job& job = jobs[i];
    if (evaluation.stop == Stop::kGoesOn) frame_->def = work[i].def;
    CountNew(job.added);
    TakeUndefined(*work[i].def, *work[i].plan, job.undefined);
    // Most of what it found was there already, so it may pay to remember after all.
    if (job.found > kManyAgain * job.added) seen_.erase(job.join);
    if (limits_.profile != nullptr) frame_->repeated += job.found - job.added;
    out += job.work;
  }
  return out;
}

bool Machine::EmitAnswer() {
  const Definition& def = *frame_->def;
  std::vector<Value> row = HeadRow(def);
  if (!row.empty() || def.args.empty()) TakeAnswer(std::move(row));
  if (frame_->one_is_all && !frame_->table->rows.empty()) return false;
  return evaluation.stop == Stop::kGoesOn;
}

// In a companion, a set matches each of its elements (§7).
bool Machine::Means(const Table& table, std::span<const Value> row) const {
  const bool whole = store_.IsWhole(table.relation);
  for (std::size_t i = 0; i < std::min(row.size(), table.key.size()); ++i) {
    const Value key = table.key[i];
    if (key.is_none() || key == row[i]) continue;
    if (!whole || row[i].kind() != Kind::kSet || !pool_.Contains(row[i], key)) return false;
  }
  return true;
}

// A set in a conclusion has an instance per element (§7). Arguments that the caller bound, captures
// of goals and rows of a companion keep their sets (decision 27).
void Machine::TakeAnswer(std::vector<Value> row) {
  const Table& table = *frame_->table;
  const bool has_set =
      std::any_of(row.begin(), row.end(), [](Value v) { return v.kind() == Kind::kSet; });
  if (!has_set || store_.at(table.relation).space() == Space::kGoal ||
      store_.IsWhole(table.relation))
    return TakeRow(std::move(row));
  if (!HasRoomFor(row)) return;
  ForEachInstance(pool_, row, 0, table.key,
                  [&](const std::vector<Value>& instance) { TakeRow(instance); });
}

// Adds a row to the table of the current frame, if it agrees with the call.
void Machine::TakeRow(std::vector<Value> row) {
  Table& table = *frame_->table;
  const Definition& def = *frame_->def;
  if (!Means(table, row)) return;
  const bool goal = store_.at(table.relation).space() == Space::kGoal;
  Value map;
  if (goal) {
    std::vector<Value> entries;
    for (std::size_t i = 0; i < row.size() && i < def.captures.size(); ++i) {
      entries.push_back(def.captures[i]);
      entries.push_back(row[i]);
    }
    map = pool_.Map(entries);
    if (again == &def && store_.at(table.relation).Find({&map, 1}) == kNoId) return;
  }
  const bool is_new = table.rows.Add(row);
  if (!is_new) ++frame_->repeated;
  if (is_new && goal) {
    table.more().maps.push_back(map);
    table.more().rules.push_back(def.number);
    table.more().premises.emplace_back();
    for (const RowUsed& used : frame_->path)
      table.more().premises.back().push_back(PremiseOf(used));
  }
  frame_->used += frame_->path.empty() ? 0 : 1;
  for (const RowUsed& used : frame_->path)
    if (used.from != nullptr && used.from->acts && table.more().known_used.insert(used.from).second)
      table.more().used.push_back(used.from);
  for (const auto& shown : frame_->shown)
    if (std::find(table.more().shown.begin(), table.more().shown.end(), shown) ==
        table.more().shown.end())
      table.more().shown.push_back(shown);
}

}  // namespace rpl
