// SPDX-License-Identifier: Apache-2.0
#include "runtime/wire/outcome_json.h"

#include <optional>
#include <utility>

#include "formats/data/json_text.h"
#include "runtime/wire/request_json.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

// A JSON text of the engine as a value; a text that is none stays a string.
ordered_json Parsed(const std::string& text) {
  ordered_json value = ParseOwnJson(text);
  return value.is_discarded() ? ordered_json(text) : value;
}

ordered_json WordsJson(const ToDo& said) {
  return {{"heading", said.heading}, {"text", said.text}};
}

}  // namespace

ordered_json OverriddenJson(const std::vector<Overridden>& overridden) {
  ordered_json out = ordered_json::array();
  for (const Overridden& each : overridden) {
    ordered_json said = each.words ? WordsJson(*each.words) : ordered_json::object();
    said["constraint"] = each.constraint;
    said["with"] = each.with;
    said["by"] = each.by == By::kHost ? "option" : NameOf(each.by);
    said["timestep"] = each.timestep;
    out.push_back(std::move(said));
  }
  return out;
}

ordered_json OutcomeJson(std::string_view schema, const Outcome& outcome, const Pool& pool) {
  ordered_json answers = ordered_json::array();
  for (const std::string& answer : outcome.json_answers) answers.push_back(Parsed(answer));
  ordered_json pending = ordered_json::array();
  for (const OpenRequest& open : outcome.pending) pending.push_back(RequestJson(*open, pool));
  ordered_json out = {{"schema", schema},         {"status", StatusName(outcome.status)},
                      {"goal", outcome.goal},     {"answers", std::move(answers)},
                      {"reason", outcome.reason}, {"pending", std::move(pending)}};
  if (!outcome.rule.empty()) out["rule"] = outcome.rule;
  if (!outcome.cut_off.empty()) out["cutOff"] = outcome.cut_off;
  for (const ToDo& to_do : outcome.now) out["now"].push_back(WordsJson(to_do));
  if (!outcome.with.empty()) out["with"] = outcome.with;
  if (outcome.violated) {
    out["violated"] = WordsJson(*outcome.violated);
    out["violated"]["with"] = outcome.violated_with;
  }
  if (!outcome.overridden.empty()) out["overridden"] = OverriddenJson(outcome.overridden);
  return out;
}

ordered_json FaultJson(const std::string& error, const std::string& hint) {
  ordered_json out = {{"error", error}};
  if (!hint.empty()) out["hint"] = hint;
  return out;
}

}  // namespace rpl
