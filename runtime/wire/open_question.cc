// SPDX-License-Identifier: Apache-2.0
#include "runtime/wire/open_question.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <set>

#include "formats/shorten.h"
#include "formats/terminal_text.h"
#include "interp/store/json_value.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kTitleBytes = 200;
constexpr std::size_t kMostPrompt = 16'000;
constexpr std::size_t kMostNamed = 8;  // options in a sentence

bool HasSecretWord(const std::string& prompt) {
  static const RE2 words(
      R"((?i)\b(password|passphrase|passcode|passwd|pin( code| number)?|api[ -]?key|private key|access token|secret( key)?|auth(entication)? token|bearer token|(credit |debit )?card number|cvc|cvv)\b)");
  return RE2::PartialMatch(prompt, words);
}

}  // namespace

std::string_view KindName(Request::Kind kind) {
  switch (kind) {
    case Request::Kind::kAsk: return "ask";
    case Request::Kind::kChoose: return "choose";
    case Request::Kind::kTool: return "tool";
  }
  return "";
}

std::string ShownText(const std::string& text, std::size_t most) {
  return Shortened(Printable(text), most);
}

bool AsksForSecret(const Request& request) {
  return request.question() != nullptr && HasSecretWord(ShownText(request.prompt));
}

std::vector<OpenQuestion> OpenQuestionsOf(const std::vector<OpenRequest>& pending,
                                          const Pool& pool) {
  std::vector<OpenQuestion> out;
  std::set<std::string> keys;
  for (const OpenRequest& open : pending) {
    const Request& request = *open;
    OpenQuestion question;
    question.kind = request.kind;
    question.id = request.id;
    question.key = request.name;
    for (int n = 2; !keys.insert(question.key).second; ++n)
      question.key = fmt::format("{}-{}", request.name, n);
    question.prompt = Printable(request.prompt);
    question.whole = question.prompt.size() <= kMostFormBytes;
    question.prompt = Shortened(std::move(question.prompt), kMostPrompt);
    question.place = request.place;
    question.row = request.row;
    question.takes = request.wanted();
    question.in_doubt = request.doubtful();
    question.personal = request.question() != nullptr && !request.Admits(By::kModel);
    for (const Value option : request.choices()) {
      const std::string text = PlainText(pool, option);
      question.options.push_back(Shortened(PrintableLine(text), kTitleBytes));
      question.whole = question.whole && question.options.back() == text;
    }
    if (request.call() != nullptr) {
      question.tool = request.tool;
      question.arguments = ordered_json::array();
      for (const Value arg : request.args)
        question.arguments.push_back(JsonOfValue(pool, arg).value_or(Text(pool, arg)));
    }
    question.secret = AsksForSecret(request);
    out.push_back(std::move(question));
  }
  return out;
}

ordered_json QuestionJson(const OpenQuestion& question) {
  ordered_json out = {{"id", question.id},
                      {"key", question.key},
                      {"kind", KindName(question.kind)},
                      {"prompt", question.prompt}};
  if (question.kind == Request::Kind::kTool) {
    out["tool"] = question.tool;
    out["arguments"] = question.arguments;
  }
  if (!question.options.empty()) out["options"] = question.options;
  if (!question.row.empty()) out["row"] = question.row;
  if (question.takes != Takes::kAny)
    out["takes"] = question.takes == Takes::kNumber ? "number" : "time";
  if (question.personal) out["person"] = true;
  if (question.secret) out["secret"] = true;
  if (question.in_doubt) out["inDoubt"] = true;
  if (!question.place.empty()) out["place"] = question.place;
  return out;
}

ordered_json AnswerSchema(const OpenQuestion& question) {
  ordered_json one = {{"type", ordered_json::array({"string", "number"})}};
  if (!question.options.empty()) one = {{"enum", question.options}};
  else if (question.takes == Takes::kNumber) one = {{"type", "number"}};
  else if (question.takes == Takes::kTime) one = {{"type", "string"}};
  if (question.row.size() > 1)
    one = {{"type", "array"}, {"minItems", question.row.size()}, {"maxItems", question.row.size()}};
  ordered_json out = question.row.empty() ? one : ordered_json{{"type", "array"}, {"items", one}};
  if (const std::string wanted = WantedText(question); !wanted.empty()) out["description"] = wanted;
  return out;
}

std::string WantedText(const OpenQuestion& question) {
  if (!question.row.empty())
    return question.row.size() == 1
               ? "a list, empty if there are none"
               : fmt::format("a list of rows [{}]", fmt::join(question.row, ", "));
  if (!question.options.empty())
    return "one of " + FirstOf(question.options, kMostNamed,
                               [](const std::string& option) { return '"' + option + '"'; });
  if (question.takes == Takes::kNumber) return "a number";
  if (question.takes == Takes::kTime) return "a date, as 2026-05-01 or 2026-05-01T10:00:00Z";
  return "";
}

}  // namespace rpl
