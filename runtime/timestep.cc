// SPDX-License-Identifier: Apache-2.0
//
// Step() is the eight phases and nothing else; each phase is one function below, in
// order, followed by what they share. Logging hangs on Begin, Log and Record.
#include "runtime/timestep.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <functional>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "grammar/printer.h"
#include "interp/json_value.h"
#include "runtime/journal.h"

namespace rpl {

using nlohmann::ordered_json;

namespace {

Limits LimitsOf(const SessionOptions& options) {
  Limits limits;
  limits.max_rows = options.limits.max_rows;
  limits.max_rounds = options.limits.max_rounds;
  limits.max_depth = options.limits.max_depth;
  limits.max_iterations = options.limits.max_iterations;
  return limits;
}

// What the process holds, from the system; 0 where it does not say.
std::size_t ResidentMegabytes() {
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[64] = {};
  const ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  if (size <= 0) return 0;
  char* at = text;
  std::strtoull(at, &at, 10);  // the whole of the address space
  return static_cast<std::size_t>(std::strtoull(at, nullptr, 10)) * page >> 20;
}

// How the log and the journal name a call: arguments of one heading differ by name.
std::string CallName(const OpenCall& call, const Request& request) {
  const bool argument = call.space == Space::kRelation && !request.id.starts_with('$');
  return argument ? request.id + " for ?" + request.name : request.id;
}

}  // namespace

Runtime::Runtime(Agent& agent, SessionOptions options)
    : agent_(agent),
      options_(std::move(options)),
      store_(pool_),
      program_(store_, sources_),
      limits_(LimitsOf(options_)),
      solver_(program_, store_, analysis_, limits_),
      fixpoint_(store_, analysis_, solver_, limits_) {
  limits_.watch = [this] { return Watch(); };
  analysis_.Make(program_, store_);
}

void Runtime::Step() {
  ++timestep_;
  Renew();
  AssertNewAvars();
  AssertInputNovelty();
  phase_ = 3;
  QuiesceRelations();
  ActivateGoals();
  UpdatePlans();
  ProgressPlan();
  phase_ = 7;
  QuiesceRelations();
  DispatchAsyncs();
}

// --- phase 1: resolved calls enter as ground facts (§13.3) ---------------------------

void Runtime::AssertNewAvars() {
  Begin(1, "assert new avars");
  for (const Failing::Way& way : std::exchange(decisions_, {})) {
    Log("decided " + way.name);
    if (way.does.relation == kNoId) continue;
    novelty_.emplace_back().assertions.push_back(way.does);
    Assertion& does = novelty_.back().assertions.back();
    if (Value& first = does.row.front(); first.is_none()) first = pool_.Map({});
  }
  while (!replies_.empty()) {
    const Reply reply = std::move(replies_.front());
    replies_.pop_front();
    const std::string text = solver_.machine().CallText(reply.call);
    if (reply.answer.kind == Answer::Kind::kDecline) {
      declined_.insert(text);
      Log("declined " + text);
      continue;
    }
    if (reply.call.space == Space::kRelation) {
      // One argument of a collected heading; the fact is asserted once all are there.
      const auto column = static_cast<std::size_t>(reply.call.column);
      const Collected* collected = program_.FindCollected(reply.call.relation);
      const Question& q =
          program_.questions()[static_cast<std::size_t>(collected->questions[column])];
      if (q.subject.starts_with('$')) {
        const RelationId channel = store_.Declare(Space::kAvar, q.name, 0);
        const Value entry[] = {pool_.Keyword("result"), reply.answer.value};
        store_.Insert(channel, {}, true, pool_.Map(entry));
      }
      const std::vector<Value> row = solver_.TakeArgument(reply.call, reply.answer.value);
      Log("resolved " + text + " = " + Text(pool_, reply.answer.value));
      if (row.empty()) continue;
      store_.Insert(reply.call.relation, row, true);
      std::vector<Value> bindings;
      std::string head = store_.at(reply.call.relation).name() + "(";
      for (std::size_t i = 0; i < row.size(); ++i) {
        const std::string& name =
            program_.questions()[static_cast<std::size_t>(collected->questions[i])].name;
        head += (i > 0 ? ", ?" : "?") + name;
        bindings.push_back(pool_.Slot(name));
        bindings.push_back(row[i]);
      }
      Log("asserted " + RowText(reply.call.relation, row));
      Record(TraceEntry::Kind::kReply, head + ") ^^ " + BindingsText(bindings) + " -> true");
      continue;
    }
    const Value entry[] = {pool_.Keyword("result"), reply.answer.value};
    const Value meta =
        reply.answer.kind == Answer::Kind::kMeta ? reply.answer.value : pool_.Map(entry);
    store_.Insert(reply.call.relation, reply.call.args, true, meta);
    const std::string fact = text + " ^ ~ " + Text(pool_, meta) + " -> true";
    Log("asserted " + fact);
    Record(TraceEntry::Kind::kReply, fact);
  }
}

// --- phase 2: facts and rules of the user --------------------------------------------

void Runtime::AssertInputNovelty() {
  Begin(2, "assert input novelty");
  for (; rules_known_ < program_.definitions().size(); ++rules_known_)
    Log("rule " + program_.definitions()[rules_known_].text);
  for (; constraints_known_ < program_.constraints().size(); ++constraints_known_)
    if (!program_.constraints()[constraints_known_].left.empty())
      Log("constraint " + program_.constraints()[constraints_known_].text);
  while (!novelty_.empty()) {
    novelty_.front().ForEach(
        store_,
        [&](RelationId relation, std::span<const Value> row, Span span) {
          AssertFact(relation, row, span, kNone);
          if (options_.log) Log("asserted " + RowText(relation, row));
        },
        [&](const Assertion& a) { Assert(a); });
    novelty_.pop_front();
  }
  if (!schema_changed_) return;
  schema_changed_ = false;
  analysis_.Make(program_, store_);
  fixpoint_.Reset();
  bad_heads_known_ = 0;
  solver_.Forget();
}

void Runtime::AssertFact(RelationId relation, std::span<const Value> row, Span span, Value meta) {
  store_.Insert(relation, row, true, meta, &span);
  std::erase_if(retracted_, [&](const Assertion& r) {
    return r.relation == relation && std::ranges::equal(r.row, row);
  });
}

void Runtime::Assert(const Assertion& a) {
  const Relation& rel = store_.at(a.relation);
  if (a.truth) {
    AssertFact(a.relation, a.row, a.span, a.meta);
    if (options_.log) Log("asserted " + (a.text.empty() ? RowText(a.relation, a.row) : a.text));
    if (a.trace) Record(TraceEntry::Kind::kFact, a.text);
    return;
  }
  if (rel.space() == Space::kGoal) {
    // %goal ^ false: every recorded truth with these captures is taken back.
    Relation& truths = store_.at(a.relation);
    const std::span<const Value> wanted = pool_.ItemsOf(a.row.front());
    truths.Rebuild([&](RowId row) {
      for (std::size_t i = 0; i < wanted.size(); i += 2)
        if (pool_.Lookup(truths.Row(row)[0], wanted[i]) != wanted[i + 1]) return true;
      return false;
    });
  } else {
    store_.Retract(a.relation, a.row);
    retracted_.push_back(a);
  }
  Log("retracted " + a.text);
  Record(TraceEntry::Kind::kRetraction, a.text);
}

// --- phases 3 and 7: derive, then check constraints ------------------------------------

void Runtime::QuiesceRelations() {
  Begin(phase_, "quiesce relations");
  solver_.Forget();
  solver_.machine().moment = {now_, declined_};
  solver_.machine().truncated = false;
  const Stop stop = fixpoint_.Quiesce();
  if (stop != Stop::kGoesOn) {
    stop_ = stop;
    stopped_at_ = fixpoint_.stopped_at();
    if (const RelationId r = fixpoint_.growing(); r != kNoId && !store_.at(r).empty())
      newest_ = RowText(r, store_.at(r).Cells(store_.at(r).size() - 1));
    TakeStop();
    Log("stopped in " + stopped_at_);
    solver_.machine().truncated = true;  // what is absent may only be missing
  }
  LogDerived();
  CheckConstraints();
}

// Clears the stop, so that the phases after this one run on what stands.
void Runtime::TakeStop() {
  overflow_ = pool_.overflow();
  pool_.ClearOverflow();
  solver_.machine().stop = Stop::kGoesOn;
}

// @each: every answer is pursued (§16.4).
bool Runtime::Forced(const Table& table) const {
  if (query_ != nullptr) return query_->force;
  return table.rule >= 0 && program_.definitions()[static_cast<std::size_t>(table.rule)].force;
}

void Runtime::LogDerived() {
  if (!options_.log && !Tells()) return;
  for (const Stratum& stratum : analysis_.strata())
    for (RelationId r : stratum.relations) {
      const Relation& rel = store_.at(r);
      for (RowId row = 0; row < rel.size(); ++row) {
        if (rel.asserted(row)) continue;
        const std::string text = RowText(r, rel.Cells(row));
        if (!derived_known_.insert(text).second) continue;
        Log("derived " + text);
        Tell("derived", {{"fact", text}});
      }
    }
}

// In phase 3 a constraint is a live check; in phase 7 its ground instances become traces
// and what it forbids a violation (§12.2, decision 42).
void Runtime::CheckConstraints() {
  violated_.clear();
  std::vector<Violation> of_rules = fixpoint_.Violations();
  of_rules.insert(of_rules.end(), goal_violations_.begin(), goal_violations_.end());
  for (const Violation& v : of_rules)
    violated_.push_back({&program_.constraints()[static_cast<std::size_t>(v.constraint)],
                         BindingsText(v.bindings),
                         {}});
  for (const Constraint& c : program_.constraints()) {
    if (c.left.empty()) continue;
    if (phase_ == 3) {
      Log("live " + c.text);
      continue;
    }
    solver_.CheckConstraint(c, [&](const std::vector<Value>& slots, Solver::Verdict verdict) {
      std::vector<Value> bindings;
      for (std::size_t i = 0; i < slots.size(); ++i) {
        if (c.slots[i].empty() || slots[i].is_none() || slots[i] == kUnknown) continue;
        bindings.push_back(pool_.Slot(c.slots[i]));
        bindings.push_back(slots[i]);
      }
      const std::string text = BindingsText(bindings);
      if (verdict == Solver::Verdict::kViolated) {
        violated_.push_back({&c, text, AssertedOf(c, slots)});
        Log("violated " + c.text + " ^^ " + text);
      } else if (verdict == Solver::Verdict::kHolds &&
                 constraint_traces_.emplace(c.number, text).second) {
        std::string both = c.reported;
        for (const Clause& clause : c.right) both += ", " + clause.text;
        Record(TraceEntry::Kind::kConstraint, "(" + both + ") ^^ " + text + " -> true");
      }
    });
    if (const Stop stop = solver_.machine().stop; stop != Stop::kGoesOn) {
      stop_ = stop;
      stopped_at_ = c.text;
      newest_.clear();
      unchecked_ = true;
      TakeStop();
      Log("stopped in " + c.text);
      break;
    }
  }
  if (phase_ != 7) return;
  for (const Assertion& a : retracted_)
    if (const RowId row = store_.at(a.relation).Find(a.row);
        row != kNoId && !store_.at(a.relation).asserted(row)) {
      // The program says both: a rule derives what was retracted (decision 44).
      Log("violated " + a.text);
      violated_.push_back({nullptr, a.text, {}});
    }
  std::erase_if(violated_, [&](const Violated& v) { return accepted_.contains(TextOf(v)); });
}

// The asserted facts among those that an instance of the left side names, in order.
std::vector<Assertion> Runtime::AssertedOf(const Constraint& c, const std::vector<Value>& slots) {
  std::vector<Assertion> out;
  for (const Clause& clause : c.left) {
    const auto* atom = clause.As<Atom>();
    if (atom == nullptr || store_.at(atom->relation).space() != Space::kRelation) continue;
    Assertion fact;
    fact.relation = store_.BaseOf(atom->relation);
    for (const Pattern& p : atom->args) fact.row.push_back(Build(pool_, p, slots.data(), nullptr));
    const bool ground = std::none_of(fact.row.begin(), fact.row.end(), [](Value v) {
      return v.is_none() || v == kUnknown || v == kWild;
    });
    const Relation& rel = store_.at(fact.relation);
    const RowId row = ground ? rel.Find(fact.row) : kNoId;
    if (row == kNoId || !rel.asserted(row)) continue;
    fact.truth = false;
    fact.trace = true;
    fact.span = c.span;
    fact.text = RowText(fact.relation, fact.row) + " -> false";
    out.push_back(std::move(fact));
  }
  return out;
}

// --- phase 4: which rules may be pursued -----------------------------------------------

void Runtime::ActivateGoals() {
  Begin(4, "activate goals");
  solver_.Forget();
  solver_.machine().violations.clear();
  if (!options_.log) return;
  const auto standing = [&](const Definition& def) {
    const Solver::Active active = solver_.Activated(def);
    Log((active == Solver::Active::kYes  ? "eligible "
         : active == Solver::Active::kNo ? "ineligible "
                                         : "undecided ") +
        def.text);
  };
  std::vector<const Definition*> rules = pursue_ ? Candidates() : std::vector<const Definition*>{};
  for (const Goal& goal : program_.goals())
    for (int number : goal.rules)
      if (const auto* def = &program_.definitions()[static_cast<std::size_t>(number)];
          std::find(rules.begin(), rules.end(), def) == rules.end())
        rules.push_back(def);
  for (const Definition* def : rules) {
    Log("considered " + def->text);
    standing(*def);
  }
  for (const Definition& def : program_.definitions())
    if (def.head != kNoId && store_.at(def.head).space() != Space::kGoal && !def.activation.empty())
      standing(def);
}

// The root goal's rules, else those of the named goals, in written order (§18.4).
std::vector<const Definition*> Runtime::Candidates() const {
  if (query_ != nullptr) return {query_};
  std::vector<const Definition*> out;
  const auto add = [&](const Goal& goal) {
    for (int number : goal.rules)
      out.push_back(&program_.definitions()[static_cast<std::size_t>(number)]);
  };
  if (const Goal* root = program_.FindGoal("")) {
    add(*root);
    return out;
  }
  for (const Goal& goal : program_.goals())
    if (goal.label != "fail") add(goal);
  return out;
}

// --- phase 5: the plan is the first rule that is not unsatisfied ------------------------

void Runtime::UpdatePlans() {
  Begin(5, "update plans");
  solver_.Forget();
  solver_.machine().violations.clear();
  goal_violations_.clear();
  solver_.machine().used_absence = false;
  plan_ = nullptr;
  plan_rule_ = nullptr;
  standing_ = Standing::kNoGoal;
  reason_.clear();
  ineligible_.clear();
  if (!pursue_) return;
  const auto take = [&](const Table& table, const std::string& name) {
    plan_ = &table;
    goal_name_ = name;
    // All answers are shown, so an answer that a call still holds back is waited for; a
    // goal that shows none is satisfied by its first.
    const bool shows = !table.captures.empty() || !table.shown.empty();
    const bool waits = table.pending && (table.rows.empty() || shows || Forced(table));
    standing_ = waits                 ? Standing::kPending
                : !table.rows.empty() ? Standing::kSatisfied
                                      : Standing::kUnsatisfied;
    if (reason_.empty()) reason_ = table.reason;
    if (ineligible_.empty()) ineligible_ = table.ineligible;
    return standing_ != Standing::kUnsatisfied;
  };
  if (query_ != nullptr) {
    take(solver_.SolveQuery(*query_), "the query");
    plan_rule_ = query_;
    goal_name_ = store_.at(query_->head).name();
    if (!plan_->eligible) ineligible_ = goal_name_;
  } else if (const Goal* root = program_.FindGoal("")) {
    take(solver_.SolveGoal(*root), "%");
  } else {
    for (const Goal& goal : program_.goals())
      if (goal.label != "fail" && take(solver_.SolveGoal(goal), "%" + goal.label)) break;
  }
  if (plan_ != nullptr && plan_rule_ == nullptr && plan_->rule >= 0)
    plan_rule_ = &program_.definitions()[static_cast<std::size_t>(plan_->rule)];
  if (plan_rule_ != nullptr && standing_ != Standing::kUnsatisfied) Log("plan " + plan_rule_->text);
  for (const OpenCall& call : solver_.machine().calls)
    if (const std::string text = solver_.machine().CallText(call); created_.insert(text).second)
      Log("created " + text);
  circular_ = solver_.machine().circular;
  goal_violations_ = std::exchange(solver_.machine().violations, {});
  declined_call_ = solver_.machine().declined_call;
  failed_call_ = solver_.machine().failed_call;
  open_calls_ = solver_.machine().calls;
  if (solver_.machine().stop != Stop::kGoesOn) {
    stop_ = solver_.machine().stop;
    stopped_at_ = solver_.machine().stopped_at;
    TakeStop();
    if (standing_ != Standing::kSatisfied) standing_ = Standing::kUnsatisfied;
  }
  used_absence_ = solver_.machine().used_absence;
}

// --- phase 6: what the plan established becomes novelty ---------------------------------

void Runtime::ProgressPlan() {
  Begin(6, "progress plan");
  answers_.clear();
  json_answers_.clear();
  shown_.clear();
  if (plan_ == nullptr) return;
  switch (standing_) {
    case Standing::kSatisfied: {
      answers_ = AnswersOf(*plan_, false);
      json_answers_ = AnswersOf(*plan_, true);
      std::set<const Table*> done;
      RecordGoal(*plan_, done);
      done.clear();
      Show(*plan_, done);
      LogRulesPassedOver();
      break;
    }
    case Standing::kPending: Log("waiting " + goal_name_); break;
    case Standing::kUnsatisfied: Log("unsatisfied " + goal_name_); break;
    case Standing::kNoGoal: break;
  }
  if (Tells())
    Tell("goal", {{"goal", goal_name_},
                  {"standing", standing_ == Standing::kSatisfied ? "satisfied"
                               : standing_ == Standing::kPending ? "waiting"
                                                                 : "unsatisfied"}});
  plan_ = nullptr;  // the next phase forgets the tables
}

// Truths of the goals below first, each after the derivations it rests on (§19).
void Runtime::RecordGoal(const Table& table, std::set<const Table*>& done) {
  if (!done.insert(&table).second) return;
  for (const Table* used : table.used) RecordGoal(*used, done);
  if (store_.at(table.relation).space() != Space::kGoal) return;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const std::string text = GoalText(table, row);
    Log("satisfied " + text);
    if (&table == plan_ && query_ != nullptr) continue;  // a query is one-shot
    if (row < table.premises.size())
      for (const Premise& p : table.premises[row]) RecordDerivation(p.relation, p.row);
    const Value map = table.maps[row];
    const bool known = store_.at(table.relation).Find({&map, 1}) != kNoId;
    store_.Insert(table.relation, {&map, 1}, false);
    if (!known) Record(TraceEntry::Kind::kGoal, text + " -> true");
  }
}

// The later rules of a satisfied goal, as they stand now that it is true (§15.4).
void Runtime::LogRulesPassedOver() {
  if (!options_.log || plan_rule_ == nullptr) return;
  bool later = false;
  for (const Definition* def : Candidates()) {
    if (later && def->head == plan_rule_->head && !def->activation.empty())
      Log((solver_.Activated(*def) == Solver::Active::kNo ? "ineligible " : "passed over ") +
          def->text);
    later |= def == plan_rule_;
  }
}

std::string Runtime::GoalText(const Table& table, std::size_t row) const {
  std::string text = store_.at(table.relation).name();
  const std::span<const Value> entries = pool_.ItemsOf(table.maps[row]);
  if (!entries.empty()) text += " ^^ " + Text(pool_, table.maps[row]);
  return text;
}

// An entry for a derived relation that a goal rested on, with its derivation nested.
void Runtime::RecordDerivation(RelationId relation, const std::vector<Value>& row) {
  if (store_.at(relation).space() != Space::kRelation || analysis_.RulesOf(relation).empty())
    return;
  std::set<std::string> open;
  Record(TraceEntry::Kind::kDerivation, Derivation(relation, row, 0, open) + " -> true");
}

std::string Runtime::Derivation(RelationId relation, const std::vector<Value>& row, int depth,
                                std::set<std::string>& open) {
  constexpr int kMaxDepth = 64;
  const std::string fact = RowText(relation, row);
  int number = -1;
  std::optional<std::vector<Premise>> premises;
  if (depth < kMaxDepth && open.insert(fact).second)
    premises = solver_.Prove(relation, row, &number, [&](const Premise& p) {
      return !open.contains(RowText(p.relation, p.row));
    });
  std::vector<Value> bindings;
  std::string head = fact;
  if (premises) {
    const Definition& def = program_.definitions()[static_cast<std::size_t>(number)];
    head = store_.at(relation).name() + "(";
    for (std::size_t i = 0; i < def.args.size(); ++i) {
      if (i > 0) head += ", ";
      const Pattern& p = def.args[i];
      if (p.kind != Pattern::Kind::kSlot || def.slots[static_cast<std::size_t>(p.slot)].empty()) {
        head += Text(pool_, row[i]);
        continue;
      }
      const std::string& name = def.slots[static_cast<std::size_t>(p.slot)];
      head += (def.avar[static_cast<std::size_t>(p.slot)] ? "$" : "?") + name;
      bindings.push_back(pool_.Slot(name));
      bindings.push_back(row[i]);
    }
    head += ")";
    std::string tail;
    for (const Premise& p : *premises)
      tail += (tail.empty() ? "" : ", ") + Derivation(p.relation, p.row, depth + 1, open);
    if (!tail.empty()) head = "(" + head + " <- " + tail + ")";
  } else if (const Collected* collected = program_.FindCollected(relation)) {
    head = store_.at(relation).name() + "(";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const Question& q = program_.questions()[static_cast<std::size_t>(collected->questions[i])];
      head += (i > 0 ? ", " : "") + std::string(q.subject.starts_with('$') ? "$" : "?") + q.name;
      bindings.push_back(pool_.Slot(q.name));
      bindings.push_back(row[i]);
    }
    head += ")";
  }
  open.erase(fact);
  return bindings.empty() ? head : head + " ^^ " + BindingsText(bindings);
}

// --- phase 8: chat and calls -------------------------------------------------------------

void Runtime::DispatchAsyncs() {
  Begin(8, "dispatch asyncs");
  if (!violated_.empty()) return AskWhatNow();
  std::set<std::string> traced;
  for (const auto& [clause, value] : shown_) {
    const auto json = Json(pool_, value);
    if (!json) {
      Log("not shown: two keys of " + Text(pool_, value) + " are the same text");
      continue;
    }
    chat_ = true;
    if (options_.journal == nullptr || options_.journal->Chat(*json)) agent_.Chat(*json);
    Log("chat " + *json);
    Tell("chat", {{"line", *json}});
    if (traced.insert(clause->text).second)
      Record(TraceEntry::Kind::kReply, clause->text + " ^ ~ {:tool :json} -> true");
  }
  if (standing_ == Standing::kUnsatisfied) return AskWhatNow();
  if (standing_ != Standing::kPending) return;
  std::vector<const OpenCall*> tools;
  const OpenCall* question = nullptr;  // one at a time, in order (design 4)
  for (const OpenCall& call : open_calls_) {
    if (!IsQuestion(store_.at(call.relation))) tools.push_back(&call);
    else if (question == nullptr) question = &call;
  }
  if (!tools.empty()) CallTools(tools);
  if (question != nullptr) Ask(*question);
}

// $json lines of the goals below first, then clause by clause in written order.
void Runtime::Show(const Table& table, std::set<const Table*>& done) {
  if (!done.insert(&table).second) return;
  for (const Table* used : table.used) Show(*used, done);
  std::vector<std::pair<const Clause*, Value>> shown = table.shown;
  std::stable_sort(shown.begin(), shown.end(), [](const auto& a, const auto& b) {
    return a.first->span.begin < b.first->span.begin;
  });
  shown_.insert(shown_.end(), shown.begin(), shown.end());
}

// Values as a JSON list; what has no JSON is its RPL text.
ordered_json Runtime::JsonOf(const std::vector<Value>& values) const {
  ordered_json out = ordered_json::array();
  for (const Value v : values) out.push_back(JsonOfValue(pool_, v).value_or(Text(pool_, v)));
  return out;
}

Request Runtime::RequestFor(const OpenCall& call) {
  Request r;
  if (call.place.end != 0) r.place = sources_.Where(call.place);
  r.id = solver_.machine().CallText(call);
  const Relation& rel = store_.at(call.relation);
  if (call.space == Space::kTool) {
    r.tool = r.name = std::string(pool_.TextOf(rel.label()));
    r.args = call.args;
    r.kind = r.tool == "ask"      ? Request::Kind::kAsk
             : r.tool == "choose" ? Request::Kind::kChoose
                                  : Request::Kind::kTool;
    if (!call.args.empty()) r.prompt = PlainText(pool_, call.args.front());
    if (r.kind == Request::Kind::kChoose && call.args.size() > 1 &&
        (call.args[1].kind() == Kind::kList || call.args[1].kind() == Kind::kSet)) {
      const std::span<const Value> options = pool_.ItemsOf(call.args[1]);
      r.options.assign(options.begin(), options.end());
    }
    return r;
  }
  r.name = std::string(pool_.TextOf(rel.label()));
  r.prompt = r.name;
  if (call.space == Space::kRelation) r.relation = r.name;
  if (call.question >= 0) {
    const Question& q = program_.questions()[static_cast<std::size_t>(call.question)];
    r.name = q.name;
    r.prompt = q.prompt;
    if (q.options != kNoId) {
      const Relation& options = store_.at(q.options);
      for (RowId row = 0; row < options.size(); ++row) r.options.push_back(options.Row(row)[0]);
      if (!r.options.empty()) r.kind = Request::Kind::kChoose;
    }
  }
  return r;
}

// The calls of one plan go out together; replies are taken in written order.
void Runtime::CallTools(const std::vector<const OpenCall*>& calls) {
  Journal* const journal = options_.journal;
  std::vector<Request> requests;
  std::vector<std::string> names;
  for (const OpenCall* call : calls) {
    requests.push_back(RequestFor(*call));
    names.push_back(CallName(*call, requests.back()));
    if (journal != nullptr) journal->Call(names.back());
    Log("dispatched " + names.back());
  }
  std::vector<Answer> replies(calls.size());
  std::vector<std::optional<std::chrono::steady_clock::time_point>> started(calls.size());
  const auto took = [&](std::size_t i) -> std::optional<std::chrono::milliseconds> {
    if (!started[i] || !options_.now.empty()) return std::nullopt;  // the clock stands still
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                                 *started[i]);
  };
  if (journal != nullptr)
    while (const auto recorded = journal->NextReply(names, pool_))
      replies[recorded->call] = recorded->answer;
  if (journal == nullptr || journal->live()) {
    std::vector<std::size_t> open;
    std::vector<Request> rest;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (replies[i].kind != Answer::Kind::kNobody) continue;
      open.push_back(i);
      rest.push_back(requests[i]);
      if (journal == nullptr) continue;
      rest.back().in_doubt = journal->InDoubt(names[i]);
      rest.back().starting = [&, i] {
        journal->Started(names[i]);
        started[i] = std::chrono::steady_clock::now();
      };
      rest.back().finished = [&, i](const Answer& answer) {
        journal->Reply(names[i], answer, pool_, took(i));
        replies[i] = answer;
      };
    }
    for (std::size_t k = 0; Tells() && k < open.size(); ++k)
      Tell("tool-call",
           {{"id", names[open[k]]}, {"tool", rest[k].tool}, {"args", JsonOf(rest[k].args)}});
    const std::vector<Answer> answers = agent_.Call(rest, pool_);
    for (std::size_t k = 0; k < open.size(); ++k) {
      if (answers[k].kind == Answer::Kind::kNobody) continue;
      TellReply("result", names[open[k]], answers[k]);
      const bool kept = replies[open[k]].kind != Answer::Kind::kNobody;
      if (journal != nullptr && !kept)
        journal->Reply(names[open[k]], answers[k], pool_, took(open[k]));
      replies[open[k]] = answers[k];
    }
  }
  for (std::size_t i = 0; i < calls.size(); ++i)
    if (replies[i].kind != Answer::Kind::kNobody) replies_.push_back({*calls[i], replies[i]});
}

void Runtime::Ask(const OpenCall& call) {
  const Request request = RequestFor(call);
  if (const auto answer = Put(request, CallName(call, request)))
    replies_.push_back({call, *answer});
}

// Puts a question to the agent, or takes the recorded answer; nullopt when nobody answers.
std::optional<Answer> Runtime::Put(const Request& request, const std::string& name) {
  Journal* const journal = options_.journal;
  if (journal != nullptr) journal->Call(name);
  Log("dispatched " + name);
  if (Tells())
    Tell("question", {{"id", name},
                      {"key", request.name},
                      {"kind", request.kind == Request::Kind::kChoose ? "choose" : "ask"},
                      {"prompt", request.prompt},
                      {"options", JsonOf(request.options)},
                      {"place", request.place}});
  if (journal != nullptr) {
    if (const auto recorded = journal->NextReply({name}, pool_)) return recorded->answer;
    if (!journal->live()) return std::nullopt;  // nobody answered then
  }
  for (bool again = false;; again = true) {
    const Answer answer = agent_.Answer(request, pool_, again);
    if (answer.kind == Answer::Kind::kNobody) return std::nullopt;
    if (answer.kind == Answer::Kind::kValue && request.kind == Request::Kind::kChoose &&
        std::find(request.options.begin(), request.options.end(), answer.value) ==
            request.options.end()) {
      Log("refused " + Text(pool_, answer.value) + " for " + request.id);
      continue;
    }
    if (journal != nullptr) journal->Reply(name, answer, pool_);
    TellReply("answer", name, answer);
    return answer;
  }
}

// --- between the phases ------------------------------------------------------------------

void Runtime::Begin(int phase, const char* name) {
  phase_ = phase;
  Log(name);
  if (Tells()) Tell("phase", {{"name", name}});
}

bool Runtime::Tells() const { return options_.event && IsNews(); }

// Whether what happens is told: not what was told when the journal recorded it.
bool Runtime::IsNews() const {
  return options_.tell_replayed || options_.journal == nullptr || options_.journal->live();
}

void Runtime::Tell(std::string_view type, ordered_json fields) {
  if (!Tells()) return;
  ordered_json object = {
      {"schema", "rpl.event/1"}, {"type", type}, {"timestep", timestep_}, {"phase", phase_}};
  object.update(fields);
  options_.event(object);
}

void Runtime::TellReply(std::string_view type, const std::string& call, const Answer& answer) {
  if (!Tells()) return;
  ordered_json fields = {{"id", call}};
  if (answer.kind == Answer::Kind::kDecline) fields["declined"] = true;
  else
    fields[answer.kind == Answer::Kind::kMeta ? "metadata" : "value"] =
        JsonOfValue(pool_, answer.value).value_or(Text(pool_, answer.value));
  Tell(type, std::move(fields));
}

void Runtime::Log(const std::string& text) {
  if (options_.log && IsNews())
    options_.log(fmt::format("{}.{} {}", timestep_, phase_, OneLine(text)));
}

void Runtime::Record(TraceEntry::Kind kind, std::string text) {
  Log("trace " + text);
  if (Tells()) Tell("trace", {{"kind", EntryName(kind)}, {"text", text}});
  trace_.push_back({kind, timestep_, phase_, std::move(text)});
  if (options_.journal != nullptr) options_.journal->Entry(trace_.back());
}

// Polled while evaluating.
Stop Runtime::Watch() {
  if (options_.interrupted && options_.interrupted()) return Stop::kInterrupted;
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started_;
  if (options_.limits.max_seconds > 0 && spent.count() > options_.limits.max_seconds)
    return Stop::kTime;
  if (options_.limits.max_megabytes > 0 && ResidentMegabytes() > options_.limits.max_megabytes)
    return Stop::kMemory;
  return Stop::kGoesOn;
}

void Runtime::Renew() {
  started_ = std::chrono::steady_clock::now();
  stop_ = Stop::kGoesOn;
  stopped_at_.clear();
  newest_.clear();
  unchecked_ = false;
  const auto clock = [&] {
    if (!options_.now.empty()) return options_.now;
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}Z", fmt::gmtime(std::time(nullptr)));
  };
  Journal* const journal = options_.journal;
  const std::string now = journal != nullptr ? journal->Step(timestep_, clock) : clock();
  now_ = pool_.String(now);
  phase_ = 0;
  Tell("timestep", {{"now", now}});
}

void Runtime::TakeIn(const Document& document, Diagnostics& out) {
  const std::size_t rules = program_.definitions().size();
  const std::size_t collected = program_.collected_count();
  novelty_.push_back(program_.Load(document, out));
  if (program_.definitions().size() != rules || program_.collected_count() != collected)
    schema_changed_ = true;
}

void Runtime::TakeFindings(Diagnostics& out) {
  const std::vector<Machine::BadHead>& bad = fixpoint_.bad_heads();
  for (; bad_heads_known_ < bad.size(); ++bad_heads_known_)
    out.Add(Code::kBadHead, bad[bad_heads_known_].first->span,
            "expected a relation call as head, got `" + bad[bad_heads_known_].second + "` from `" +
                bad[bad_heads_known_].first->text + "`");
}

// Evaluation for an explanation leaves the machine as it was; tables are dropped.
void Runtime::Explain(const Definition& form, const ExplainLimits& limits,
                      std::size_t absence_depth, Explained& to) {
  Machine& machine = solver_.machine();
  const Stop stop = std::exchange(machine.stop, Stop::kGoesOn);
  const std::string stopped_at = machine.stopped_at;
  const std::string declined_call = machine.declined_call;
  const std::string failed_call = machine.failed_call;
  const std::string circular = machine.circular;
  const std::vector<OpenCall> calls = machine.calls;
  const std::vector<Violation> violations = machine.violations;
  const bool used_absence = machine.used_absence;
  solver_.Forget();
  {
    Explainer explainer(program_, store_, analysis_, solver_);
    to.why = explainer.Why(form, limits);
    if (to.why.proofs.empty()) to.why_not = explainer.WhyNot(form, absence_depth);
  }
  solver_.Forget();
  pool_.ClearOverflow();
  machine.stop = stop;
  machine.stopped_at = stopped_at;
  machine.declined_call = declined_call;
  machine.failed_call = failed_call;
  machine.circular = circular;
  machine.calls = calls;
  machine.violations = violations;
  machine.used_absence = used_absence;
}

void Runtime::OfferToContinue(const std::string& goal) {
  Log("offered to continue after " + goal);
  agent_.OfferToContinue(goal);
}

void Runtime::SetGoal(const Definition* query, bool pursue) {
  query_ = query;
  pursue_ = pursue;
  chat_ = false;
  standing_ = Standing::kNoGoal;
  declined_.clear();
}

std::string Runtime::RowText(RelationId relation, std::span<const Value> row) const {
  std::string out = store_.at(relation).name() + "(";
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) out += ", ";
    out += Text(pool_, row[i]);
  }
  return out + ")";
}

std::string Runtime::BindingsText(const std::vector<Value>& entries) const {
  std::string out = "{";
  for (std::size_t i = 0; i < entries.size(); i += 2) {
    if (i > 0) out += ", ";
    out += Text(pool_, entries[i]) + " " + Text(pool_, entries[i + 1]);
  }
  return out + "}";
}

}  // namespace rpl
