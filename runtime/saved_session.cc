// SPDX-License-Identifier: Apache-2.0
#include "runtime/saved_session.h"

#include <algorithm>
#include <map>

#include "grammar/document.h"
#include "grammar/printer.h"
#include "runtime/gate.h"

namespace rpl {
namespace {

constexpr const char* kTraceName = "trace.rpl";

// Where the last epoch begins; events.size() when there is none.
std::size_t EpochStart(const std::vector<Event>& events) {
  const auto last = std::find_if(events.rbegin(), events.rend(), [](const Event& event) {
    return event.kind == Event::Kind::kProgram;
  });
  return last == events.rend() ? events.size() : static_cast<std::size_t>(events.rend() - last) - 1;
}

// Sentences and headings with a signature, printed, in order.
std::vector<std::string> SentencesOf(const std::vector<ProgramFile>& files) {
  std::vector<std::string> out;
  for (const ProgramFile& file : files) {
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

std::vector<TraceEntry> Entries(const std::vector<Event>& events, bool last_epoch_only) {
  std::vector<TraceEntry> out;
  for (std::size_t i = last_epoch_only ? EpochStart(events) : 0; i < events.size(); ++i)
    if (events[i].kind == Event::Kind::kEntry) out.push_back(EntryOf(events[i]));
  return out;
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

SavedSession::SavedSession(Agent& agent, SessionOptions options, std::vector<Event> events,
                           std::unique_ptr<SessionFile> file)
    : agent_(agent),
      options_(std::move(options)),
      events_(std::move(events)),
      file_(std::move(file)) {}

std::vector<Diagnostic> SavedSession::Start(
    const std::vector<ProgramFile>& files,
    std::function<std::optional<std::string>(const std::string&)> reader,
    const std::function<bool(const std::string&)>& retry) {
  const std::size_t start = EpochStart(events_);
  ProgramEvent program{files, "", options_.gate != nullptr ? options_.gate->record : nullptr};
  std::vector<Event> recorded;
  if (const auto last = LastProgram(events_)) {
    if (last->files == files && last->guard == program.guard) {
      program.trace = last->trace;
      recorded.assign(events_.begin() + static_cast<std::ptrdiff_t>(start), events_.end());
    } else {
      // All but the truth of the root goal: the new program is there to be run.
      std::vector<TraceEntry> trace = Entries(events_, true);
      std::erase_if(trace, [](const TraceEntry& entry) {
        return entry.kind == TraceEntry::Kind::kGoal && entry.text.starts_with("% ");
      });
      program.trace = TraceProgram(trace);
    }
  }
  const bool same = !recorded.empty();
  const std::span<const Event> earlier(events_.data(), same ? start : events_.size());
  if (options_.gate != nullptr) options_.gate->earlier = AnswersTo(earlier, "result");
  const auto load = [&](Session& session) {
    session.SetFileReader(reader);
    std::vector<Diagnostic> out;
    const auto take = [&](const std::string& name, const std::string& text) {
      for (Diagnostic& d : session.Load(name, text)) out.push_back(std::move(d));
    };
    for (const ProgramFile& file : program.files) take(file.name, file.text);
    if (!program.trace.empty()) take(kTraceName, program.trace);  // it may retract facts
    return out;
  };
  const auto keep = [this](const Event& event, bool settled) {
    return file_ == nullptr ? "" : file_->Append(event, settled);
  };
  session_ = std::make_unique<Session>(agent_, options_);
  if (!same) {  // nothing is kept of a program that has errors
    std::vector<Diagnostic> findings = load(*session_);
    if (std::any_of(findings.begin(), findings.end(),
                    [](const Diagnostic& d) { return d.severity == Severity::kError; }))
      return findings;
  }
  finished_turn_ = same && recorded.back().kind != Event::Kind::kOutcome && recorded.size() > 1;
  journal_ = std::make_unique<Journal>(std::move(recorded), CallsInDoubt(earlier), keep, retry);
  options_.journal = journal_.get();
  session_ = std::make_unique<Session>(agent_, options_);
  journal_->Tell(Journal::Program(program));
  std::vector<Diagnostic> findings = load(*session_);
  last_ = session_->Replay();
  return findings;
}

}  // namespace rpl
