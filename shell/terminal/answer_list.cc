// SPDX-License-Identifier: Apache-2.0
#include "shell/terminal/answer_list.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>

#include "formats/spelling.h"
#include "interp/store/json_value.h"
#include "runtime/replies.h"
#include "runtime/wire/request_key.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr std::array<std::string_view, 5> kReplyKeys = {"value", "metadata", "error", "decline",
                                                        "cancel"};
constexpr std::string_view kTook = "durationMs";  // with the reply of a tool
constexpr std::array<std::string_view, 6> kMatchKeys = {"key",  "var",    "relation",
                                                        "tool", "prompt", "regex"};

// An error in a file of answers; caught in this file.
struct Misread : std::runtime_error {
  explicit Misread(const std::string& message, std::string help = "")
      : std::runtime_error(message), hint(std::move(help)) {}
  std::string hint;
};

std::string_view KindOf(const ordered_json& json) {
  switch (json.type()) {
    case ordered_json::value_t::null: return "null";
    case ordered_json::value_t::boolean: return json.get<bool>() ? "true" : "false";
    case ordered_json::value_t::string: return "a string";
    case ordered_json::value_t::array: return "a list";
    case ordered_json::value_t::object: return "an object";
    default: return "a number";
  }
}

std::string List(std::span<const std::string_view> names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i)
    out += fmt::format("{}\"{}\"", i == 0 ? "" : i + 1 == names.size() ? " or " : ", ", names[i]);
  return out;
}

// A hint for a key that is not among `known`.
std::string Instead(const std::string& got, std::span<const std::string_view> known) {
  for (std::string_view name : known)
    if (EditDistance(got.substr(0, 100), name) <= std::max<std::size_t>(name.size() / 3, 1))
      return fmt::format("did you mean \"{}\"?", name);
  return "expected " + List(known);
}

// --- Replies ------------------------------------------------------------------------------

// The one key of kReplyKeys that the object has.
std::string_view ReplyKey(const ordered_json& object, std::string_view beside) {
  std::string_view found;
  for (const auto& [key, value] : object.items()) {
    if (key == beside || key == kTook) continue;
    const auto known = std::find(kReplyKeys.begin(), kReplyKeys.end(), key);
    if (known == kReplyKeys.end())
      throw Misread(fmt::format("unknown key \"{}\"", key), Instead(key, kReplyKeys));
    if (!found.empty())
      throw Misread(fmt::format("\"{}\" and \"{}\" stand together", found, *known),
                    "an answer has one of " + List(kReplyKeys));
    found = *known;
  }
  if (found.empty()) throw Misread("there is no answer", "expected " + List(kReplyKeys));
  return found;
}

bool IsDuration(const ordered_json& json) { return json.is_number() && json >= 0; }

// The key of the reply, after checking the type of its value.
std::string_view CheckReply(const ordered_json& object, std::string_view beside) {
  const std::string_view key = ReplyKey(object, beside);
  const ordered_json& value = object[std::string(key)];
  if (key == "metadata" && !value.is_object())
    throw Misread(fmt::format("expected an object for \"metadata\", got {}", KindOf(value)));
  if (key == "error" && !value.is_string())
    throw Misread(fmt::format("expected a string for \"error\", got {}", KindOf(value)));
  if (const auto took = object.find(kTook); took != object.end() && !IsDuration(*took))
    throw Misread(fmt::format("expected milliseconds for \"{}\", got {}", kTook, took->dump()));
  if ((key == "decline" || key == "cancel") && value != true)
    throw Misread(fmt::format("expected true for \"{}\", got {}", key, KindOf(value)));
  return key;
}

Value ValueFor(const ordered_json& json, const Request& request, Pool& pool) {
  Value value = kNone;
  if (json.is_string() && request.kind == Request::Kind::kChoose)
    value = TypedOption(pool, json.get<std::string>(), request.choices());
  return value.is_none() ? ValueOfJson(json, pool, false) : value;
}

rpl::Answer AnswerOf(const ordered_json& object, std::string_view key, const Request& request,
                     Pool& pool) {
  const double took = object.value(kTook, 0.0);
  if (key == "value")
    return {rpl::Answer::Kind::kValue, ValueFor(object["value"], request, pool), took};
  if (key == "decline") return {rpl::Answer::Kind::kDecline, kNone};
  if (key == "cancel") return {};
  if (!request.relation_asked().empty())
    throw Misread(fmt::format("\"{}\" is of a tool's result, and {} is asked for by a heading", key,
                              request.id),
                  "answer with \"value\"");
  rpl::Answer answer{rpl::Answer::Kind::kMeta, kNone, took};
  answer.value = key == "error" ? FailedCall(pool, "tool", object["error"].get<std::string>()).value
                                : ValueOfJson(object["metadata"], pool, true);
  return answer;
}

// --- Entries of a file --------------------------------------------------------------------

// One condition of a "match" object.
std::function<bool(const Request&)> Condition(const std::string& field, const ordered_json& json) {
  if (std::find(kMatchKeys.begin(), kMatchKeys.end(), field) == kMatchKeys.end())
    throw Misread(fmt::format("unknown key \"{}\" in \"match\"", field),
                  Instead(field, kMatchKeys));
  if (!json.is_string())
    throw Misread(
        fmt::format("expected a string for \"{}\" in \"match\", got {}", field, KindOf(json)));
  const std::string text = json.get<std::string>();
  if (field == "key") return [=](const Request& r) { return KeyFits(r, text); };
  if (field == "tool") return [=](const Request& r) { return r.tool == text; };
  if (field == "relation") return [=](const Request& r) { return r.relation_asked() == text; };
  if (field == "prompt") return [=](const Request& r) { return r.prompt == text; };
  if (field == "var") {
    return [=](const Request& r) { return r.tool.empty() && KeyFits(r, text); };
  }
  auto regex = std::make_shared<RE2>(text, RE2::Quiet);
  if (!regex->ok()) throw Misread(fmt::format("bad regex: {}", regex->error()));
  return [regex](const Request& r) { return RE2::PartialMatch(r.prompt, *regex); };
}

ScriptedAnswer EntryFromJson(const ordered_json& entry, std::string label) {
  if (!entry.is_object()) throw Misread(fmt::format("expected an object, got {}", KindOf(entry)));
  const auto match = entry.find("match");
  const std::string_view example = R"(as in {"match": {"key": "focus"}, "value": "clarity"})";
  if (match == entry.end()) throw Misread("there is no \"match\"", std::string(example));
  if (!match->is_object())
    throw Misread(fmt::format("expected an object for \"match\", got {}", KindOf(*match)),
                  std::string(example));
  if (match->empty()) throw Misread("\"match\" is empty", "expected " + List(kMatchKeys));
  std::vector<std::function<bool(const Request&)>> conditions;
  for (const auto& [field, json] : match->items()) conditions.push_back(Condition(field, json));
  CheckReply(entry, "match");
  ScriptedAnswer answer;
  answer.label = label.empty() ? match->dump() : std::move(label);
  answer.matches = [conditions](const Request& request, Pool&) {
    return std::all_of(conditions.begin(), conditions.end(),
                       [&](const auto& condition) { return condition(request); });
  };
  answer.make = [entry](const Request& request, Pool& pool) {
    JsonReply reply = ReplyFromJson(entry, "match", request, pool);
    return ScriptedAnswer::Made{reply.answer, std::move(reply.error), std::move(reply.hint)};
  };
  return answer;
}

}  // namespace

JsonReply ReplyFromJson(const ordered_json& object, std::string_view beside, const Request& request,
                        Pool& pool) {
  try {
    return {AnswerOf(object, CheckReply(object, beside), request, pool), "", ""};
  } catch (const Misread& e) {
    return {{}, e.what(), e.hint};
  }
}

AnswerList AnswersFromJson(const std::string& text) {
  const JsonText parsed = ParseExactJson(text);
  if (!parsed.error.empty()) return {{}, parsed.error, "", parsed.byte};
  return AnswersFrom(parsed.json);
}

AnswerList AnswersFrom(const ordered_json& json) {
  AnswerList list;
  try {
    if (json.is_object()) {
      for (const auto& [key, value] : json.items())
        list.answers.push_back(EntryFromJson({{"match", {{"key", key}}}, {"value", value}}, key));
    } else if (json.is_array()) {
      for (const ordered_json& entry : json) list.answers.push_back(EntryFromJson(entry, ""));
    } else {
      list.error = fmt::format(
          "expected a list of answers or an object from keys to values, got {}", KindOf(json));
    }
  } catch (const Misread& e) {
    list.error = fmt::format("entry {}: {}", list.answers.size() + 1, e.what());
    list.hint = e.hint;
  }
  return list;
}

}  // namespace rpl
