// SPDX-License-Identifier: Apache-2.0
#include "shell/mcp/mcp_tools.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/spelling.h"
#include "shell/serving/run_report.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

ordered_json TextOf(const char* about) { return {{"type", "string"}, {"description", about}}; }

ordered_json NamesOf(const char* about) {
  return {{"type", "array"}, {"items", {{"type", "string"}}}, {"description", about}};
}

ordered_json MapOf(const char* about) {
  return {{"type", "object"}, {"additionalProperties", true}, {"description", about}};
}

ordered_json NumberSchema(const char* about, int most, int by_default) {
  return {{"type", "integer"},
          {"minimum", 1},
          {"maximum", most},
          {"default", by_default},
          {"description", about}};
}

ordered_json ObjectsOf(const char* about) {
  return {{"type", "array"}, {"items", {{"type", "object"}}}, {"description", about}};
}

ordered_json InputOf(ordered_json properties, std::vector<std::string> required) {
  ordered_json out = {{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) out["required"] = required;
  out["additionalProperties"] = false;
  return out;
}

struct Output {
  ordered_json schema;
  ordered_json refused = ordered_json::object();  // McpTool::refused
};

// `required`: the members of every result, with what they are where the call was wrong.
Output OutputOf(ordered_json properties, ordered_json required) {
  properties["error"] = TextOf("What was wrong with the call");
  properties["hint"] = TextOf("How to correct it");
  ordered_json out = {{"type", "object"}, {"properties", std::move(properties)}};
  for (const auto& [name, value] : required.items()) out["required"].push_back(name);
  return {std::move(out), std::move(required)};
}

struct Hints {
  bool reads = false;    // changes nothing
  bool repeats = false;  // a repetition changes nothing more
  bool outside = false;  // may reach outside
};

McpTool ToolOf(ToolKind kind, const char* name, const char* title, const std::string& description,
               ordered_json input, Output output, Hints hints) {
  McpTool tool{kind, name, nullptr, std::move(output.refused)};
  tool.about = {{"name", name},
                {"title", title},
                {"description", description},
                {"inputSchema", std::move(input)},
                {"outputSchema", std::move(output.schema)},
                {"annotations",
                 {{"title", title},
                  {"readOnlyHint", hints.reads},
                  {"destructiveHint", false},
                  {"idempotentHint", hints.reads || hints.repeats},
                  {"openWorldHint", hints.outside}}}};
  return tool;
}

const char* const kSession = "The handle that rpl_run gave: s_ and 16 characters";
const char* const kProtocol = "The name of a protocol, as rpl_protocols lists it";
const char* const kAnswers =
    "Answers by key, as in {\"nights\": 3}: what the user said, or the JSON result of a tool";
const char* const kErrors = "Tools that failed, by key, with the message";
const char* const kDeclines = "Keys of questions that the user declines to answer";
const char* const kRequest = "Your own name for this call: a repetition with it does nothing new";

std::vector<McpTool> FirstEntries(bool outside) {
  std::vector<McpTool> out;
  out.push_back(ToolOf(
      ToolKind::kAnswer, "rpl_answer", "Answer questions of a protocol",
      "Gives answers to open questions of a run, several at once, and goes on to the next step. "
      "Answer with what the user said, never with a guess. Returns the same as rpl_run: do what "
      "`now` says. An answer that was given before changes nothing.",
      InputOf({{"session", TextOf(kSession)},
               {"answers", MapOf(kAnswers)},
               {"errors", MapOf(kErrors)},
               {"declines", NamesOf(kDeclines)},
               {"request_id", TextOf(kRequest)}},
              {"session"}),
      {RunSchema()}, {.repeats = true, .outside = outside}));
  out.push_back(ToolOf(
      ToolKind::kAssert, "rpl_assert", "Report facts to a protocol",
      "Reports facts that you found out to a run, in RPL: [\"paid(\\\"A-17\\\", 40)\"]. They count "
      "as said by the model, so they pass no step that asks for a person. Name their source. "
      "Returns the same as rpl_run.",
      InputOf({{"session", TextOf(kSession)},
               {"facts", NamesOf("Facts without variables, each as RPL writes it")},
               {"source", TextOf("Where you know them from")}},
              {"session", "facts"}),
      {RunSchema()}, {.repeats = true, .outside = outside}));
  return out;
}

McpTool CheckEntry() {
  return ToolOf(
      ToolKind::kCheck, "rpl_check", "Check a protocol",
      "Finds mistakes in a protocol, or in RPL or Markdown that you wrote, without running it. "
      "Returns findings with place and hint; `ok` is false if one is an error.",
      InputOf({{"protocol", TextOf(kProtocol)},
               {"text", TextOf("The text to check instead")},
               {"name", TextOf("The name of that text: plain RPL if it ends in .rpl")}},
              {}),
      OutputOf({{"ok", {{"type", "boolean"}}},
                {"findings", ObjectsOf("rule, severity, file, line, column, message, hint")},
                {"more", {{"type", "boolean"}}}},
               {{"ok", false}, {"findings", ordered_json::array()}}),
      {.reads = true});
}

McpTool ExplainEntry() {
  return ToolOf(
      ToolKind::kExplain, "rpl_explain", "Explain why something holds or not",
      "Explains why a fact or goal holds, or why not: its rules and facts with their places. "
      "`fact` "
      "is one call, as in eligible(\"Ada\", ?x) or %pay. Works on a run, or on a protocol's own "
      "facts.",
      InputOf({{"fact", TextOf("A fact or goal, with or without variables")},
               {"session", TextOf(kSession)},
               {"protocol", TextOf(kProtocol)},
               {"depth", NumberSchema("Levels to show", 64, 8)}},
              {"fact"}),
      OutputOf({{"holds", {{"type", "boolean"}}},
                {"text", TextOf("The explanation, indented")},
                {"more", {{"type", "integer"}, {"description", "Facts not explained"}}},
                {"reason", TextOf("Why it is not known whether it holds, or whether more does")}},
               {{"holds", false}, {"text", ""}}),
      {.reads = true});
}

McpTool GuardEntry() {
  return ToolOf(
      ToolKind::kGuard, "rpl_guard", "Decide about a tool call",
      "Asks the policy whether a tool call is allowed before you make it. The effect is allow, "
      "block (do not make it, nor a similar one) or hitl (ask the user first). Records nothing.",
      InputOf({{"tool", TextOf("The name of the tool")},
               {"args", MapOf("Its arguments")},
               {"tags", NamesOf("Labels of the call")},
               {"user", MapOf("The end user: externalId, metadata")},
               {"history", {{"type", "array"}, {"description", "Earlier calls of this run"}}}},
              {"tool"}),
      OutputOf({{"effect", {{"type", "string"}, {"enum", {"allow", "block", "hitl"}}}},
                {"reason", TextOf("Why, and what to do instead")},
                {"decision", MapOf("The whole decision, as `rpl guard` prints it")}},
               {{"effect", "block"}}),
      {.reads = true});
}

McpTool ProtocolsEntry() {
  return ToolOf(
      ToolKind::kProtocols, "rpl_protocols", "List protocols",
      "Lists the protocols that can be run, with their goal and first questions. Call it to find "
      "the protocol for what the user wants, then rpl_run.",
      InputOf({{"cursor", TextOf("`next` of the page before")}}, {}),
      OutputOf({{"protocols", ObjectsOf("protocol, title, description, goals, asks")},
                {"next", TextOf("The cursor of the next page")}},
               {{"protocols", ordered_json::array()}}),
      {.reads = true});
}

McpTool QueryEntry() {
  return ToolOf(
      ToolKind::kQuery, "rpl_query", "Query facts",
      "Answers a query about a run, or about a protocol's own facts and rules: hotel(?name, "
      "?price), "
      "or a goal form %cheap(?n) <- hotel(?n, ?p), ?p < 100. Changes nothing and asks nobody. "
      "Returns rows as maps from variables to values.",
      InputOf({{"query", TextOf("One or more calls separated by commas, or a goal form")},
               {"session", TextOf(kSession)},
               {"protocol", TextOf(kProtocol)},
               {"limit", NumberSchema("Rows of a page", 500, 50)},
               {"cursor", TextOf("`next` of the page before")}},
              {"query"}),
      OutputOf({{"rows", ObjectsOf("Maps from variables to values")},
                {"holds", {{"type", "boolean"}, {"description", "Whether there is an answer"}}},
                {"more", {{"type", "boolean"}}},
                {"next", TextOf("The cursor of the next page")},
                {"reason", TextOf("Why there is no answer")}},
               {{"rows", ordered_json::array()}, {"holds", false}, {"more", false}}),
      {.reads = true});
}

std::vector<McpTool> LaterEntries(bool outside) {
  std::vector<McpTool> out;
  out.push_back(ToolOf(
      ToolKind::kRetract, "rpl_retract", "Take back facts or answers",
      "Takes back facts of a run that are wrong, or answers, by key, which are then asked again. "
      "Returns the same as rpl_run.",
      InputOf({{"session", TextOf(kSession)},
               {"facts", NamesOf("Facts without variables, as they were reported")},
               {"answers", NamesOf("Keys of answers")}},
              {"session"}),
      {RunSchema()}, {.repeats = true, .outside = outside}));
  out.push_back(ToolOf(
      ToolKind::kRun, "rpl_run", "Run a protocol",
      "Starts a protocol, or goes on with a run, and returns its state: `now` says what to do, in "
      "the protocol's own words, and names the next call. Do it step by step until status is "
      "satisfied. `waiting` is not an error: ask the user what `pending` lists, then rpl_answer. "
      "Runs are kept on disk until they are deleted there.",
      InputOf({{"protocol", TextOf(kProtocol)},
               {"session", TextOf("Instead: a run to go on with")},
               {"goal", TextOf("The name of one goal, as in `%trip`, if the protocol has several")},
               {"answers", MapOf("Answers that you already know from the user, by key")},
               {"facts", NamesOf("Facts that you know, as for rpl_assert")},
               {"source", TextOf("Where you know the facts from")},
               {"request_id", TextOf(kRequest)}},
              {}),
      {RunSchema()}, {.outside = outside}));
  out.push_back(ToolOf(
      ToolKind::kStatus, "rpl_status", "Show the state of a run",
      "Returns the state of a run without changing it: what is open, what to do now, and the "
      "answers. Call it when a call said that the run is still working, or to resume after a "
      "break.",
      InputOf({{"session", TextOf(kSession)}, {"cursor", TextOf("`next` of a state")}},
              {"session"}),
      {RunSchema()}, {.reads = true}));
  out.push_back(ToolOf(
      ToolKind::kTrace, "rpl_trace", "Show what a run established",
      "Lists what a run has established, in order: replies and who gave them, constraints, reached "
      "goals, retractions, failures. For questions such as: why did it decide this, who said so?",
      InputOf({{"session", TextOf(kSession)},
               {"after", {{"type", "integer"}, {"minimum", 0}, {"description", "Entries to skip"}}},
               {"limit", NumberSchema("Entries of a page", 500, 100)}},
              {"session"}),
      OutputOf({{"events", ObjectsOf("number, step, kind, text, by")},
                {"next", {{"type", "integer"}, {"description", "`after` of the next page"}}}},
               {{"events", ordered_json::array()}}),
      {.reads = true}));
  return out;
}

std::string_view NameOfType(const ordered_json& json) {
  if (json.is_object()) return "an object";
  if (json.is_array()) return "a list";
  if (json.is_string()) return "a string";
  if (json.is_boolean()) return "true or false";
  if (json.is_null()) return "null";
  return "a number";
}

// Whether a value has the type of a schema.
bool HasType(const ordered_json& value, const std::string& type) {
  if (type == "string") return value.is_string();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "boolean") return value.is_boolean();
  if (type == "array") return value.is_array();
  return value.is_object();
}

}  // namespace

std::vector<McpTool> McpToolTable(bool with_policy, bool with_tools) {
  std::vector<McpTool> out = FirstEntries(with_tools);
  out.push_back(CheckEntry());
  out.push_back(ExplainEntry());
  if (with_policy) out.push_back(GuardEntry());
  out.push_back(ProtocolsEntry());
  out.push_back(QueryEntry());
  for (McpTool& tool : LaterEntries(with_tools)) out.push_back(std::move(tool));
  return out;
}

ordered_json ToolFor(const McpTool& tool, std::string_view revision) {
  ordered_json out = tool.about;
  if (revision < "2025-06-18") {
    out.erase("outputSchema");
    out.erase("title");
  }
  if (revision < "2025-03-26") out.erase("annotations");
  return out;
}

std::string ArgumentFault(const ordered_json& schema, const ordered_json& arguments) {
  const ordered_json& properties = schema["properties"];
  for (const auto& [name, value] : arguments.items()) {
    const auto property = properties.find(name);
    if (property == properties.end()) {
      NearestName nearest(name);
      for (const auto& [known, about] : properties.items()) nearest.Offer(known);
      return fmt::format(
          "unknown argument `{}`{}", name,
          nearest.name().empty() ? "" : fmt::format(", did you mean `{}`?", nearest.name()));
    }
    const std::string type = property->value("type", "object");
    if (!HasType(value, type))
      return fmt::format("expected {} {} for `{}`, got {}",
                         type == "integer" || type == "array" || type == "object" ? "an" : "a",
                         type, name, NameOfType(value));
    if (type == "integer") {
      const auto least = property->value("minimum", std::int64_t{0});
      const auto most = property->value("maximum", INT64_MAX);
      if (value < least || value > most)
        return fmt::format("expected {} to {} for `{}`", least, most, name);
    }
    if (type == "array" && property->contains("items") &&
        (*property)["items"].value("type", "") == "string" &&
        !std::all_of(value.begin(), value.end(), [](const auto& v) { return v.is_string(); }))
      return fmt::format("expected a list of strings for `{}`", name);
  }
  if (const auto required = schema.find("required"); required != schema.end())
    for (const ordered_json& name : *required)
      if (!arguments.contains(name.get<std::string>()))
        return fmt::format("there is no `{}`, which is required", name.get<std::string>());
  return "";
}

}  // namespace rpl
