// SPDX-License-Identifier: Apache-2.0
#include "shell/terminal/answer_script.h"

#include <algorithm>
#include <utility>

#include "formats/spelling.h"
#include "formats/terminal_text.h"
#include "runtime/replies.h"
#include "runtime/wire/plain_term.h"
#include "runtime/wire/request_key.h"

namespace rpl {
namespace {

bool CallFits(const Node& call, const Request& request, Pool& pool) {
  if (const auto* avar = call.As<Avar>()) {
    return request.tool.empty() && KeyFits(request, avar->name);
  }
  if (const auto* symbol = call.As<Symbol>()) return KeyFits(request, symbol->name);
  const auto* tool = call.As<Call>();
  if (tool == nullptr || tool->label != request.tool || tool->args.size() != request.args.size()) {
    return false;
  }
  for (std::size_t i = 0; i < request.args.size(); ++i) {
    if (!Fits(pool, ValueOfTerm(tool->args[i], pool), request.args[i])) return false;
  }
  return true;
}

}  // namespace

std::optional<ScriptedAnswer> AnswerFromOption(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return std::nullopt;
  const std::string key = text.substr(0, equals);
  const std::string value = text.substr(equals + 1);
  ScriptedAnswer answer;
  answer.label = key;
  answer.matches = [key](const Request& request, Pool&) { return KeyFits(request, key); };
  answer.make = [value](const Request& request, Pool& pool) {
    return ScriptedAnswer::Made{
        {rpl::Answer::Kind::kValue, TypedReply(pool, value, request)}, "", ""};
  };
  return answer;
}

ScriptedAnswer DeclineFromOption(const std::string& key) {
  ScriptedAnswer answer;
  answer.label = key;
  answer.matches = [key](const Request& request, Pool&) { return KeyFits(request, key); };
  answer.make = [](const Request&, Pool&) {
    return ScriptedAnswer::Made{{rpl::Answer::Kind::kDecline, kNone}, "", ""};
  };
  return answer;
}

ScriptedAnswer AnswerFromTerms(std::string label, Node call, rpl::Answer::Kind kind, Node value,
                               By by) {
  ScriptedAnswer answer;
  answer.label = std::move(label);
  answer.matches = [call = std::move(call)](const Request& request, Pool& pool) {
    return CallFits(call, request, pool);
  };
  answer.make = [kind, by, value = std::move(value)](const Request&, Pool& pool) {
    const bool has_value = kind == rpl::Answer::Kind::kValue || kind == rpl::Answer::Kind::kMeta;
    const Value held = has_value ? ValueOfTerm(value, pool) : kNone;
    return ScriptedAnswer::Made{{.kind = kind, .value = held, .by = by}, "", ""};
  };
  return answer;
}

std::vector<std::string> AnswerScript::Unused() const {
  std::vector<std::string> labels;
  for (const ScriptedAnswer& answer : script_) {
    if (!answer.used) labels.push_back(answer.label);
  }
  return labels;
}

std::string AnswerScript::NameLike(std::string_view key) const {
  if (std::find(asked_.begin(), asked_.end(), key) != asked_.end()) return "";
  NearestName nearest(key);
  for (const std::string& name : asked_) nearest.Offer(name);
  return nearest.name();
}

std::optional<rpl::Answer> AnswerScript::AnswerTo(const Request& request, Pool& pool,
                                                  std::string_view& refused) {
  if (!refused.empty() && !last_.empty())
    err_ << "note: the answer for `" << PrintableLine(last_)
         << "` is refused: " << PrintableLine(std::exchange(refused, "")) << '\n';
  last_.clear();
  for (const std::string_view name :
       {std::string_view(request.name), request.relation_asked(), std::string_view(request.tool)})
    if (!name.empty()) asked_.emplace_back(name);
  std::optional<rpl::Answer> out;
  std::vector<Value> rows;  // of a question for rows
  for (ScriptedAnswer& answer : script_) {
    if (answer.used || !answer.matches(request, pool)) continue;
    const rpl::Answer made = Made(answer, request, pool);
    const bool row = !request.row.empty() && made.kind == rpl::Answer::Kind::kValue;
    if (!out) out = made;
    if (!row) return out;
    const bool several = made.value.kind() == Kind::kList || made.value.kind() == Kind::kSet;
    if (!several) rows.push_back(made.value);
    else rows.insert(rows.end(), pool.ItemsOf(made.value).begin(), pool.ItemsOf(made.value).end());
    if (rows.size() > 1) out->value = pool.List(rows);
  }
  return out;
}

rpl::Answer AnswerScript::Made(ScriptedAnswer& answer, const Request& request, Pool& pool) {
  answer.used = true;
  last_ = answer.label;
  ScriptedAnswer::Made made = answer.make(request, pool);
  if (!made.error.empty() && misfit_.error.empty()) {
    made.error = "the answer for `" + answer.label + "` does not fit: " + made.error;
    misfit_ = made;
  }
  made.answer.prepared = true;
  return made.answer;
}

}  // namespace rpl
