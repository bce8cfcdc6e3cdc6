// SPDX-License-Identifier: Apache-2.0
//
// A run that is driven by JSON: one object in, one object out, for callers in another language.
//
// A request names what is to be done in "do":
//
//   run      "answers" {KEY: value}, "errors" {KEY: text} of failed tools, "declines" [KEY], "say"
//            (sentences of RPL), "takeBack" [KEY], "by" ("person", "model"; else the caller's
//            program), "starts" [KEY] of tools that the caller begins to carry out, "retry" [KEY]
//            of calls in doubt that may be made again. Takes all of them in and pursues the goal.
//            The result is one of docs/schemas/outcome.json, with "questions", the open ones with
//            what an answer may be (QuestionJson, "schema"), and, if there are any, "chat" (lines)
//            and "unused" (answers that were not taken, with why)
//   ask      "query": a message whose last line is a query, and "by": the result likewise, as of
//            rpl reply, with its "lines"
//   explain  "form": a call. "explanations" (docs/schemas/explain.json) and their "text"; "holds";
//            of a form without facts why it has none, and "doubt", why it may have some, or ""
//   trace    "entries": {"kind", "timestep", "phase", "text"}
//   export   "text": the trace as a program
//
// KEY is the id of a question, its "key", or a name as of runtime/wire/request_key.h. A request
// that cannot be done has the result {"error", "hint"}. The answers of a request to questions that
// are not open are handed back. One thread.
#ifndef RPL_RUNTIME_RUN_JSON_RUN_H_
#define RPL_RUNTIME_RUN_JSON_RUN_H_

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "runtime/nobody.h"
#include "runtime/relaying_agent.h"
#include "runtime/run/run.h"
#include "runtime/wire/given_answers.h"

namespace rpl {

struct CheckOptions;

/// What opens a run of documents in memory:
///
///   documents  [{"name", "text"}]; a name may end in .md or .rpl
///   beside     likewise, files that documents name (`FILE#relation`)
///   goal       a name, or "": all goals
///   now        the time of every timestep, or "": the clock
///   seconds, rows  limits, where they are not those of a session
///
/// Throws std::invalid_argument with a reason for people, as do the next two.
RunSpec RunSpecOf(const nlohmann::ordered_json& json);
std::vector<ProgramFile> DocumentsOf(const nlohmann::ordered_json& json);
/// The members beside the documents; what is not named stays as it is in `to`.
void ReadSettings(const nlohmann::ordered_json& json, RunSpec& to);

/// What rpl check finds in documents, and what would mend it: "findings" (docs/schemas/check.json),
/// each with its place in bytes ("begin", "end") and "edits" ({"begin", "end", "text"}).
nlohmann::ordered_json CheckedJson(const std::vector<ProgramFile>& files,
                                   const CheckOptions& options);
/// A reader of files that are in memory, by their names.
FileReader ReaderOf(const std::vector<ProgramFile>& files);

class JsonRun {
 public:
  /// Calls that no request answers go to `otherwise`; without it they stay open.
  explicit JsonRun(RunSpec spec, std::optional<Ports> otherwise = {});

  /// Why the run takes no turns, or "".
  std::string refused() const;
  /// The findings of opening it: an array of FindingJson.
  nlohmann::ordered_json findings() const;
  /// The result of a request.
  nlohmann::ordered_json Do(const nlohmann::ordered_json& request);

 private:
  nlohmann::ordered_json Turn(const nlohmann::ordered_json& request);
  nlohmann::ordered_json Ask(const nlohmann::ordered_json& request);
  nlohmann::ordered_json Explain(const nlohmann::ordered_json& request);
  nlohmann::ordered_json Trace() const;
  void TakeBack(const std::vector<std::string>& keys, const std::vector<GivenAnswer>& given, By by);
  nlohmann::ordered_json Shown(std::string_view schema, const Outcome& outcome);
  std::map<std::string, std::string> IdsByKey();

  Nobody nobody_;
  const Ports otherwise_;
  GivenAnswers answers_;
  RelayingAgent agent_;
  std::set<std::string> retried_;
  Run::Opened opened_;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_RUN_JSON_RUN_H_
