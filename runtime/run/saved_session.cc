// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/saved_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "grammar/document.h"
#include "grammar/printer.h"
#include "runtime/facts/facts_file.h"
#include "runtime/nobody.h"
#include "runtime/step/gate.h"

namespace rpl {
namespace {

constexpr const char* kTraceName = "trace.rpl";

// The index of the last epoch's first event; events.size() if there is none.
std::size_t EpochStart(const std::vector<Event>& events) {
  const auto last = std::find_if(events.rbegin(), events.rend(), [](const Event& event) {
    return event.kind == Event::Kind::kProgram;
  });
  return last == events.rend() ? events.size() : static_cast<std::size_t>(events.rend() - last) - 1;
}

// Sentences and headings with a signature, printed, in order; rows of facts files.
std::vector<std::string> SentencesOf(const std::vector<ProgramFile>& files) {
  std::vector<std::string> out;
  for (const ProgramFile& file : files) {
    if (FactsNameOf(file.name)) {
      std::istringstream rows(file.text);
      for (std::string row; std::getline(rows, row);) out.push_back(file.name + ": " + row);
      continue;
    }
    Sources sources;
    Diagnostics ignored;
    const Document document = ReadDocument(sources, sources.Add(file.name, file.text), ignored);
    for (const Scope& scope : document.scopes)
      if (scope.signature) out.push_back("# " + scope.title + " - " + Print(*scope.signature));
    for (const PlacedSentence& placed : document.sentences) out.push_back(Print(placed.sentence));
  }
  return out;
}

}  // namespace

std::optional<ProgramEvent> LastProgram(const std::vector<Event>& events) {
  const std::size_t start = EpochStart(events);
  if (start == events.size()) return std::nullopt;
  return ProgramOf(events[start]);
}

std::vector<std::string> ProgramChanges(const std::vector<ProgramFile>& before,
                                        const std::vector<ProgramFile>& after) {
  const std::vector<std::string> was = SentencesOf(before);
  const std::vector<std::string> is = SentencesOf(after);
  std::map<std::string, int> count;
  for (const std::string& sentence : is) ++count[sentence];
  std::vector<std::string> out;
  for (const std::string& sentence : was)
    if (--count[sentence] < 0) out.push_back("- " + sentence);
  for (const std::string& sentence : is)
    if (--count[sentence] >= 0) out.push_back("+ " + sentence);
  return out;
}

Replayed ReplayAll(const std::vector<Event>& events, const GateOf& gate_of,
                   std::function<bool()> interrupted, std::size_t threads, SourceAccess* reader,
                   HostDescription* host) {
  Replayed out;
  Nobody nobody;  // a replay that ends with the recording asks nobody
  const Ports ports(nobody, nobody, reader != nullptr ? *reader : nobody);
  for (std::size_t begin = 0; begin < events.size() && out.differs.empty();) {
    const auto end =
        std::find_if(events.begin() + static_cast<std::ptrdiff_t>(begin) + 1, events.end(),
                     [](const Event& event) { return event.kind == Event::Kind::kProgram; });
    // A turn that was cut off ends with the recording, at any point.
    const SavedSession* epoch = nullptr;
    const ProgramEvent program = ProgramOf(events[begin]);
    const std::unique_ptr<GateSetup> gate = gate_of(program.guard);
    if (gate == nullptr && !program.guard.is_null()) {
      out.differs = fmt::format("event {}: its guard cannot be restored", begin + 1);
      break;
    }
    SessionOptions options;
    options.gate = gate.get();
    options.threads = threads;
    options.host = host;
    options.limits.max_seconds = 0;
    options.limits.max_megabytes = 0;
    options.interrupted = [&] { return epoch->over() || (interrupted && interrupted()); };
    SavedSession saved(ports, std::move(options), {events.begin(), end}, nullptr,
                       Journal::End::kOver);
    epoch = &saved;
    saved.Start(program.files, [](const std::string&) { return std::nullopt; });
    out.differs = saved.journal().Difference();
    const Trace recorded = Entries({events.begin(), end});
    const Trace& entries = saved.session().Entries();
    // Those of earlier epochs come first, without what this one says is undone.
    const std::size_t most = std::min(recorded.size(), entries.size());
    out.entries.assign(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(most));
    begin = static_cast<std::size_t>(end - events.begin());
  }
  return out;
}

SavedSession::SavedSession(Ports ports, SessionOptions options, std::vector<Event> events,
                           std::unique_ptr<SessionStore> store, Journal::End end)
    : ports_(ports),
      options_(std::move(options)),
      events_(std::move(events)),
      store_(std::move(store)),
      end_(end) {
  if (options_.gate != nullptr && store_ != nullptr) options_.gate->session = store_->place();
}

std::vector<Diagnostic> SavedSession::Start(const std::vector<ProgramFile>& files,
                                            FileReader reader, const Journal::Retry& retry) {
  const std::size_t start = EpochStart(events_);
  ProgramEvent program{files, {}, RecordOf(options_.gate), {}, true, options_.person};
  std::vector<Event> recorded;
  if (const auto last = LastProgram(events_)) {
    program.undone = last->undone;
    if (last->files == files && last->guard == program.guard) {
      program.trace = last->trace;
      program.door = last->door;
      program.person = last->person;
      recorded.assign(events_.begin() + static_cast<std::ptrdiff_t>(start), events_.end());
    } else {
      program.trace = Carried(TraceSoFar(events_));
    }
  }
  const bool same = !recorded.empty();
  const std::span<const Event> earlier(events_.data(), same ? start : events_.size());
  const auto load = [&](Session& session) {
    session.SetFileReader(reader);
    std::vector<Diagnostic> out;
    for (const ProgramFile& file : program.files)
      for (Diagnostic& d : session.Load(file.name, file.text, file.by)) out.push_back(std::move(d));
    if (!program.trace.text.empty())  // it may retract facts
      for (Diagnostic& d : session.LoadTrace(kTraceName, program.trace))
        out.push_back(std::move(d));
    return out;
  };
  const auto keep = [this](const Event& event, bool settled) {
    return store_ == nullptr ? "" : store_->Append(event, settled);
  };
  options_.door = program.door;
  session_ = std::make_unique<Session>(ports_, options_);
  if (!same) {  // nothing is kept of a program that has errors
    std::vector<Diagnostic> findings = load(*session_);
    if (HasErrors(findings)) return findings;
  }
  for (const Event& event : recorded) {
    if (event.kind == Event::Kind::kTurn) finished_turn_ = true;
    if (event.kind == Event::Kind::kOutcome) finished_turn_ = false;
  }
  journal_ =
      std::make_unique<Journal>(std::move(recorded), earlier, keep, retry, end_, program.undone);
  options_.journal = journal_.get();
  session_ = std::make_unique<Session>(ports_, options_);
  journal_->Tell(Journal::Program(program));
  for (const TraceEntry& entry : EntriesToCome(earlier)) journal_->Entry(entry);
  std::vector<Diagnostic> findings = load(*session_);
  last_ = session_->Replay();
  session_->SetGoal(LastGoal(events_));  // of an epoch before, if this one had no run
  finished_turn_ = finished_turn_ && last_;
  return findings;
}

}  // namespace rpl
