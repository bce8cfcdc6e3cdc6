// SPDX-License-Identifier: Apache-2.0
#include "runtime/record/event_sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>

#include "formats/data/json_fields.h"
#include "formats/data/json_text.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

/// Results of tools nest up to kMaxJsonDepth levels, and bodies add a few.
constexpr int kBodyDepth = kMaxJsonDepth + 16;

// --- Bodies -------------------------------------------------------------------------------

enum class FieldType {
  kText,
  kFlag,
  kWhole,
  kTexts,
  kWholes,
  kObject,
  kFiles,
  kAnswered,
  kBy,
  kAny
};

struct EventField {
  const char* name;
  FieldType type;
  bool required = true;
};

constexpr EventField kProgramFields[] = {
    {"files", FieldType::kFiles},          {"trace", FieldType::kText},
    {"by", FieldType::kTexts, false},      {"guard", FieldType::kObject, false},
    {"undone", FieldType::kWholes, false}, {"door", FieldType::kFlag, false},
    {"person", FieldType::kText, false}};
constexpr EventField kFileFields[] = {{"name", FieldType::kText}, {"text", FieldType::kAny}};
constexpr EventField kTurnFields[] = {{"name", FieldType::kText, false},
                                      {"text", FieldType::kText, false},
                                      {"by", FieldType::kBy, false},
                                      {"goal", FieldType::kText, false},
                                      {"person", FieldType::kText, false}};
constexpr EventField kStepFields[] = {
    {"timestep", FieldType::kWhole}, {"now", FieldType::kText}, {"limits", FieldType::kWholes}};
constexpr EventField kEntryFields[] = {
    {"kind", FieldType::kText},          {"timestep", FieldType::kWhole},
    {"phase", FieldType::kWhole},        {"text", FieldType::kText},
    {"stated", FieldType::kFlag, false}, {"again", FieldType::kFlag, false},
    {"by", FieldType::kBy, false},       {"answered", FieldType::kAnswered, false}};
constexpr EventField kChatFields[] = {{"line", FieldType::kText}};
constexpr EventField kCallFields[] = {{"call", FieldType::kText},
                                      {"tool", FieldType::kText, false}};
constexpr EventField kReplyFields[] = {{"call", FieldType::kText},
                                       {"kind", FieldType::kText},
                                       {"value", FieldType::kText, false},
                                       {"entry", FieldType::kObject, false},
                                       {"by", FieldType::kBy},
                                       {"vouched", FieldType::kFlag, false},
                                       {"model", FieldType::kText, false},
                                       {"source", FieldType::kObject, false},
                                       {"ms", FieldType::kWhole, false},
                                       {"heading", FieldType::kText, false},
                                       {"argument", FieldType::kText, false}};
constexpr EventField kOutsideFields[] = {{"question", FieldType::kObject},
                                         {"answer", FieldType::kAny}};
constexpr EventField kDecisionFields[] = {{"effect", FieldType::kText},
                                          {"tool", FieldType::kObject}};
constexpr EventField kAttemptFields[] = {
    {"call", FieldType::kText},           {"gate", FieldType::kText},
    {"reason", FieldType::kText, false},  {"of", FieldType::kText, false},
    {"value", FieldType::kText, false},   {"requests", FieldType::kWhole, false},
    {"tokens", FieldType::kWhole, false}, {"ms", FieldType::kWhole, false}};
constexpr EventField kOutcomeFields[] = {{"status", FieldType::kText},
                                         {"goal", FieldType::kText},
                                         {"answers", FieldType::kTexts},
                                         {"reason", FieldType::kText}};

std::span<const EventField> FieldsOf(Event::Kind kind) {
  switch (kind) {
    case Event::Kind::kProgram: return kProgramFields;
    case Event::Kind::kFile: return kFileFields;
    case Event::Kind::kTurn: return kTurnFields;
    case Event::Kind::kStep: return kStepFields;
    case Event::Kind::kEntry: return kEntryFields;
    case Event::Kind::kChat: return kChatFields;
    case Event::Kind::kCall:
    case Event::Kind::kStarted: return kCallFields;
    case Event::Kind::kReply: return kReplyFields;
    case Event::Kind::kOutside: return kOutsideFields;
    case Event::Kind::kDecision: return kDecisionFields;
    case Event::Kind::kOutcome: return kOutcomeFields;
    case Event::Kind::kAttempt: return kAttemptFields;
  }
  return {};
}

bool HasType(const ordered_json& value, FieldType type) {
  const auto all = [&](auto holds) {
    return value.is_array() && std::all_of(value.begin(), value.end(), holds);
  };
  switch (type) {
    case FieldType::kText: return value.is_string();
    case FieldType::kFlag: return value.is_boolean();
    case FieldType::kWhole: return value.is_number_unsigned();
    case FieldType::kTexts: return all([](const ordered_json& item) { return item.is_string(); });
    case FieldType::kWholes:
      return all([](const ordered_json& item) { return item.is_number_unsigned(); });
    case FieldType::kObject: return value.is_object();
    case FieldType::kFiles:
      return all([](const ordered_json& item) {
        return FieldAt(item, "name").is_string() && FieldAt(item, "text").is_string();
      });
    case FieldType::kAnswered: return FieldAt(value, "call").is_string();
    case FieldType::kBy: return value.is_string() && ByOf(value.get<std::string>());
    case FieldType::kAny: return true;
  }
  return false;
}

std::string BadField(std::span<const EventField> fields, const ordered_json& body) {
  for (const EventField& field : fields) {
    if (!body.contains(field.name)) {
      if (field.required) return fmt::format("there is no `{}`", field.name);
    } else if (!HasType(body[field.name], field.type)) {
      return fmt::format("its `{}` is of another type", field.name);
    }
  }
  return "";
}

bool IsStatus(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(Status::kReview); ++i)
    if (StatusName(static_cast<Status>(i)) == name) return true;
  return false;
}

bool IsEntryName(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(TraceEntry::Kind::kFailure); ++i)
    if (EntryName(static_cast<TraceEntry::Kind>(i)) == name) return true;
  return false;
}

}  // namespace

// --- The order ----------------------------------------------------------------------------

std::string EventSequence::OutOfPlace(const Event& event) const {
  const auto is = [&](auto... places) { return ((place_ == places) || ...); };
  const bool fits = [&] {
    switch (event.kind) {
      case Event::Kind::kProgram: return true;
      case Event::Kind::kFile: return is(Place::kEpoch, Place::kFiles, Place::kTurn);
      case Event::Kind::kTurn: return is(Place::kEpoch, Place::kFiles, Place::kOver);
      case Event::Kind::kStep: return is(Place::kTurn, Place::kStep);
      case Event::Kind::kEntry: return is(Place::kEpoch, Place::kStep);
      case Event::Kind::kChat:
      case Event::Kind::kCall:
      case Event::Kind::kStarted:
      case Event::Kind::kReply:
      case Event::Kind::kOutside:
      case Event::Kind::kDecision:
      case Event::Kind::kOutcome:
      case Event::Kind::kAttempt: return is(Place::kStep);
    }
    return false;
  }();
  if (fits) return "";
  static constexpr std::array<std::string_view, 6> kPlaces = {
      "before the program",   "before the first turn", "after a file, before the first turn",
      "before the timesteps", "in a timestep",         "after the outcome of a turn"};
  return fmt::format("{} stands {}", EventName(event.kind),
                     kPlaces[static_cast<std::size_t>(place_)]);
}

std::string EventSequence::Take(const Event& event) {
  if (std::string why = OutOfPlace(event); !why.empty()) return why;
  const JsonText read = ParseJson(event.body, kBodyDepth);
  std::string why = !read.error.empty()      ? read.error
                    : !read.json.is_object() ? "its body is no object"
                                             : BadField(FieldsOf(event.kind), read.json);
  if (why.empty()) why = TakeBody(event, read.json);
  if (!why.empty()) return fmt::format("{}: {}", EventName(event.kind), why);
  return "";
}

std::string EventSequence::TakeBody(const Event& event, const ordered_json& body) {
  switch (event.kind) {
    case Event::Kind::kProgram: return TakeProgram(event);
    case Event::Kind::kFile:
      if (place_ == Place::kEpoch) place_ = Place::kFiles;
      if (!body["text"].is_string() && !body["text"].is_null()) return "its `text` is no text";
      return files_.insert(TextAt(body, "name")).second ? "" : "the file was read before";
    case Event::Kind::kTurn:
      place_ = Place::kTurn;
      if (body.contains("name") != body.contains("text")) return "`name` and `text` stand together";
      if (!body.contains("goal")) return "";
      if (body.contains("text")) return "a message has no `goal`";
      return TextAt(body, "goal").empty() ? "its `goal` is empty" : "";
    case Event::Kind::kStep: return TakeStep(body);
    case Event::Kind::kEntry: return TakeEntry(body);
    case Event::Kind::kChat: phase_ = 8; return calls_.empty() ? "" : "it stands behind a call";
    case Event::Kind::kCall:
    case Event::Kind::kStarted:
    case Event::Kind::kReply: return TakeCall(event.kind, body);
    case Event::Kind::kOutside:
    case Event::Kind::kDecision: return "";
    case Event::Kind::kAttempt: phase_ = 8; return AttemptFault(body);
    case Event::Kind::kOutcome:
      place_ = Place::kOver;
      return IsStatus(TextAt(body, "status")) ? "" : "its `status` is unknown";
  }
  return "";
}

// An epoch without events is followed only by one with a different program.
std::string EventSequence::TakeProgram(const Event& event) {
  const std::size_t hash = std::hash<std::string>()(event.body);
  const bool twice = place_ == Place::kEpoch && hash == program_;
  place_ = Place::kEpoch;
  program_ = hash;
  files_.clear();
  return twice ? "it is the one before" : "";
}

std::string EventSequence::TakeStep(const ordered_json& body) {
  place_ = Place::kStep;
  phase_ = 0;
  calls_.clear();
  if (body["timestep"] == ++timestep_) return "";
  return fmt::format("its timestep is {}, expected {}", body["timestep"].dump(), timestep_);
}

// An epoch begins with entries that the next timestep would have had.
std::string EventSequence::TakeEntry(const ordered_json& body) {
  if (!IsEntryName(TextAt(body, "kind"))) return "its `kind` is unknown";
  const std::int64_t expected = place_ == Place::kStep ? timestep_ : timestep_ + 1;
  if (body["timestep"] != expected)
    return fmt::format("its timestep is {}, expected {}", body["timestep"].dump(), expected);
  if (body["phase"] < 1 || body["phase"] > 8)
    return fmt::format("its phase is {}", body["phase"].dump());
  if (place_ != Place::kStep) return "";
  if (body["phase"] < phase_)
    return fmt::format("its phase is {}, behind phase {}", body["phase"].dump(), phase_);
  phase_ = body["phase"].get<std::int64_t>();
  return "";
}

std::string EventSequence::TakeCall(Event::Kind kind, const ordered_json& body) {
  phase_ = 8;
  const std::string text = TextAt(body, "call");
  if (kind == Event::Kind::kCall)
    return calls_.emplace(text, Call::kOut).second ? "" : "the call is out already";
  const auto call = calls_.find(text);
  if (call == calls_.end()) return "no such call is out";
  if (call->second == Call::kReplied) return "the call has its reply already";
  if (kind == Event::Kind::kStarted) {
    call->second = Call::kStarted;
    return "";
  }
  call->second = Call::kReplied;
  const std::string reply = TextAt(body, "kind");
  if (!ReplyKindOf(reply)) return "its `kind` is unknown";
  if (body.contains("value") != (reply != "declined"))
    return body.contains("value") ? "it was declined with a value" : "there is no `value`";
  if (body.contains("heading") != body.contains("argument"))
    return "`heading` and `argument` stand together";
  if (!body.contains("entry")) return "";
  const ordered_json& entry = body["entry"];
  std::string why = BadField(kEntryFields, entry);
  if (why.empty() && !IsEntryName(TextAt(entry, "kind"))) why = "its `kind` is unknown";
  if (why.empty() && entry["timestep"] != timestep_ + 1)
    why = fmt::format("its timestep is {}, expected {}", entry["timestep"].dump(), timestep_ + 1);
  if (why.empty() && (entry["phase"] < 1 || entry["phase"] > 2))
    why = fmt::format("its phase is {}", entry["phase"].dump());
  return why.empty() ? "" : "its `entry`: " + why;
}

}  // namespace rpl
