// SPDX-License-Identifier: Apache-2.0
#include "shell/terminal/answer_list.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>

#include "formats/data/json_text.h"
#include "runtime/wire/reply_json.h"
#include "runtime/wire/request_key.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr std::array<std::string_view, 6> kMatchKeys = {"key",  "var",    "relation",
                                                        "tool", "prompt", "regex"};

// One condition of a "match" object.
std::function<bool(const Request&)> Condition(const std::string& field, const ordered_json& json) {
  if (std::find(kMatchKeys.begin(), kMatchKeys.end(), field) == kMatchKeys.end())
    throw Misread(fmt::format("unknown key \"{}\" in \"match\"", field),
                  KeyHint(field, kMatchKeys));
  if (!json.is_string())
    throw Misread(
        fmt::format("expected a string for \"{}\" in \"match\", got {}", field, TypeText(json)));
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
  if (!entry.is_object()) throw Misread(fmt::format("expected an object, got {}", TypeText(entry)));
  const auto match = entry.find("match");
  const std::string_view example = R"(as in {"match": {"key": "focus"}, "value": "clarity"})";
  if (match == entry.end()) throw Misread("there is no \"match\"", std::string(example));
  if (!match->is_object())
    throw Misread(fmt::format("expected an object for \"match\", got {}", TypeText(*match)),
                  std::string(example));
  if (match->empty()) throw Misread("\"match\" is empty", "expected " + KeyList(kMatchKeys));
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
          "expected a list of answers or an object from keys to values, got {}", TypeText(json));
    }
  } catch (const Misread& e) {
    list.error = fmt::format("entry {}: {}", list.answers.size() + 1, e.what());
    list.hint = e.hint;
  }
  return list;
}

}  // namespace rpl
