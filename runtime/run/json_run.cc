// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/json_run.h"

#include <stdexcept>
#include <utility>

#include "formats/data/json_fields.h"
#include "interp/explain/explain_print.h"
#include "interp/lint/checker.h"
#include "interp/program/operators.h"
#include "runtime/explained.h"
#include "runtime/wire/explanation_json.h"
#include "runtime/wire/finding_json.h"
#include "runtime/wire/open_question.h"
#include "runtime/wire/outcome_json.h"
#include "runtime/wire/request_fields.h"
#include "runtime/wire/standing_replies.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kAbsenceDepth = 2;

void AddFiles(const ordered_json& list, std::vector<ProgramFile>& to) {
  for (const ordered_json& document : list) {
    const std::string name = TextIn(document, "name");
    to.push_back({name.empty() ? "protocol.md" : name, TextIn(document, "text")});
  }
}

ordered_json FindingsIn(const std::vector<Diagnostic>& diagnostics, const Run& run) {
  ordered_json out = ordered_json::array();
  for (const Diagnostic& d : diagnostics)
    out.push_back(FindingJson({d, {}}, run.session().sources()));
  return out;
}

}  // namespace

FileReader ReaderOf(const std::vector<ProgramFile>& files) {
  return [files](const std::string& name) -> std::optional<std::string> {
    for (const ProgramFile& file : files)
      if (file.name == name) return file.text;
    return std::nullopt;
  };
}

std::vector<ProgramFile> DocumentsOf(const ordered_json& json) {
  std::vector<ProgramFile> out;
  const ordered_json& documents = FieldAt(json, "documents");
  if (!documents.is_array() || documents.empty()) ThrowExpected("a list of `documents`");
  AddFiles(documents, out);
  return out;
}

void ReadSettings(const ordered_json& json, RunSpec& to) {
  if (const std::string now = TextIn(json, "now"); !now.empty()) {
    if (!ParseInstant(now)) ThrowExpected("a time like 2026-01-02T00:00:00Z as `now`");
    to.options.now = now;
  }
  if (!FieldAt(json, "goal").is_null()) to.goal = TextIn(json, "goal");
  if (const ordered_json& most = FieldAt(json, "seconds"); most.is_number())
    to.options.limits.max_seconds = most.get<double>();
  if (const ordered_json& most = FieldAt(json, "rows"); most.is_number_unsigned())
    to.options.limits.max_rows = most.get<std::size_t>();
}

RunSpec RunSpecOf(const ordered_json& json) {
  RunSpec spec;
  spec.files = DocumentsOf(json);
  std::vector<ProgramFile> known = spec.files;
  const ordered_json& beside = FieldAt(json, "beside");
  if (!beside.is_null() && !beside.is_array()) ThrowExpected("a list of files as `beside`");
  AddFiles(beside, known);
  spec.reader = ReaderOf(known);
  ReadSettings(json, spec);
  return spec;
}

ordered_json CheckedJson(const std::vector<ProgramFile>& files, const CheckOptions& options) {
  Sources sources;
  std::vector<std::uint32_t> numbers;
  for (const ProgramFile& file : files) numbers.push_back(sources.Add(file.name, file.text));
  ordered_json out = ordered_json::array();
  for (const Finding& finding : CheckFiles(sources, numbers, options)) {
    ordered_json one = FindingJson(finding, sources);
    one["begin"] = finding.diagnostic.span.begin;
    one["end"] = finding.diagnostic.span.end;
    ordered_json edits = ordered_json::array();
    for (const Edit& edit : finding.edits)
      edits.push_back({{"begin", edit.span.begin}, {"end", edit.span.end}, {"text", edit.text}});
    one["edits"] = std::move(edits);
    out.push_back(std::move(one));
  }
  return {{"findings", std::move(out)}};
}

JsonRun::JsonRun(RunSpec spec, std::optional<Ports> otherwise)
    : otherwise_(otherwise.value_or(nobody_)),
      agent_(otherwise_.people, otherwise_.tools, answers_),
      opened_([&] {
        spec.retry = [this](const std::string& call, const std::string&) {
          return retried_.contains(call);
        };
        return Run::Open({agent_, agent_, otherwise_.access, answers_.chat()}, std::move(spec));
      }()) {}

std::string JsonRun::refused() const {
  switch (opened_.why) {
    case Unopened::kNot: return "";
    case Unopened::kRejected: return "the program has errors";
    case Unopened::kBroken: return opened_.run->broken();
    case Unopened::kNoGoals: return "the program has no goal";
    case Unopened::kNoSuchGoal: return "the program has no goal of this name";
  }
  return "";
}

ordered_json JsonRun::findings() const { return FindingsIn(opened_.findings, *opened_.run); }

ordered_json JsonRun::Do(const ordered_json& request) {
  try {
    const std::string what = TextIn(request, "do");
    if (what == "trace") return Trace();
    if (what == "export") return {{"text", opened_.run->session().Export()}};
    if (const std::string why = refused(); !why.empty()) return FaultJson(why);
    if (const std::string why = opened_.run->broken(); !why.empty())
      return FaultJson("the session does not go on: " + why, "open it again");
    if (what == "run") return Turn(request);
    if (what == "ask") return Ask(request);
    if (what == "explain") return Explain(request);
    return FaultJson("expected `run`, `ask`, `explain`, `trace` or `export` as `do`");
  } catch (const std::invalid_argument& e) {
    return FaultJson(e.what());
  }
}

// The ids of the open questions by their keys of QuestionJson.
std::map<std::string, std::string> JsonRun::IdsByKey() {
  std::map<std::string, std::string> out;
  if (const Outcome* const last = opened_.run->last(); last != nullptr)
    for (OpenQuestion& question : OpenQuestionsOf(last->pending, opened_.run->session().pool()))
      out.emplace(std::move(question.key), std::move(question.id));
  return out;
}

ordered_json JsonRun::Turn(const ordered_json& request) {
  const By by = PartyIn(request);
  const std::map<std::string, std::string> ids = IdsByKey();
  const auto id_of = [&](const std::string& key) {  // another key stays as it is
    const auto at = ids.find(key);
    return at == ids.end() ? key : at->second;
  };
  std::vector<GivenAnswer> given = GivenIn(request, by);
  for (GivenAnswer& answer : given) answer.key = id_of(answer.key);
  for (const std::string& key : KeysIn(request, "starts")) answers_.Start(id_of(key));
  for (const std::string& key : KeysIn(request, "retry")) retried_.insert(id_of(key));
  TakeBack(KeysIn(request, "takeBack"), given, by);
  if (const std::string sentences = TextIn(request, "say"); !sentences.empty()) {
    const Outcome said = opened_.run->Say("<said>.rpl", sentences, by);
    if (said.status == Status::kRejected) return FaultJson(said.reason, said.hint);
  }
  for (GivenAnswer& answer : given) answers_.Give(std::move(answer));
  return Shown("rpl.run/1", opened_.run->Turn());
}

// Takes back the replies to these keys, and that what is answered now was declined.
void JsonRun::TakeBack(const std::vector<std::string>& keys, const std::vector<GivenAnswer>& given,
                       By by) {
  const rpl::Trace& entries = opened_.run->session().Entries();
  Retractions back = rpl::TakeBack(entries, keys);
  if (!back.refused.empty()) throw std::invalid_argument(back.refused);
  for (const GivenAnswer& answer : given)
    if (const TraceEntry* last = LastReply(entries, answer.key);
        last != nullptr && last->answered->declined && answer.kind != GivenAnswer::Kind::kDecline)
      back.sentences.push_back(RetractionOf(*last));
  std::string text;
  for (const std::string& sentence : back.sentences) text += sentence + "\n";
  if (text.empty()) return;
  const Outcome said = opened_.run->Say("<taken-back>.rpl", text, by);
  if (said.status == Status::kRejected) throw std::invalid_argument(said.reason);
}

ordered_json JsonRun::Ask(const ordered_json& request) {
  const By by = PartyIn(request);
  const Outcome outcome = opened_.run->Say("<query>.rpl", TextIn(request, "query"), by);
  if (outcome.status == Status::kRejected && !outcome.hint.empty())
    return FaultJson(outcome.reason, outcome.hint);  // as of `say`: nothing was taken in
  ordered_json out = Shown("rpl.reply/1", outcome);
  out["lines"] = Session::Reply(outcome);
  return out;
}

// The outcome with all that a caller needs to go on.
ordered_json JsonRun::Shown(std::string_view schema, const Outcome& outcome) {
  ordered_json out = OutcomeJson(schema, outcome, opened_.run->session().pool());
  out["questions"] = ordered_json::array();
  for (const OpenQuestion& question :
       OpenQuestionsOf(outcome.pending, opened_.run->session().pool())) {
    ordered_json one = QuestionJson(question);
    if (question.kind != Request::Kind::kTool) one["schema"] = AnswerSchema(question);
    out["questions"].push_back(std::move(one));
  }
  if (!outcome.diagnostics.empty()) out["findings"] = FindingsIn(outcome.diagnostics, *opened_.run);
  if (std::vector<std::string> chat = answers_.TakeChat(); !chat.empty()) out["chat"] = chat;
  for (const UnusedAnswer& unused : answers_.TakeUnused())
    out["unused"].push_back(
        {{"key", unused.key},
         {"why", unused.why.empty() ? "no question of this key is open" : unused.why}});
  return out;
}

ordered_json JsonRun::Explain(const ordered_json& request) {
  Session& session = opened_.run->session();
  const Explained explained = session.Explain(TextIn(request, "form"), {}, kAbsenceDepth);
  ordered_json out = {{"holds", !explained.why.proofs.empty()}, {"doubt", explained.reason}};
  if (explained.rejected) {
    out["findings"] = FindingsIn(explained.diagnostics, *opened_.run);
    return out;
  }
  std::string text;
  const auto add = [&](const Explanation& explanation) {
    out["explanations"].push_back(ExplanationJson(explanation, session.sources()));
    text += ExplanationText(explanation, session.sources());
  };
  for (const Explanation& proof : explained.why.proofs) add(proof);
  if (explained.why_not) add(*explained.why_not);
  out["text"] = text;
  return out;
}

ordered_json JsonRun::Trace() const {
  ordered_json entries = ordered_json::array();
  for (const TraceEntry& entry : opened_.run->session().Entries())
    if (!entry.again)
      entries.push_back({{"kind", EntryName(entry.kind)},
                         {"timestep", entry.timestep},
                         {"phase", entry.phase},
                         {"text", entry.text}});
  return {{"entries", std::move(entries)}};
}

}  // namespace rpl
