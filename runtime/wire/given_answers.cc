// SPDX-License-Identifier: Apache-2.0
#include "runtime/wire/given_answers.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/character.h"
#include "formats/data/json_text.h"
#include "formats/shorten.h"
#include "interp/plan/authority.h"
#include "interp/store/json_value.h"
#include "runtime/replies.h"
#include "runtime/wire/open_question.h"
#include "runtime/wire/request_fields.h"
#include "runtime/wire/request_key.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr const char* kPersonWanted =
    "the protocol counts only a person's own answer here, and this one came from the model";
constexpr const char* kSecretWanted =
    "it is a secret, which the user gives at a terminal, and this answer came from the model";

// A value, where a string names an option.
Value ValueOrOption(const ordered_json& json, const Request& request, Pool& pool) {
  if (json.is_string())
    if (const Value option = TypedOption(pool, json.get<std::string>(), request.choices());
        !option.is_none())
      return option;
  return ValueOfJson(json, pool, false);
}

// Lines of text, each a row.
Value TypedRows(const std::string& text, const Request& request, Pool& pool) {
  std::vector<Value> rows;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    line.erase(0, line.find_first_not_of(" \t"));
    line.erase(line.find_last_not_of(" \t\r") + 1);
    const Value read = TypedReply(pool, line, request);
    if (read.kind() == Kind::kList || read.kind() == Kind::kSet)
      for (const Value row : pool.ItemsOf(read)) rows.push_back(row);
  }
  return pool.List(rows);
}

// Why a form that asks for the request cannot have given the value, or "". Values of the right kind
// are left to TakeReply.
std::string FormFault(const ordered_json& value, const Request& request) {
  if (value.is_string())
    return IsAllSpace(value.get_ref<const std::string&>()) ? "the answer is empty" : "";
  const bool chosen = !request.choices().empty();
  if (chosen || (request.row.empty() && request.wanted() == Takes::kNumber)) return "";
  return "expected a text, got " + Shortened(DumpJson(value), 60);
}

Value ValueOfGiven(const GivenAnswer& given, const Request& request, Pool& pool) {
  const bool text = given.value.is_string();
  if (given.kind == GivenAnswer::Kind::kForm && text) {
    const std::string typed = given.value.get<std::string>();
    return request.row.empty() ? TypedReply(pool, typed, request) : TypedRows(typed, request, pool);
  }
  // "3" where the program computes with a number is a 3.
  if (text && request.row.empty() && request.wanted() == Takes::kNumber)
    return TypedReply(pool, given.value.get<std::string>(), request);
  if (given.value.is_array() && !request.row.empty()) {
    std::vector<Value> rows;
    for (const ordered_json& row : given.value) rows.push_back(ValueOrOption(row, request, pool));
    return pool.List(rows);
  }
  return ValueOrOption(given.value, request, pool);
}

UnusedAnswer NotAdmitted(const GivenAnswer& given, const Request& request) {
  if (request.call() != nullptr)
    return {given.key, "a command of rpl.yaml answers this tool, and nobody else", false};
  if (given.by == By::kModel && request.Admits(By::kPerson))
    return {given.key, kPersonWanted, true};
  return {given.key,
          fmt::format("only {} may answer it, and this answer came from {}",
                      PartiesText(request.admits & Authority::kOutside), PartyText(given.by)),
          false};
}

}  // namespace

std::vector<GivenAnswer> GivenIn(const ordered_json& input, By by) {
  std::vector<GivenAnswer> out;
  for (const auto& [key, value] : ObjectIn(input, "answers").items())
    out.push_back({GivenAnswer::Kind::kJson, key, value, by});
  for (const auto& [key, value] : ObjectIn(input, "errors").items()) {
    if (!value.is_string()) ThrowExpected("a string for the error of `" + key + "`");
    out.push_back({GivenAnswer::Kind::kFailed, key, value, by});
  }
  for (std::string& key : KeysIn(input, "declines"))
    out.push_back({GivenAnswer::Kind::kDecline, std::move(key), nullptr, by});
  return out;
}

ReadAnswer ReadGiven(const GivenAnswer& given, const Request& request, Pool& pool) {
  ReadAnswer out;
  out.answer.by = given.by;
  if (given.kind == GivenAnswer::Kind::kDecline) {
    if (request.call() != nullptr) {
      out.error = "a tool is not declined: report its failure under `errors`";
      return out;
    }
    out.answer.kind = rpl::Answer::Kind::kDecline;
    return out;
  }
  if (given.kind == GivenAnswer::Kind::kFailed) {
    if (request.question() != nullptr) {
      out.error = "only a tool can fail: decline the question instead";
      return out;
    }
    out.answer.kind = rpl::Answer::Kind::kMeta;
    out.answer.value = FailedCall(pool, "tool", given.value.get<std::string>()).value;
    return out;
  }
  if (given.kind == GivenAnswer::Kind::kForm) out.error = FormFault(given.value, request);
  if (!out.error.empty()) return out;
  out.answer.kind = rpl::Answer::Kind::kValue;
  const TakenReply taken = TakeReply(request, ValueOfGiven(given, request, pool), pool);
  out.answer.value = taken.value;
  out.error = taken.refused;
  if (out.error.empty() && out.answer.value.is_none()) {
    out.error = "the answer is too large";
    pool.ClearOverflow();
  }
  return out;
}

std::vector<UnusedAnswer> GivenAnswers::TakeUnused() {
  std::vector<UnusedAnswer> out = std::exchange(refused_, {});
  for (const GivenAnswer& given : given_) out.push_back({given.key, "", false});
  given_.clear();
  return out;
}

std::optional<rpl::Answer> GivenAnswers::AnswerTo(const Request& request, Pool& pool,
                                                  std::string_view& refused) {
  const std::string last = std::exchange(last_, "");
  if (!refused.empty() && !last.empty())
    refused_.push_back({last, std::string(std::exchange(refused, "")), false});
  rpl::Answer given = Given(request, pool);
  if (given.kind != rpl::Answer::Kind::kNobody) return given;
  const ToolCall* call = request.call();
  if (call == nullptr || started_.erase(call->id) == 0) return std::nullopt;
  if (call->starting) call->starting();
  return given;
}

rpl::Answer GivenAnswers::Given(const Request& request, Pool& pool) {
  if (request.name == kWhatNow) return {};  // a person decides what becomes of a failure
  for (std::size_t i = 0; i < given_.size(); ++i) {
    if (!KeyFits(request, given_[i].key)) continue;
    const GivenAnswer given = std::move(given_[i]);
    given_.erase(given_.begin() + static_cast<std::ptrdiff_t>(i));
    const bool secret = AsksForSecret(request);
    if (secret && given.by == By::kModel) {
      refused_.push_back({given.key, kSecretWanted, true});
      return {};
    }
    if (!request.Admits(given.by)) {
      refused_.push_back(NotAdmitted(given, request));
      return {};
    }
    ReadAnswer read = ReadGiven(given, request, pool);
    if (read.error.empty()) {
      if (read.answer.kind == rpl::Answer::Kind::kValue)
        used_.emplace_back(request.id, Text(pool, read.answer.value));
      last_ = given.key;
      return read.answer;
    }
    refused_.push_back({given.key, std::move(read.error), false});
    return {};
  }
  return {};
}

}  // namespace rpl
