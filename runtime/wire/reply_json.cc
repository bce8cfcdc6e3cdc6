// SPDX-License-Identifier: Apache-2.0
#include "runtime/wire/reply_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "formats/list_text.h"
#include "formats/spelling.h"
#include "interp/store/json_value.h"
#include "runtime/replies.h"

namespace rpl {

using nlohmann::ordered_json;

std::string_view TypeText(const ordered_json& json) {
  switch (json.type()) {
    case ordered_json::value_t::null: return "null";
    case ordered_json::value_t::boolean: return json.get<bool>() ? "true" : "false";
    case ordered_json::value_t::string: return "a string";
    case ordered_json::value_t::array: return "a list";
    case ordered_json::value_t::object: return "an object";
    default: return "a number";
  }
}

std::string KeyList(std::span<const std::string_view> names) {
  return ListText(names, " or ", [](std::string_view name) { return fmt::format("\"{}\"", name); });
}

std::string KeyHint(const std::string& got, std::span<const std::string_view> known) {
  for (std::string_view name : known)
    if (EditDistance(got.substr(0, 100), name) <= std::max<std::size_t>(name.size() / 3, 1))
      return fmt::format("did you mean \"{}\"?", name);
  return "expected " + KeyList(known);
}

namespace {

constexpr std::array<std::string_view, 5> kReplyKeys = {"value", "metadata", "error", "decline",
                                                        "cancel"};
constexpr std::string_view kTook = "durationMs";  // with the reply of a tool

// The one key of kReplyKeys that the object has.
std::string_view OnlyKey(const ordered_json& object, std::string_view beside) {
  std::string_view found;
  for (const auto& [key, value] : object.items()) {
    if (key == beside || key == kTook) continue;
    const auto known = std::find(kReplyKeys.begin(), kReplyKeys.end(), key);
    if (known == kReplyKeys.end())
      throw Misread(fmt::format("unknown key \"{}\"", key), KeyHint(key, kReplyKeys));
    if (!found.empty())
      throw Misread(fmt::format("\"{}\" and \"{}\" stand together", found, *known),
                    "an answer has one of " + KeyList(kReplyKeys));
    found = *known;
  }
  if (found.empty()) throw Misread("there is no answer", "expected " + KeyList(kReplyKeys));
  return found;
}

bool IsDuration(const ordered_json& json) { return json.is_number() && json >= 0; }

}  // namespace

std::string_view CheckReply(const ordered_json& object, std::string_view beside) {
  const std::string_view key = OnlyKey(object, beside);
  const ordered_json& value = object[std::string(key)];
  if (key == "metadata" && !value.is_object())
    throw Misread(fmt::format("expected an object for \"metadata\", got {}", TypeText(value)));
  if (key == "error" && !value.is_string())
    throw Misread(fmt::format("expected a string for \"error\", got {}", TypeText(value)));
  if (const auto took = object.find(kTook); took != object.end() && !IsDuration(*took))
    throw Misread(fmt::format("expected milliseconds for \"{}\", got {}", kTook, took->dump()));
  if ((key == "decline" || key == "cancel") && value != true)
    throw Misread(fmt::format("expected true for \"{}\", got {}", key, TypeText(value)));
  return key;
}

namespace {

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

}  // namespace

JsonReply ReplyFromJson(const ordered_json& object, std::string_view beside, const Request& request,
                        Pool& pool) {
  try {
    return {AnswerOf(object, CheckReply(object, beside), request, pool), "", ""};
  } catch (const Misread& e) {
    return {{}, e.what(), e.hint};
  }
}

}  // namespace rpl
