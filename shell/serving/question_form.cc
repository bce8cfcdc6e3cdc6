// SPDX-License-Identifier: Apache-2.0
#include "shell/serving/question_form.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <set>

#include "formats/shorten.h"
#include "formats/terminal_text.h"
#include "interp/store/json_value.h"
#include "shell/gateway/call_text.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kTitleBytes = 200;
constexpr std::size_t kMostChoices = 200;  // in a form; more are asked for as text

bool HasChoices(const OpenQuestion& question) {
  const std::set<std::string> distinct(question.options.begin(), question.options.end());
  return !distinct.empty() && distinct.size() == question.options.size() &&
         distinct.size() <= kMostChoices && !distinct.contains("");
}

// How rows are typed into a text.
std::string RowsText(const OpenQuestion& question) {
  if (question.row.size() == 1) return "one per line; `none` if there are none";
  return fmt::format("one row per line: {}, separated by commas; `none` if there are none",
                     fmt::join(question.row, ", "));
}

ordered_json PropertyOf(const OpenQuestion& question, FormDialect dialect) {
  ordered_json out;
  const bool rows = !question.row.empty();
  const bool choices = HasChoices(question) && question.row.size() <= 1;
  if (rows && choices && dialect == FormDialect::kLists) {
    out = {{"type", "array"}, {"items", {{"type", "string"}, {"enum", question.options}}}};
  } else if (!rows && choices) {
    out = {{"type", "string"}, {"enum", question.options}};
  } else if (!rows && question.takes == Takes::kNumber) {
    out = {{"type", "number"}};
  } else {
    out = {{"type", "string"}, {"minLength", 1}};
  }
  out["title"] = question.prompt.size() <= kTitleBytes ? question.prompt : question.key;
  const std::string wanted = rows && out["type"] == "string" ? RowsText(question)
                             : out.contains("enum") || rows  ? ""
                                                             : WantedText(question);
  if (!wanted.empty()) out["description"] = wanted;
  return out;
}

}  // namespace

bool IsForForm(const OpenQuestion& question) {
  return question.kind != Request::Kind::kTool && !question.secret && question.whole;
}

std::vector<OpenQuestion> ForOneForm(const std::vector<OpenQuestion>& questions) {
  std::vector<OpenQuestion> out;
  std::size_t bytes = 0;
  for (const OpenQuestion& question : questions) {
    if (!IsForForm(question)) continue;
    bytes += question.prompt.size();
    if (!out.empty() && bytes > kMostFormBytes) break;
    out.push_back(question);
  }
  return out;
}

ordered_json FormOf(const std::vector<OpenQuestion>& questions, const std::string& protocol,
                    const std::string& refused, FormDialect dialect) {
  std::string message =
      refused.empty() ? "" : Shortened(PrintableLine(refused), kTitleBytes) + ". ";
  const std::string name = PrintableLine(protocol);
  ordered_json properties = ordered_json::object();
  ordered_json required = ordered_json::array();
  if (questions.size() == 1) {
    message += name + " asks: " + questions.front().prompt;
  } else {
    message += fmt::format("{} asks {} questions:", name, questions.size());
    for (std::size_t i = 0; i < questions.size(); ++i)
      message += fmt::format("\n{}. {}", i + 1, questions[i].prompt);
  }
  for (const OpenQuestion& question : questions) {
    properties[question.key] = PropertyOf(question, dialect);
    required.push_back(question.key);
  }
  return {{"message", message},
          {"requestedSchema",
           {{"type", "object"},
            {"properties", std::move(properties)},
            {"required", std::move(required)}}}};
}

std::optional<std::vector<GivenAnswer>> AnswersIn(const ordered_json& content,
                                                  const std::vector<OpenQuestion>& questions) {
  if (!content.is_object()) return std::nullopt;
  std::vector<GivenAnswer> out;
  for (const OpenQuestion& question : questions) {
    const auto at = content.find(question.key);
    if (at == content.end() || at->is_null()) continue;
    if (at->is_object()) return std::nullopt;
    GivenAnswer given;
    given.kind = GivenAnswer::Kind::kForm;
    given.key = question.id;
    given.value = *at;
    given.by = By::kPerson;
    out.push_back(std::move(given));
  }
  return out;
}

}  // namespace rpl
