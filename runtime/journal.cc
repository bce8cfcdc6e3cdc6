// SPDX-License-Identifier: Apache-2.0
#include "runtime/journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "grammar/parser.h"
#include "interp/program.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr std::array<std::string_view, 10> kEventNames = {
    "program", "file", "turn", "step", "entry", "chat", "call", "started", "reply", "outcome"};
constexpr std::array<std::string_view, 7> kEntryNames = {
    "fact", "retraction", "reply", "constraint", "derivation", "goal", "failure"};
constexpr std::array<std::string_view, 3> kReplyNames = {"value", "metadata", "declined"};

// Events come from a file whose hashes were checked; one that is no object is empty.
ordered_json Body(const Event& event) {
  ordered_json body = ordered_json::parse(event.body, nullptr, false);
  return body.is_object() ? body : ordered_json::object();
}

std::string TextAt(const ordered_json& body, const char* key) {
  const auto at = body.find(key);
  return at != body.end() && at->is_string() ? at->get<std::string>() : "";
}

Event Make(Event::Kind kind, const ordered_json& body) {
  return {kind, body.dump(-1, ' ', false, ordered_json::error_handler_t::replace)};
}

Event CallEvent(Event::Kind kind, const std::string& call) { return Make(kind, {{"call", call}}); }

// A value from the text that Text gives it.
Value ValueOfText(Pool& pool, const std::string& text) {
  Sources sources;
  const std::uint32_t file = sources.Add("reply", text);
  Diagnostics ignored;
  const auto term = ParseTerm(sources, {file, 0, static_cast<std::uint32_t>(text.size())}, ignored);
  return term ? GroundValue(pool, *term) : kNone;
}

// What must not be lost: what came from outside, and what somebody outside was shown.
bool IsSettled(Event::Kind kind) {
  switch (kind) {
    case Event::Kind::kProgram:
    case Event::Kind::kChat:
    case Event::Kind::kStarted:
    case Event::Kind::kReply:
    case Event::Kind::kOutcome: return true;
    case Event::Kind::kFile:
    case Event::Kind::kTurn:
    case Event::Kind::kStep:
    case Event::Kind::kEntry:
    case Event::Kind::kCall: return false;
  }
  return true;
}

// A command that was started is in doubt until its reply is kept.
void NoteDoubt(const Event& event, std::set<std::string>& in_doubt) {
  if (event.kind == Event::Kind::kStarted) in_doubt.insert(TextAt(Body(event), "call"));
  if (event.kind == Event::Kind::kReply) in_doubt.erase(TextAt(Body(event), "call"));
}

std::string Shortened(const std::string& text) {
  constexpr std::size_t kMost = 200;
  return text.size() <= kMost ? text : text.substr(0, kMost) + "…";
}

}  // namespace

std::string_view EventName(Event::Kind kind) { return kEventNames[static_cast<std::size_t>(kind)]; }

std::optional<Event::Kind> EventKindOf(std::string_view name) {
  const auto at = std::find(kEventNames.begin(), kEventNames.end(), name);
  if (at == kEventNames.end()) return std::nullopt;
  return static_cast<Event::Kind>(at - kEventNames.begin());
}

std::string_view EntryName(TraceEntry::Kind kind) {
  return kEntryNames[static_cast<std::size_t>(kind)];
}

std::set<std::string> CallsInDoubt(std::span<const Event> events) {
  std::set<std::string> out;
  for (const Event& event : events) NoteDoubt(event, out);
  return out;
}

std::string TraceProgram(std::span<const TraceEntry> trace) {
  std::string out;
  for (const TraceEntry& entry : trace) {
    const bool follows = entry.kind == TraceEntry::Kind::kDerivation ||
                         entry.kind == TraceEntry::Kind::kConstraint ||
                         entry.kind == TraceEntry::Kind::kFailure;
    out += (follows ? "-- " : "") + entry.text + "\n";
  }
  return out;
}

ProgramEvent ProgramOf(const Event& event) {
  const ordered_json body = Body(event);
  ProgramEvent out;
  out.trace = TextAt(body, "trace");
  if (const auto files = body.find("files"); files != body.end() && files->is_array())
    for (const ordered_json& file : *files)
      out.files.push_back({TextAt(file, "name"), TextAt(file, "text")});
  return out;
}

TraceEntry EntryOf(const Event& event) {
  const ordered_json body = Body(event);
  const auto at = std::find(kEntryNames.begin(), kEntryNames.end(), TextAt(body, "kind"));
  const auto kind = static_cast<TraceEntry::Kind>(std::min<std::ptrdiff_t>(
      at - kEntryNames.begin(), static_cast<std::ptrdiff_t>(kEntryNames.size()) - 1));
  return {kind, body.value("timestep", 0), body.value("phase", 0), TextAt(body, "text")};
}

Journal::Journal(std::vector<Event> recorded, std::set<std::string> in_doubt, Sink sink,
                 std::function<bool(const std::string&)> retry)
    : recorded_(std::move(recorded)),
      sink_(std::move(sink)),
      in_doubt_(std::move(in_doubt)),
      retry_(std::move(retry)) {}

const Event* Journal::Next() const {
  return !broken_.empty() || at_ == recorded_.size() ? nullptr : &recorded_[at_];
}

void Journal::Tell(Event event) {
  if (!broken_.empty()) return;
  if (const Event* next = Next()) {
    if (*next != event) {
      broken_ = fmt::format("event {} was {} {}, and is now {} {}", at_ + 1, EventName(next->kind),
                            Shortened(next->body), EventName(event.kind), Shortened(event.body));
      return;
    }
    ++at_;
  } else {
    if (sink_) broken_ = sink_(event, IsSettled(event.kind));
  }
  NoteDoubt(event, in_doubt_);
}

Event Journal::Program(const ProgramEvent& program) {
  ordered_json files = ordered_json::array();
  for (const ProgramFile& file : program.files)
    files.push_back({{"name", file.name}, {"text", file.text}});
  return Make(Event::Kind::kProgram, {{"files", std::move(files)}, {"trace", program.trace}});
}

std::optional<std::string> Journal::File(const std::string& name,
                                         const std::function<std::optional<std::string>()>& read) {
  ordered_json text;
  if (const Event* next = Next(); next != nullptr && next->kind == Event::Kind::kFile)
    text = Body(*next).value("text", ordered_json());
  else if (const std::optional<std::string> got = read()) text = *got;
  Tell(Make(Event::Kind::kFile, {{"name", name}, {"text", text}}));
  if (!text.is_string()) return std::nullopt;
  return text.get<std::string>();
}

void Journal::Turn(const std::string& name, const std::string* text) {
  ordered_json body = ordered_json::object();
  if (text != nullptr) body = {{"name", name}, {"text", *text}};
  Tell(Make(Event::Kind::kTurn, body));
}

std::optional<RecordedTurn> Journal::NextTurn() const {
  const Event* next = Next();
  if (next == nullptr || next->kind != Event::Kind::kTurn) return std::nullopt;
  const ordered_json body = Body(*next);
  RecordedTurn turn{TextAt(body, "name"), std::nullopt};
  if (body.contains("text")) turn.text = TextAt(body, "text");
  return turn;
}

void Journal::End(const Outcome& outcome) {
  if (!outcome.repeatable) return;
  ordered_json body = {{"status", StatusName(outcome.status)}, {"goal", outcome.goal}};
  body["answers"] = outcome.answers;
  body["reason"] = outcome.reason;
  Tell(Make(Event::Kind::kOutcome, body));
}

std::string Journal::Step(int timestep, const std::function<std::string()>& clock) {
  std::string now;
  if (const Event* next = Next(); next != nullptr && next->kind == Event::Kind::kStep)
    now = TextAt(Body(*next), "now");
  else now = clock();
  Tell(Make(Event::Kind::kStep, {{"timestep", timestep}, {"now", now}}));
  return now;
}

void Journal::Entry(const TraceEntry& entry) {
  Tell(Make(Event::Kind::kEntry, {{"kind", EntryName(entry.kind)},
                                  {"timestep", entry.timestep},
                                  {"phase", entry.phase},
                                  {"text", entry.text}}));
}

bool Journal::Chat(const std::string& line) {
  const bool is_new = live();
  Tell(Make(Event::Kind::kChat, {{"line", line}}));
  return is_new;
}

void Journal::Call(const std::string& call) { Tell(CallEvent(Event::Kind::kCall, call)); }

void Journal::Started(const std::string& call) { Tell(CallEvent(Event::Kind::kStarted, call)); }

std::optional<Journal::Recorded> Journal::NextReply(const std::vector<std::string>& calls,
                                                    Pool& pool) {
  while (Next() != nullptr && Next()->kind == Event::Kind::kStarted) {
    NoteDoubt(*Next(), in_doubt_);
    ++at_;
  }
  const Event* next = Next();
  if (next == nullptr || next->kind != Event::Kind::kReply) return std::nullopt;
  const ordered_json body = Body(*next);
  const auto call = std::find(calls.begin(), calls.end(), TextAt(body, "call"));
  if (call == calls.end()) return std::nullopt;
  rpl::Answer answer;
  const std::string kind = TextAt(body, "kind");
  answer.kind = kind == kReplyNames[0]   ? rpl::Answer::Kind::kValue
                : kind == kReplyNames[1] ? rpl::Answer::Kind::kMeta
                                         : rpl::Answer::Kind::kDecline;
  if (answer.kind != rpl::Answer::Kind::kDecline)
    answer.value = ValueOfText(pool, TextAt(body, "value"));
  if (answer.kind != rpl::Answer::Kind::kDecline && answer.value.is_none()) {
    broken_ = fmt::format("event {}: the reply {} cannot be read", at_ + 1,
                          Shortened(TextAt(body, "value")));
    return std::nullopt;
  }
  NoteDoubt(*next, in_doubt_);
  ++at_;
  return Recorded{static_cast<std::size_t>(call - calls.begin()), answer};
}

void Journal::Reply(const std::string& call, const rpl::Answer& answer, const Pool& pool,
                    std::optional<std::chrono::milliseconds> took) {
  const bool declined = answer.kind == rpl::Answer::Kind::kDecline;
  const std::string_view kind = declined                                  ? kReplyNames[2]
                                : answer.kind == rpl::Answer::Kind::kMeta ? kReplyNames[1]
                                                                          : kReplyNames[0];
  ordered_json body = {{"call", call}, {"kind", kind}};
  if (!declined) body["value"] = Text(pool, answer.value);
  if (took) body["ms"] = took->count();
  Tell(Make(Event::Kind::kReply, body));
}

}  // namespace rpl
