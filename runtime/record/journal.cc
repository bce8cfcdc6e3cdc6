// SPDX-License-Identifier: Apache-2.0
#include "runtime/record/journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "formats/data/json_fields.h"
#include "formats/shorten.h"
#include "grammar/parser.h"
#include "interp/program/program.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr std::array<std::string_view, 13> kEventNames = {
    "program", "file",  "turn",    "step",     "entry",   "chat",   "call",
    "started", "reply", "outside", "decision", "outcome", "attempt"};
constexpr std::array<std::pair<std::string_view, rpl::Answer::Kind>, 4> kReplyNames = {
    {{"value", rpl::Answer::Kind::kValue},
     {"metadata", rpl::Answer::Kind::kMeta},
     {"declined", rpl::Answer::Kind::kDecline},
     {"not-run", rpl::Answer::Kind::kNotRun}}};

// Events come from a file whose hashes were checked; one that is no object is empty.
ordered_json Body(const Event& event) {
  ordered_json body = ordered_json::parse(event.body, nullptr, false);
  return body.is_object() ? body : ordered_json::object();
}

// Of a timestep, what it saw of the log of a host's calls.
std::int64_t HostEntryOf(const ordered_json& step) {
  const auto at = step.find("host");
  return at != step.end() && at->is_number_unsigned() ? at->get<std::int64_t>() : 0;
}

Event Make(Event::Kind kind, const ordered_json& body) {
  return {kind, body.dump(-1, ' ', false, ordered_json::error_handler_t::replace)};
}

// `tool` is the label of the tool, "" for a question.
Event CallEvent(Event::Kind kind, const std::string& call, const std::string& tool) {
  ordered_json body = {{"call", call}};
  if (!tool.empty()) body["tool"] = tool;
  return Make(kind, body);
}

// The value with this Text.
Value ValueOfText(Pool& pool, const std::string& text) {
  Sources sources;
  const std::uint32_t file = sources.Add("reply", text);
  Diagnostics ignored;
  const auto term = ParseTerm(sources, {file, 0, static_cast<std::uint32_t>(text.size())}, ignored);
  return term ? GroundValue(pool, *term) : kNone;
}

// Events that must not be lost: inputs from outside, and output that was shown outside.
bool IsSettled(Event::Kind kind) {
  switch (kind) {
    case Event::Kind::kProgram:
    case Event::Kind::kChat:
    case Event::Kind::kStarted:
    case Event::Kind::kReply:
    case Event::Kind::kOutside:
    case Event::Kind::kOutcome:
    case Event::Kind::kAttempt: return true;
    case Event::Kind::kFile:
    case Event::Kind::kTurn:
    case Event::Kind::kStep:
    case Event::Kind::kEntry:
    case Event::Kind::kCall:
    case Event::Kind::kDecision: return false;
  }
  return true;
}

// A call whose command was started is in doubt until its reply is recorded.
void NoteDoubt(const Event& event, CallsOfTools& in_doubt) {
  if (event.kind != Event::Kind::kStarted && event.kind != Event::Kind::kReply) return;
  const ordered_json body = Body(event);
  if (event.kind == Event::Kind::kStarted)
    in_doubt.insert_or_assign(TextAt(body, "call"), TextAt(body, "tool"));
  else in_doubt.erase(TextAt(body, "call"));
}

// Replies for arguments of one heading make one fact, with the last of them; until then
// they are kept here, by heading, in order.
using Parts = std::map<std::string, std::vector<Event>>;

void NotePart(const Event& event, Parts& parts) {
  if (event.kind != Event::Kind::kReply) return;
  const ordered_json body = Body(event);
  const std::string heading = TextAt(body, "heading");
  if (heading.empty() || !body.contains("value")) return;
  if (body.contains("entry")) {
    parts.erase(heading);
    return;
  }
  std::vector<Event>& answers = parts[heading];
  std::erase_if(answers, [&](const Event& other) {
    return TextAt(Body(other), "call") == TextAt(body, "call");
  });
  answers.push_back(event);
}

ordered_json AnsweredJson(const AnsweredCall& answered) {
  ordered_json body = {{"call", answered.call}};
  if (!answered.tool.empty()) body["tool"] = answered.tool;
  if (!answered.keys.empty()) body["keys"] = answered.keys;
  if (answered.failed) body["failed"] = true;
  if (answered.declined) body["declined"] = true;
  if (answered.shown) body["shown"] = true;
  return body;
}

AnsweredCall AnsweredOf(const ordered_json& body) {
  AnsweredCall out;
  out.call = TextAt(body, "call");
  out.tool = TextAt(body, "tool");
  if (const auto keys = body.find("keys"); keys != body.end() && keys->is_array())
    for (const ordered_json& key : *keys)
      if (key.is_string()) out.keys.push_back(key.get<std::string>());
  out.failed = FlagAt(body, "failed");
  out.declined = FlagAt(body, "declined");
  out.shown = FlagAt(body, "shown");
  return out;
}

ordered_json EntryJson(const TraceEntry& entry) {
  ordered_json body = {{"kind", EntryName(entry.kind)},
                       {"timestep", entry.timestep},
                       {"phase", entry.phase},
                       {"text", entry.text}};
  if (entry.stated) body["stated"] = true;
  if (entry.again) body["again"] = true;
  if (entry.by) body["by"] = NameOf(*entry.by);
  if (entry.answered) body["answered"] = AnsweredJson(*entry.answered);
  return body;
}

TraceEntry EntryOf(const ordered_json& body) {
  TraceEntry out;
  const std::string name = TextAt(body, "kind");
  while (out.kind != TraceEntry::Kind::kFailure && EntryName(out.kind) != name)
    out.kind = static_cast<TraceEntry::Kind>(static_cast<int>(out.kind) + 1);
  out.timestep = NumberAt(body, "timestep");
  out.phase = NumberAt(body, "phase");
  out.text = TextAt(body, "text");
  out.stated = FlagAt(body, "stated");
  out.again = FlagAt(body, "again");
  out.by = ByOf(TextAt(body, "by"));
  if (const auto at = body.find("answered"); at != body.end()) out.answered = AnsweredOf(*at);
  return out;
}

// Who said it, of bodies that record it always.
By ByIn(const ordered_json& body) { return ByOf(TextAt(body, "by")).value_or(By::kHost); }

RecordedTurn TurnOf(const Event& event) {
  const ordered_json body = Body(event);
  RecordedTurn out{TextAt(body, "name"), std::nullopt, ByIn(body), TextAt(body, "goal"),
                   TextAt(body, "person")};
  if (body.contains("text")) out.text = TextAt(body, "text");
  return out;
}

// A source with its text, or with the query by which it was read.
ordered_json SourceJson(const SourceText& source) {
  if (source.by != By::kFile)
    return {{"name", source.name}, {"text", source.text}, {"by", NameOf(source.by)}};
  if (!source.query) return {{"name", source.name}, {"text", source.text}};
  return {{"name", source.name},
          {"database", source.query->database},
          {"query", source.query->sql},
          {"parameters", source.query->parameters},
          {"digest", source.query->digest}};
}

SourceText SourceIn(const ordered_json& body) {
  SourceText out{TextAt(body, "name"), TextAt(body, "text")};
  out.query = QueryIn(body);
  out.by = ByOf(TextAt(body, "by")).value_or(By::kFile);
  return out;
}

// The entries of all epochs, in order.
Trace AllEntries(std::span<const Event> events) {
  Trace out;
  for (const Event& event : events) {
    if (event.kind == Event::Kind::kProgram)
      for (TraceEntry& entry : out) entry.past = true;
    if (event.kind == Event::Kind::kEntry) out.push_back(EntryOf(Body(event)));
  }
  return out;
}

// In an event, the list is flat.
Undone UndoneIn(const ordered_json& body) {
  std::vector<int> flat;
  if (const auto at = body.find("undone"); at != body.end() && at->is_array())
    for (const ordered_json& number : *at)
      flat.push_back(number.is_number_integer() ? number.get<int>() : 0);
  Undone out;
  for (std::size_t i = 0; i + 1 < flat.size(); i += 2) out.emplace_back(flat[i], flat[i + 1]);
  return out;
}

std::string Told(const std::string& body) {
  constexpr std::size_t kMost = 200;
  return Shortened(body, kMost);
}

}  // namespace

std::optional<SourceQuery> QueryIn(const ordered_json& source) {
  if (!source.is_object() || !source.contains("query")) return std::nullopt;
  SourceQuery out{
      TextAt(source, "database"), TextAt(source, "query"), {}, TextAt(source, "digest")};
  if (const auto given = source.find("parameters"); given != source.end() && given->is_array())
    for (const ordered_json& parameter : *given)
      out.parameters.push_back(parameter.is_string() ? parameter.get<std::string>() : "");
  return out;
}

std::vector<RecordedQuery> QueriesOf(std::span<const Event> events) {
  std::vector<RecordedQuery> out;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].kind != Event::Kind::kReply) continue;
    const ordered_json body = Body(events[i]);
    const auto source = body.find("source");
    if (source == body.end()) continue;
    if (std::optional<SourceQuery> query = QueryIn(*source))
      out.push_back({i + 1, TextAt(body, "call"), std::move(*query)});
  }
  return out;
}

std::string_view EventName(Event::Kind kind) { return kEventNames[static_cast<std::size_t>(kind)]; }

std::optional<Event::Kind> EventKindOf(std::string_view name) {
  const auto at = std::find(kEventNames.begin(), kEventNames.end(), name);
  if (at == kEventNames.end()) return std::nullopt;
  return static_cast<Event::Kind>(at - kEventNames.begin());
}

std::optional<rpl::Answer::Kind> ReplyKindOf(std::string_view name) {
  for (const auto& [known, kind] : kReplyNames)
    if (name == known) return kind;
  return std::nullopt;
}

std::vector<RecordedTurn> FinishedTurns(std::span<const Event> events) {
  std::vector<RecordedTurn> out;
  std::optional<RecordedTurn> turn;
  for (const Event& event : events) {
    if (event.kind == Event::Kind::kProgram) out.clear();
    if (event.kind == Event::Kind::kTurn) turn = TurnOf(event);
    if (event.kind != Event::Kind::kOutcome || !turn) continue;
    out.push_back(std::move(*turn));
    turn.reset();
  }
  return out;
}

CallsOfTools CallsInDoubt(std::span<const Event> events) {
  CallsOfTools out;
  for (const Event& event : events) NoteDoubt(event, out);
  return out;
}

ProgramEvent ProgramOf(const Event& event) {
  const ordered_json body = Body(event);
  ProgramEvent out;
  out.trace.text = TextAt(body, "trace");
  if (const auto names = body.find("by"); names != body.end() && names->is_array())
    for (const ordered_json& name : *names)
      out.trace.by.push_back(
          ByOf(name.is_string() ? name.get<std::string>() : "").value_or(By::kHost));
  if (const auto files = body.find("files"); files != body.end() && files->is_array())
    for (const ordered_json& file : *files)
      out.files.push_back({TextAt(file, "name"), TextAt(file, "text"),
                           ByOf(TextAt(file, "by")).value_or(By::kProgram)});
  out.guard = body.value("guard", ordered_json());
  out.undone = UndoneIn(body);
  out.door = FlagAt(body, "door");
  out.person = TextAt(body, "person");
  return out;
}

std::string LastGoal(std::span<const Event> events) {
  for (auto event = events.rbegin(); event != events.rend(); ++event) {
    if (event->kind != Event::Kind::kTurn) continue;
    if (RecordedTurn turn = TurnOf(*event); !turn.text) return std::move(turn.goal);
  }
  return "";
}

std::int64_t LastHostEntry(std::span<const Event> events) {
  for (auto event = events.rbegin(); event != events.rend(); ++event)
    if (event->kind == Event::Kind::kStep) return HostEntryOf(Body(*event));
  return 0;
}

std::map<std::string, int> MessageTimesteps(std::span<const Event> events) {
  std::map<std::string, int> out;
  std::string name;  // of a message whose first timestep follows
  for (const Event& event : events) {
    if (event.kind == Event::Kind::kTurn) name = TurnOf(event).name;
    if (event.kind != Event::Kind::kStep || name.empty()) continue;
    out.insert_or_assign(std::exchange(name, ""), NumberAt(Body(event), "timestep"));
  }
  return out;
}

void DropUndone(Trace& trace, const Undone& undone) {
  if (undone.empty()) return;
  std::map<std::string, int> answered;  // calls, with the timesteps of their next replies
  std::vector<bool> drops(trace.size());
  for (std::size_t i = trace.size(); i-- > 0;) {
    const TraceEntry& entry = trace[i];
    if (entry.kind == TraceEntry::Kind::kReply) {
      if (entry.answered) answered[entry.answered->call] = entry.timestep;
      continue;
    }
    const auto reply = entry.kind == TraceEntry::Kind::kRetraction && entry.answered
                           ? answered.find(entry.answered->call)
                           : answered.end();
    drops[i] = std::any_of(undone.begin(), undone.end(), [&](const auto& range) {
      return range.first <= entry.timestep && entry.timestep <= range.second &&
             (reply == answered.end() || reply->second > range.second);
    });
  }
  std::size_t at = 0;
  std::erase_if(trace, [&](const TraceEntry&) { return drops[at++]; });
}

Trace Entries(std::span<const Event> events) {
  Trace out = AllEntries(events);
  const auto last = std::find_if(events.rbegin(), events.rend(), [](const Event& event) {
    return event.kind == Event::Kind::kProgram;
  });
  if (last != events.rend()) DropUndone(out, UndoneIn(Body(*last)));
  return out;
}

// A timestep asserts the replies of the previous one in its first phases, and nothing is settled in
// between. So replies without an entry come after the last step; the next epoch may begin with some
// of their entries.
Trace EntriesToCome(std::span<const Event> events) {
  Trace out;
  for (const Event& event : events) {
    if (event.kind == Event::Kind::kStep) out.clear();
    if (event.kind == Event::Kind::kEntry && !out.empty())
      std::erase_if(out, [text = TextAt(Body(event), "text")](const TraceEntry& entry) {
        return entry.text == text;
      });
    if (event.kind != Event::Kind::kReply) continue;
    const ordered_json body = Body(event);
    if (const auto entry = body.find("entry"); entry != body.end()) out.push_back(EntryOf(*entry));
  }
  return out;
}

Trace HalfAnswers(std::span<const Event> events) {
  Parts parts;
  for (const Event& event : events) NotePart(event, parts);
  Trace out;
  for (const auto& [heading, answers] : parts) {
    std::string bindings;
    By by = By::kProgram;
    for (const Event& event : answers) {
      const ordered_json body = Body(event);
      by = std::max(by, ByIn(body));
      bindings +=
          (bindings.empty() ? "" : ", ") + TextAt(body, "argument") + " " + TextAt(body, "value");
    }
    out.push_back(HalfAnswered(heading, "{" + bindings + "}"));
    out.back().by = by;
  }
  return out;
}

Trace TraceSoFar(std::span<const Event> events) {
  Trace out = Entries(events);
  for (TraceEntry& entry : EntriesToCome(events)) out.push_back(std::move(entry));
  return out;
}

Journal::Journal(std::vector<Event> recorded, std::span<const Event> earlier, Sink sink,
                 Retry retry, End end, const Undone& undone)
    : recorded_(std::move(recorded)),
      sink_(std::move(sink)),
      retry_(std::move(retry)),
      end_(end),
      before_(earlier.size()),
      earlier_(AllEntries(earlier)) {
  for (TraceEntry& entry : EntriesToCome(earlier)) earlier_.push_back(std::move(entry));
  DropUndone(earlier_, undone);
  for (TraceEntry& entry : earlier_) entry.past = true;
  for (const Event& event : earlier) {
    if (event.kind == Event::Kind::kStep) last_timestep_ = NumberAt(Body(event), "timestep");
    NotePart(event, parts_);
    NoteStart(event);
    if (event.kind == Event::Kind::kAttempt) attempts_.push_back(AttemptOf(Body(event)));
    if (event.kind != Event::Kind::kOutside) continue;
    const ordered_json body = Body(event);
    if (std::string call = TextAt(FieldAt(body, "question"), "result"); !call.empty())
      results_.emplace_back(std::move(call), FieldAt(body, "answer"));
  }
  for (const auto& [call, tool] : in_doubt_) cut_off_[call] = {tool, starts_[call]};
}

void Journal::NoteStart(const Event& event) {
  NoteDoubt(event, in_doubt_);
  if (event.kind == Event::Kind::kStarted) ++starts_[TextAt(Body(event), "call")];
  else if (event.kind == Event::Kind::kReply) starts_.erase(TextAt(Body(event), "call"));
}

const Event* Journal::Next() const {
  return !broken_.empty() || at_ == recorded_.size() ? nullptr : &recorded_[at_];
}

std::string Journal::Difference() const {
  const Event* next = Next();
  if (next == nullptr) return broken_;
  return fmt::format("event {} was {} {}, and is now missing", Number(), EventName(next->kind),
                     Told(next->body));
}

void Journal::Tell(Event event) {
  if (!broken_.empty()) return;
  if (const Event* next = Next()) {
    if (*next != event) {
      differs_ = true;
      broken_ = fmt::format("event {} was {} {}, and is now {} {}", Number(), EventName(next->kind),
                            Told(next->body), EventName(event.kind), Told(event.body));
      return;
    }
    ++at_;
  } else if (over()) {
    return;
  } else if (sink_) {
    broken_ = sink_(event, IsSettled(event.kind));
  }
  NoteStart(event);
}

Event Journal::Program(const ProgramEvent& program) {
  ordered_json files = ordered_json::array();
  for (const ProgramFile& file : program.files) {
    files.push_back({{"name", file.name}, {"text", file.text}});
    if (file.by != By::kProgram) files.back()["by"] = NameOf(file.by);
  }
  ordered_json body = {{"files", std::move(files)}, {"trace", program.trace.text}};
  for (const By by : program.trace.by) body["by"].push_back(NameOf(by));
  if (!program.guard.is_null()) body["guard"] = program.guard;
  for (const auto& [first, last] : program.undone) {
    body["undone"].push_back(first);
    body["undone"].push_back(last);
  }
  if (program.door) body["door"] = true;
  if (!program.person.empty()) body["person"] = program.person;
  return Make(Event::Kind::kProgram, body);
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

void Journal::Turn(const RecordedTurn& turn) {
  ordered_json body = ordered_json::object();
  if (turn.text) body = {{"name", turn.name}, {"text", *turn.text}, {"by", NameOf(turn.by)}};
  else if (!turn.goal.empty()) body["goal"] = turn.goal;
  const std::optional<RecordedTurn> recorded = NextTurn();
  if (const std::string& person = recorded ? recorded->person : turn.person; !person.empty())
    body["person"] = person;
  Tell(Make(Event::Kind::kTurn, body));
}

std::optional<RecordedTurn> Journal::NextTurn() const {
  const Event* next = Next();
  if (next == nullptr || next->kind != Event::Kind::kTurn) return std::nullopt;
  return TurnOf(*next);
}

void Journal::Finish(const Outcome& outcome) {
  if (!outcome.repeatable) return;
  ordered_json body = {{"status", StatusName(outcome.status)}, {"goal", outcome.goal}};
  body["answers"] = outcome.answers;
  body["reason"] = outcome.reason;
  Tell(Make(Event::Kind::kOutcome, body));
}

Journal::StepInput Journal::Step(int timestep, const std::function<std::string()>& clock,
                                 const SessionLimits& limits, std::int64_t host) {
  StepInput out{"", limits, host};
  SessionLimits& to = out.limits;
  std::size_t* const counters[] = {&to.max_rows, &to.max_rounds, &to.max_depth, &to.max_iterations,
                                   &to.max_timesteps};
  ordered_json numbers = ordered_json::array();
  if (const Event* next = Next(); next != nullptr && next->kind == Event::Kind::kStep) {
    const ordered_json body = Body(*next);
    out.now = TextAt(body, "now");
    if (const auto at = body.find("limits"); at != body.end() && at->is_array()) numbers = *at;
    for (std::size_t i = 0; i < std::min(numbers.size(), std::size(counters)); ++i)
      if (numbers[i].is_number_unsigned()) *counters[i] = numbers[i].get<std::size_t>();
    to.max_depth = std::min(to.max_depth, kMostDepth);
    out.host = HostEntryOf(body);
  } else {
    out.now = clock();
    for (const std::size_t* counter : counters) numbers.push_back(*counter);
  }
  ordered_json body = {{"timestep", timestep}, {"now", out.now}, {"limits", std::move(numbers)}};
  if (out.host > 0) body["host"] = out.host;
  Tell(Make(Event::Kind::kStep, std::move(body)));
  return out;
}

void Journal::Entry(const TraceEntry& entry) { Tell(Make(Event::Kind::kEntry, EntryJson(entry))); }

bool Journal::Chat(const std::string& line) {
  const bool is_new = live();
  Tell(Make(Event::Kind::kChat, {{"line", line}}));
  return is_new && broken_.empty();
}

void Journal::Call(const std::string& call, const std::string& tool) {
  Tell(CallEvent(Event::Kind::kCall, call, tool));
}

bool Journal::Started(const std::string& call, const std::string& tool) {
  Tell(CallEvent(Event::Kind::kStarted, call, tool));
  return broken_.empty();
}

std::optional<Journal::Recorded> Journal::NextReply(const std::vector<std::string>& calls,
                                                    Pool& pool) {
  while (Next() != nullptr && Next()->kind == Event::Kind::kStarted) {
    NoteStart(*Next());
    ++at_;
  }
  std::optional<Event> event;
  if (const Event* next = Next()) {
    if (next->kind != Event::Kind::kReply) return std::nullopt;
    event = *next;
  } else if (live()) {
    for (const auto& [heading, answers] : parts_)
      for (const Event& answer : answers)
        if (!event && std::ranges::find(calls, TextAt(Body(answer), "call")) != calls.end())
          event = answer;
  }
  if (!event) return std::nullopt;
  const ordered_json body = Body(*event);
  const auto call = std::find(calls.begin(), calls.end(), TextAt(body, "call"));
  if (call == calls.end()) return std::nullopt;
  rpl::Answer answer;
  answer.kind = ReplyKindOf(TextAt(body, "kind")).value_or(rpl::Answer::Kind::kNobody);
  if (answer.kind != rpl::Answer::Kind::kDecline) {
    answer.value = ValueOfText(pool, TextAt(body, "value"));
    const bool is_map = answer.kind != rpl::Answer::Kind::kValue;
    if (answer.value.is_none() || (is_map && answer.value.kind() != Kind::kMap)) {
      broken_ = fmt::format("event {}: the reply {} cannot be read", Number(),
                            Told(TextAt(body, "value")));
      return std::nullopt;
    }
  }
  answer.by = ByIn(body);
  answer.vouched = FlagAt(body, "vouched");
  answer.model = TextAt(body, "model");
  if (const auto source = body.find("source"); source != body.end())
    answer.source = SourceIn(*source);
  Tell(*event);
  for (auto& [heading, answers] : parts_)
    std::erase_if(answers, [&](const Event& part) { return part == *event; });
  return Recorded{static_cast<std::size_t>(call - calls.begin()), answer};
}

bool Journal::Tried(const Attempt& attempt) {
  Tell(Make(Event::Kind::kAttempt, AttemptJson(attempt)));
  return broken_.empty();
}

std::optional<Attempt> Journal::NextAttempt() {
  const Event* next = Next();
  if (next == nullptr || next->kind != Event::Kind::kAttempt) return std::nullopt;
  Attempt out = AttemptOf(Body(*next));
  ++at_;
  return out;
}

void Journal::TakeAttempts(AttemptBook& to) {
  while (std::optional<Attempt> tried = NextAttempt()) to.Take(*std::move(tried));
}

ordered_json Journal::Outside(const ordered_json& question,
                              const std::function<ordered_json()>& ask) {
  ordered_json answer;
  if (const Event* next = Next(); next != nullptr && next->kind == Event::Kind::kOutside)
    answer = Body(*next).value("answer", ordered_json());
  else if (live()) answer = ask();
  Tell(Make(Event::Kind::kOutside, {{"question", question}, {"answer", answer}}));
  return broken_.empty() ? answer : ordered_json();
}

bool Journal::Answers(const ordered_json& question) const {
  const Event* next = Next();
  return next != nullptr && next->kind == Event::Kind::kOutside &&
         Body(*next).value("question", ordered_json()) == question;
}

void Journal::Decision(const ordered_json& decision) {
  Tell(Make(Event::Kind::kDecision, decision));
}

void Journal::Reply(const std::string& call, const rpl::Answer& answer, const Pool& pool,
                    const TraceEntry& entry, std::optional<std::chrono::milliseconds> took,
                    const HeadingPart& part) {
  ordered_json body = {{"call", call}};
  for (const auto& [name, kind] : kReplyNames)
    if (answer.kind == kind) body["kind"] = name;
  if (answer.kind != rpl::Answer::Kind::kDecline) body["value"] = Text(pool, answer.value);
  body["by"] = NameOf(answer.by);
  if (answer.vouched) body["vouched"] = true;
  if (!answer.model.empty()) body["model"] = answer.model;
  if (answer.source) body["source"] = SourceJson(*answer.source);
  if (!entry.text.empty()) body["entry"] = EntryJson(entry);
  if (took) body["ms"] = took->count();
  if (!part.heading.empty()) {
    body["heading"] = part.heading;
    body["argument"] = part.argument;
  }
  Tell(Make(Event::Kind::kReply, body));
}

}  // namespace rpl
