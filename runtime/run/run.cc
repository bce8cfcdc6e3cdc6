// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/run.h"

#include <algorithm>
#include <utility>

#include "runtime/host/host_calls.h"
#include "runtime/run/saved_session.h"

namespace rpl {
namespace {

// Whether the last recorded turn is a run of the goal; of sessions that recorded no goal, of any.
bool PursuedLast(const std::vector<Event>& events, const std::string& goal) {
  const auto turn = std::find_if(events.rbegin(), events.rend(),
                                 [](const Event& e) { return e.kind == Event::Kind::kTurn; });
  if (turn == events.rend() || Journal({*turn}, {}, nullptr).NextTurn()->text) return false;
  const std::string last = LastGoal(events);
  return last.empty() || last == goal;
}

bool ReadsSources(const Trace& entries) {
  return std::ranges::any_of(entries, [](const TraceEntry& entry) {
    return entry.answered && entry.answered->tool == "index";
  });
}

}  // namespace

Run::~Run() = default;

Run::Opened Run::Open(Ports ports, RunSpec spec) {
  Opened out{std::unique_ptr<Run>(new Run), {}};
  Run& run = *out.run;
  const auto loading = std::make_shared<bool>(true);
  FileReader reader = std::move(spec.reader);
  if (reader && !spec.messages_read)
    reader = [beside = std::move(reader), loading](const std::string& name) {
      return *loading ? beside(name) : std::nullopt;
    };
  if (spec.record) {
    if (spec.options.host == nullptr && spec.record->store != nullptr)
      spec.options.host = spec.record->store->host();
    run.host_ = spec.options.host;
    run.seen_ = LastHostEntry(spec.record->events);
    run.pursued_ = PursuedLast(spec.record->events, spec.goal.value_or(""));
    run.saved_ = std::make_unique<SavedSession>(ports, std::move(spec.options),
                                                std::move(spec.record->events),
                                                std::move(spec.record->store));
    out.findings = run.saved_->Start(spec.files, std::move(reader), spec.retry);
    run.session_ = &run.saved_->session();
    run.last_ = run.saved_->last();
    run.finished_ = run.saved_->finished_turn();
  } else {
    run.own_ = std::make_unique<Session>(ports, std::move(spec.options));
    run.session_ = run.own_.get();
    run.session_->SetFileReader(std::move(reader));
    for (ProgramFile& file : spec.files)
      for (Diagnostic& d : run.session_->Load(file.name, std::move(file.text), file.by))
        out.findings.push_back(std::move(d));
  }
  *loading = false;
  if (HasErrors(out.findings)) out.why = Unopened::kRejected;
  else if (!run.broken().empty()) out.why = Unopened::kBroken;
  else if (spec.goal && !run.session_->HasGoals()) out.why = Unopened::kNoGoals;
  else if (spec.goal && !run.session_->SetGoal(*spec.goal)) out.why = Unopened::kNoSuchGoal;
  return out;
}

Run::Opened Run::Read(Ports ports, const std::vector<Event>& events, RunSpec spec) {
  spec.files = LastProgram(events)->files;
  spec.reader = [](const std::string&) { return std::nullopt; };  // its files are in the record
  spec.record = Recording{events};
  return Open(ports, std::move(spec));
}

// What the last turn was, which has just ended.
void Run::Took(bool pursued) {
  pursued_ = pursued;
  finished_ = false;
  if (host_ != nullptr) seen_ = host_->last();
}

const Outcome& Run::Turn() {
  last_ = session_->Run();
  Took(true);
  return *last_;
}

std::optional<Outcome> Run::Step() {
  last_ = session_->Step();
  Took(true);
  return last_;
}

Outcome Run::Say(const std::string& name, std::string text, By by) {
  last_ = session_->Say(name, std::move(text), by);
  Took(false);
  return *last_;
}

const Outcome* Run::Standing() const {
  if (!last_ || !pursued_ || (host_ != nullptr && host_->last() != seen_)) return nullptr;
  const bool finished = finished_ && !last_->not_run;
  return finished || (last_->repeatable && !ReadsSources(session_->Entries())) ? &*last_ : nullptr;
}

bool Run::IsOver() const {
  return Standing() != nullptr &&
         (last_->status == Status::kSatisfied || (finished_ && !last_->not_run));
}

std::string Run::broken() const { return saved_ == nullptr ? "" : saved_->broken(); }

bool Run::differs() const { return saved_ != nullptr && saved_->journal().differs(); }

bool Run::InDoubt(const std::string& call) const {
  return saved_ != nullptr && saved_->journal().InDoubt(call);
}

}  // namespace rpl
