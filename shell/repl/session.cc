// SPDX-License-Identifier: Apache-2.0
#include "shell/repl/session.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "interp/eval/profile.h"
#include "runtime/facts/facts_file.h"
#include "runtime/gate_setup.h"
#include "runtime/record/session_store.h"
#include "runtime/run/saved_session.h"
#include "shell/program/engine_setup.h"
#include "shell/program/guard_setup.h"
#include "shell/terminal/input.h"
#include "shell/terminal/report.h"

namespace rpl {

namespace {

constexpr const char* kTraceName = "trace.rpl";

std::string PathOf(const std::string& name) {
  const std::optional<FactsName> facts = FactsNameOf(name);
  return facts ? facts->path : name;
}

Input ReadPart(const std::string& name) {
  return FactsNameOf(name) ? ReadRows(PathOf(name)) : ReadFile(name);
}

// True for an evaluation that might not have terminated.
bool IsCutOff(const Outcome& outcome) {
  return outcome.status == Status::kInterrupted || outcome.status == Status::kLimit;
}

ReplSession::Change Refused(std::string error) {
  ReplSession::Change change;
  change.taken = false;
  change.error = std::move(error);
  return change;
}

int NumberOf(const std::string& entry) {
  return std::atoi(entry.c_str() + std::string_view("<entry ").size());
}

// Drops replies that a later entry retracts: the retraction is a part of the program, and would
// precede them in the new session.
void DropTakenBack(Trace& trace) {
  std::unordered_set<std::string> taken_back;
  for (std::size_t i = trace.size(); i-- > 0;) {
    if (!trace[i].answered) continue;
    const std::string& call = trace[i].answered->call;
    if (trace[i].kind == TraceEntry::Kind::kRetraction) taken_back.insert(call);
    else if (trace[i].kind == TraceEntry::Kind::kReply && taken_back.contains(call))
      trace.erase(trace.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

int LastTimestep(const Trace& trace) { return trace.empty() ? 0 : trace.back().timestep; }

// The replies of a trace that stand. Output ($json) is no reply.
Trace RepliesOf(Trace trace) {
  DropTakenBack(trace);
  std::erase_if(trace, [](const TraceEntry& e) {
    return e.kind != TraceEntry::Kind::kReply || (e.answered && e.answered->shown);
  });
  return trace;
}

}  // namespace

ReplSession::ReplSession(Ports ports, SessionOptions options)
    : ports_(ports), options_(std::move(options)), profile_(std::make_unique<Profile>()) {
  options_.profile = profile_.get();
}

ReplSession::~ReplSession() = default;

void ReplSession::KeepIn(std::unique_ptr<SessionStore> store) { store_ = std::move(store); }

void ReplSession::SetReader() {
  std::vector<std::string> documents;
  for (const ProgramFile& part : parts_)
    if (!IsEntry(part)) documents.push_back(PathOf(part.name));
  if (documents.empty()) documents.push_back("entry");
  session_->SetFileReader(ReaderBeside(documents));
}

// Writes the beginning of an epoch; `recorded` is the part of it that the file already has.
void ReplSession::BeginEpoch(std::vector<Event> recorded, std::span<const Event> earlier,
                             const ProgramEvent& program) {
  const Trace to_come = EntriesToCome(earlier);
  const auto keep = [this](const Event& event, bool settled) {
    events_.push_back(event);
    return store_->Append(event, settled);
  };
  journal_ = std::make_unique<Journal>(std::move(recorded), earlier, keep, nullptr,
                                       Journal::End::kLive, program.undone);
  options_.journal = journal_.get();
  options_.door = program.door;
  journal_->Tell(Journal::Program(program));
  for (const TraceEntry& entry : to_come) journal_->Entry(entry);
}

std::vector<Diagnostic> ReplSession::Start(const std::vector<ProgramFile>& parts,
                                           const Trace& replies) {
  parts_ = parts;
  const CarriedTrace trace = Carried(replies);
  session_.reset();
  if (store_ != nullptr)
    BeginEpoch({}, events_, {parts, trace, RecordOf(options_.gate), undone_, true});
  session_ = std::make_unique<Session>(ports_, options_);
  profiled_.stands = false;
  SetReader();
  std::vector<Diagnostic> findings;
  for (const ProgramFile& part : parts)
    for (Diagnostic& finding : session_->Load(part.name, part.text, part.by))
      findings.push_back(std::move(finding));
  if (!trace.text.empty()) session_->LoadTrace(kTraceName, trace);
  session_->SetGoal(LastGoal(events_));
  return findings;
}

// Executes the timestep that takes the parts in. No question is asked.
Outcome ReplSession::Settle() {
  Outcome outcome = session_->Say("<start>", "");
  ClearInterrupt();
  return outcome;
}

Trace ReplSession::SoFar() const {
  if (session_ == nullptr) return {};
  Trace out;
  // With a journal, the entries include those of earlier epochs.
  if (store_ == nullptr) out = so_far_;
  const int before = LastTimestep(out);
  for (TraceEntry entry : session_->Entries()) {
    entry.timestep += before;
    out.push_back(std::move(entry));
  }
  const int last = LastTimestep(out);
  for (TraceEntry& half : session_->HalfAnswers()) {
    half.timestep = last;
    out.push_back(std::move(half));
  }
  return out;
}

int ReplSession::LastEntryAt() const {
  if (session_ == nullptr) return 0;
  const int last = LastTimestep(session_->Entries());
  return store_ == nullptr ? LastTimestep(so_far_) + last : last;
}

void ReplSession::Undo(int since) {
  if (const int last = LastEntryAt(); last >= since) undone_.emplace_back(since, last);
}

// Restarts with these parts; with the previous ones if these have errors or do not settle.
ReplSession::Change ReplSession::Exchange(std::vector<ProgramFile> parts,
                                          std::optional<int> undone) {
  Change change;
  const std::vector<ProgramFile> parts_before = parts_;
  const Undone undone_before = undone_;
  const Trace before = SoFar();
  const int attempt = LastEntryAt() + 1;
  const auto restart = [&](const std::vector<ProgramFile>& with) {
    so_far_ = before;
    DropUndone(so_far_, undone_);
    return Start(with, RepliesOf(so_far_));
  };
  if (undone) Undo(*undone);
  change.findings = restart(parts);
  change.taken = !HasErrors(change.findings);
  if (change.taken) {
    change.outcome = Settle();
    change.taken = !IsCutOff(change.outcome);
  }
  change.sources = session_->sources();
  if (!change.taken) {
    if (parts != parts_before) undone_ = undone_before;  // else the entry is in neither
    if (store_ != nullptr) Undo(attempt);                // the file has what it established
    restart(parts_before);
    Settle();
  }
  session_->SetLog(log_);
  return change;
}

void ReplSession::SetLimits(const SessionLimits& limits) {
  options_.limits = limits;
  if (session_ != nullptr) session_->SetLimits(limits);
}

void ReplSession::SetAnswerForms(AnswerForms forms) {
  options_.answer_forms = forms;
  if (session_ != nullptr) session_->SetAnswerForms(forms);
}

void ReplSession::SetLog(LogSink log) {
  log_ = std::move(log);
  session_->SetLog(log_);
}

ReplSession::Change ReplSession::Begin(std::vector<ProgramFile> documents) {
  return Exchange(std::move(documents));
}

std::vector<ProgramFile> ReplSession::EntriesOf(std::span<const Event> events) {
  std::vector<ProgramFile> out;
  for (const RecordedTurn& turn : FinishedTurns(events)) {
    if (!turn.text) continue;
    ProgramFile part{turn.name, NoveltyOf(turn.name, *turn.text), turn.by};
    if (IsEntry(part) && !part.text.empty()) out.push_back(std::move(part));
  }
  return out;
}

ReplSession::Change ReplSession::Resume(std::unique_ptr<SessionStore> store,
                                        std::vector<ProgramFile> documents) {
  store_ = std::move(store);
  events_ = store_->events();
  const std::optional<ProgramEvent> program = LastProgram(events_);
  if (!program) return Begin(std::move(documents));
  const auto epoch =
      std::find_if(events_.rbegin(), events_.rend(),
                   [](const Event& event) { return event.kind == Event::Kind::kProgram; })
          .base() -
      1;
  parts_ = program->files;
  undone_ = program->undone;
  began_ = MessageTimesteps(events_);
  // The epoch is replayed under its own guard; if that is not the present one, another begins.
  GateSetup* const gate = options_.gate;
  if (gate != nullptr) gate->session = store_->place();
  const bool other_guard = program->guard != RecordOf(options_.gate);
  if (other_guard) recorded_gate_ = GateSetupFrom(program->guard);
  if (other_guard) options_.gate = recorded_gate_.get();
  BeginEpoch({epoch, events_.end()}, {events_.begin(), epoch}, *program);
  session_ = std::make_unique<Session>(ports_, options_);
  profiled_.stands = false;
  SetReader();
  for (const ProgramFile& part : parts_) session_->Load(part.name, part.text, part.by);
  if (!program->trace.text.empty()) session_->LoadTrace(kTraceName, program->trace);
  bool cut_off = false;       // the last turn, on its replay
  std::optional<int> undone;  // where it began, if it asserted something
  while (const std::optional<RecordedTurn> turn = journal_->NextTurn()) {
    const int began = LastEntryAt() + 1;
    cut_off = IsCutOff(session_->Replay(*turn));
    undone.reset();
    if (!turn->text) continue;
    const ProgramFile part{turn->name, NoveltyOf(turn->name, *turn->text), turn->by};
    if (!IsEntry(part) || part.text.empty()) continue;
    if (cut_off) undone = began;
    else parts_.push_back(part);
  }
  for (const ProgramFile& part : parts_)
    if (IsEntry(part)) entries_ = std::max(entries_, NumberOf(part.name));
  ClearInterrupt();
  options_.gate = gate;
  if (!journal_->broken().empty()) return Refused(journal_->broken());
  session_->SetGoal(LastGoal(events_));
  std::vector<ProgramFile> parts = parts_;
  if (!documents.empty()) {
    std::erase_if(parts, [](const ProgramFile& part) { return !IsEntry(part); });
    parts.insert(parts.begin(), documents.begin(), documents.end());
    const bool same = parts == parts_ && !cut_off && !other_guard;
    return same ? Change() : Exchange(std::move(parts), undone);
  }
  if (cut_off || other_guard) Exchange(parts_, undone);
  return ReadAgain(std::move(parts));
}

ReplSession::Change ReplSession::Say(const Entry& entry) {
  Change change;
  const int began = LastEntryAt() + 1;
  profile_->Clear();
  change.outcome = session_->Say(entry.name, entry.text);
  KeepProfile();
  change.findings = change.outcome.diagnostics;
  change.sources = session_->sources();
  const bool asserts = !entry.novelty.empty();
  change.taken = !asserts || (!HasErrors(change.findings) && !IsCutOff(change.outcome));
  if (!change.taken || IsCutOff(change.outcome)) {
    GoBack(asserts ? std::optional(began) : std::nullopt);
  } else if (asserts) {
    parts_.push_back({entry.name, entry.novelty});
    began_[entry.name] = began;
  }
  return change;
}

// After a turn that was cut off, or whose entry must be removed. The file would complete a turn
// that was cut off, so an epoch begins.
void ReplSession::GoBack(std::optional<int> undone) {
  ClearInterrupt();
  if (undone || store_ != nullptr) Exchange(parts_, undone);
}

// Taking back and loading are evaluations as well, and must not replace the profile.
void ReplSession::KeepProfile() {
  profile_->Enter(Profile::Part::kElsewhere);
  profiled_ = {std::make_unique<Profile>(std::exchange(*profile_, Profile())), session_->sources(),
               true};
}

Outcome ReplSession::Run() {
  profile_->Clear();
  Outcome outcome = session_->Run();
  KeepProfile();
  if (IsCutOff(outcome)) GoBack(std::nullopt);
  return outcome;
}

std::optional<Outcome> ReplSession::Step() {
  profile_->Clear();
  std::optional<Outcome> outcome = session_->Step();
  KeepProfile();
  if (outcome && IsCutOff(*outcome)) GoBack(std::nullopt);
  return outcome;
}

ReplSession::Change ReplSession::Load(const std::string& name) {
  Input input = ReadPart(name);
  if (!input.error.empty()) return Refused(PathOf(name) + ": " + input.error);
  std::vector<ProgramFile> parts = parts_;
  const auto known = std::find_if(parts.begin(), parts.end(),
                                  [&](const ProgramFile& part) { return part.name == name; });
  if (known != parts.end()) known->text = std::move(input.text);
  else parts.push_back({name, std::move(input.text)});
  return Exchange(std::move(parts));
}

// Restarts with the documents as they are now; one that is missing keeps its text.
ReplSession::Change ReplSession::ReadAgain(std::vector<ProgramFile> parts) {
  std::string missing;
  for (ProgramFile& part : parts) {
    if (IsEntry(part)) continue;
    if (PathOf(part.name) == "-") continue;
    Input input = ReadPart(part.name);
    if (input.error.empty()) part.text = std::move(input.text);
    else missing = PathOf(part.name) + ": " + input.error + "; its text stays as it was";
  }
  Change change = parts == parts_ ? Change() : Exchange(std::move(parts));
  change.error = missing;
  return change;
}

ReplSession::Change ReplSession::Reload() { return ReadAgain(parts_); }

std::string ReplSession::LastEntry() const {
  const auto last = std::find_if(parts_.rbegin(), parts_.rend(), IsEntry);
  if (last == parts_.rend()) return "";
  return last->text.substr(0, last->text.find_last_not_of(" \t\n") + 1);
}

std::optional<ReplSession::Change> ReplSession::TakeBack() {
  std::vector<ProgramFile> parts = parts_;
  const auto last = std::find_if(parts.rbegin(), parts.rend(), IsEntry);
  if (last == parts.rend()) return std::nullopt;
  const auto began = began_.find(last->name);
  const std::optional<int> undone =
      began != began_.end() ? std::optional(began->second) : std::nullopt;
  parts.erase(std::next(last).base());
  return Exchange(std::move(parts), undone);
}

}  // namespace rpl
