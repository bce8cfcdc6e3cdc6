// SPDX-License-Identifier: Apache-2.0
#include "shell/serving/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "formats/data/json_text.h"
#include "formats/shorten.h"
#include "formats/spelling.h"
#include "interp/explain/explain_print.h"
#include "runtime/explained.h"
#include "runtime/run/facts_to_report.h"
#include "runtime/run/session.h"
#include "runtime/wire/outcome_json.h"
#include "runtime/wire/standing_replies.h"
#include "shell/program/program_files.h"
#include "shell/serving/turn_input.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostProse = 8'000;
constexpr std::size_t kMostReason = 2'000;
constexpr std::size_t kMostPending = 50;
constexpr std::size_t kMostOpen = 50;  // relations
constexpr std::size_t kMostAsked = 8;  // questions in `now`
constexpr std::size_t kMostChat = 20;

std::string SentenceOf(const ToDo& to_do) {
  std::string text = to_do.text.empty() ? to_do.heading : to_do.heading + ": " + to_do.text;
  if (!text.empty() && std::string_view(".!?:").find(text.back()) == std::string_view::npos)
    text += '.';
  return text;
}

std::string ProseOf(const std::vector<ToDo>& now) {
  std::string out;
  for (const ToDo& to_do : now) {
    out += (out.empty() ? "" : "\n") + SentenceOf(to_do);
  }
  return ShownText(out, kMostProse);
}

// `{"nights": …}` for the questions, as a model is to write it.
std::string AnswersToWrite(const std::vector<const OpenQuestion*>& questions) {
  std::string out = "{";
  for (const OpenQuestion* question : questions) {
    const bool rows = !question->row.empty();
    out += fmt::format(
        "{}{}: {}", out.size() > 1 ? ", " : "",
        ordered_json(question->key).dump(-1, ' ', false, ordered_json::error_handler_t::replace),
        rows ? "[…]" : "…");
  }
  return out + "}";
}

std::string AskFor(const OpenQuestion& question) {
  const std::string wanted = WantedText(question);
  const std::string kind = wanted.empty() ? "" : " (" + wanted + ")";
  if (question.of_server)
    return fmt::format(
        "Nobody knows whether the tool `{}` ran with the arguments {}: its call was cut off. Do "
        "not "
        "call it yourself: find out what it did, or ask the user.",
        question.tool, DumpJson(question.arguments));
  if (question.kind == Request::Kind::kTool)
    return fmt::format("Call your tool `{}` with the arguments {}{}.", question.tool,
                       DumpJson(question.arguments),
                       question.in_doubt ? ", unless it ran already: nobody knows" : "");
  return fmt::format("Ask the user: \"{}\"{}", question.prompt, kind.empty() ? "" : kind + ".");
}

// What a model can do about the questions, then what it cannot.
// `at_terminal`: the command by which a person answers there.
std::string WhatToAsk(const std::vector<OpenQuestion>& questions, const std::string& handle,
                      const std::string& path, const std::string& at_terminal) {
  std::vector<const OpenQuestion*> ours, tools, persons;
  for (const OpenQuestion& question : questions)
    (question.personal || question.secret    ? persons
     : question.kind == Request::Kind::kTool ? tools
                                             : ours)
        .push_back(&question);
  std::string out;
  std::vector<const OpenQuestion*> to_answer = ours;
  to_answer.insert(to_answer.end(), tools.begin(), tools.end());
  if (to_answer.size() > kMostAsked) to_answer.resize(kMostAsked);
  for (const OpenQuestion* question : to_answer) out += AskFor(*question) + " ";
  if (!to_answer.empty()) {
    out += fmt::format("Then call rpl_answer with session \"{}\" and answers {}", handle,
                       AnswersToWrite(to_answer));
    if (!tools.empty()) out += ", where the answer of a tool is its result as JSON";
    out += to_answer.size() < ours.size() + tools.size() ? "; more questions follow. "
           : to_answer.size() > 1                        ? ", several at once or one by one. "
                                                         : ". ";
  }
  for (const OpenQuestion* question : tools)
    if (question->of_server)
      out += fmt::format(
          "If `{}` is to be called again, the user says so at a terminal, with `rpl resume {} "
          "--retry {}`. ",
          question->tool, AsShellWord(path), question->tool);
  for (const OpenQuestion* question : persons)
    out += fmt::format("Only the user can answer \"{}\"{}. ", question->prompt,
                       question->secret ? ", at a terminal, because it is a secret" : "");
  const bool secrets =
      std::ranges::all_of(persons, [](const OpenQuestion* question) { return question->secret; });
  if (!persons.empty())
    out += fmt::format(
        "Do not answer {} yourself: your turn ends here. Tell the user, who answers {}at a "
        "terminal, with `{}`; afterwards call rpl_run with session \"{}\".",
        persons.size() == 1 ? "it" : "them", secrets ? "" : "in a form of this host or ",
        at_terminal, handle);
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

// The facts that the protocol asks the model to report, while the run is not over.
void AddReports(ProtocolRun& run, ordered_json& to) {
  const Status status = run.outcome().status;
  if (status == Status::kSatisfied || status == Status::kRejected) return;
  std::set<std::string> told;  // headings, whose prose is told once
  for (const FactToReport& fact : FactsToReport(run.session(), By::kModel)) {
    if (to["report"].size() == kMostAsked) break;
    ordered_json one = {{"form", fact.form}};
    if (!fact.text.empty() && told.insert(fact.heading).second) {
      one["heading"] = run.Shown(fact.heading);
      one["text"] = ShownText(run.Shown(fact.text), kMostReason);
    }
    to["report"].push_back(std::move(one));
  }
  if (to["report"].is_null()) to.erase("report");
}

// Why a goal does not hold, in a few lines.
std::string WhyNot(ProtocolRun& run, const std::string& goal) {
  const Explained explained = run.session().Explain(goal.empty() ? "%" : goal, {1, 2}, 2);
  if (explained.rejected || !explained.why_not) return "";
  std::string text = run.Shown(ExplanationText(*explained.why_not, run.session().sources()));
  while (text.ends_with('\n')) text.pop_back();
  return Shortened(std::move(text), kMostReason);
}

// The keys by which rpl_retract takes back the failures that are recorded. A call that was not
// permitted has none: each turn makes it again.
ordered_json FailuresToTakeBack(ProtocolRun& run) {
  const Trace& entries = run.session().Entries();
  const std::vector<AnsweredCall> failed = FailedCalls(entries);
  ordered_json out = ordered_json::array();
  for (std::size_t i = 0; i < std::min(failed.size(), kMostAsked); ++i) {
    const AnsweredCall& call = failed[i];
    const auto same = [&](const AnsweredCall& other) { return other.tool == call.tool; };
    const bool only = std::ranges::count_if(failed, same) == 1;
    const TraceEntry* last = LastReply(entries, call.tool);
    out.push_back(only && last != nullptr && last->answered->call == call.call ? call.tool
                                                                               : call.call);
  }
  return out;
}

std::string NowFor(ProtocolRun& run, const RunReport& report, const std::string& handle,
                   const std::string& path, const std::string& why) {
  const Outcome& outcome = run.outcome();
  const std::string protocol = run.place().name;
  const std::string goal = outcome.goal == "%" ? "its goal" : "the goal " + outcome.goal;
  const ordered_json failed =
      outcome.status == Status::kToolFailed ? FailuresToTakeBack(run) : ordered_json::array();
  switch (outcome.status) {
    case Status::kSatisfied: {
      std::string now = ProseOf(outcome.now);
      if (!now.empty()) now += "\n";
      now += fmt::format("{} has reached {}", protocol, goal);
      now += outcome.answers.empty() && outcome.json_answers.empty()
                 ? "."
                 : ": tell the user the result, which is in `answers`.";
      return now + " No further call is needed.";
    }
    case Status::kWaiting:
      return fmt::format("{} waits for {} answer{}. ", protocol, report.questions.size(),
                         report.questions.size() == 1 ? "" : "s") +
             WhatToAsk(report.questions, handle, path,
                       run.place().binds
                           ? "rpl guard answer " + AsShellWord(run.place().protocol) + " KEY=VALUE"
                           : "rpl resume " + AsShellWord(path));
    case Status::kUnsatisfied:
      return fmt::format(
          "{} cannot reach {} with what is known: {}. Tell the user why. If a fact is missing, "
          "report it with rpl_assert; if an answer was wrong, take it back with rpl_retract.{}",
          protocol, goal, outcome.reason, why.empty() ? "" : " `why` has the details.");
    case Status::kFailed:
      if (outcome.violated || outcome.reason.starts_with("%fail(\"constraint violated:"))
        return fmt::format(
            "A rule of {} is violated: {} Tell the user. Mend what it names and report that with "
            "rpl_assert, or take back with rpl_retract what is wrong. Do not go on before that.",
            protocol, outcome.violated ? SentenceOf(*outcome.violated) : outcome.reason + ".");
      if (!outcome.declined.empty())
        return fmt::format(
            "{} cannot go on: the user declined what it needs ({}). Tell them, and end here; if "
            "they change their mind, call rpl_answer with session \"{}\" and the answer.",
            protocol, outcome.reason, handle);
      return fmt::format("{} has failed: {}. Tell the user.", protocol, outcome.reason);
    case Status::kToolFailed:
      return fmt::format(
          "A tool that {} needs failed or was not permitted: {}. Tell the user. When that is "
          "mended, call {} with session \"{}\"{}.",
          protocol, outcome.reason, failed.empty() ? "rpl_run" : "rpl_retract", handle,
          failed.empty() ? ""
                         : " and answers " + DumpJson(failed) + ", which has the call made again");
    case Status::kReview:
      return fmt::format(
          "A person must approve a call of {} before it is made: {}. Your turn ends here. Tell the "
          "user, who finds it by `rpl guard pending{}`; afterwards call rpl_run with session "
          "\"{}\".",
          protocol, outcome.reason, run.store_option(), handle);
    case Status::kLimit:
      return fmt::format("{} reached a limit: {}. Tell the user.", protocol, outcome.reason);
    case Status::kInterrupted:
      return fmt::format("{} was interrupted. Nothing is lost: call rpl_run with session \"{}\".",
                         protocol, handle);
    case Status::kRejected:
      return fmt::format("{} was refused: {}. Correct the text first.", protocol, outcome.reason);
    case Status::kNothing: break;
  }
  return protocol + " has nothing to do.";
}

}  // namespace

AnswerPage PageOf(const std::vector<std::string>& json_answers, std::size_t first,
                  std::size_t most) {
  AnswerPage page;
  std::size_t bytes = 0;
  for (std::size_t i = first; i < json_answers.size(); ++i) {
    bytes += json_answers[i].size();
    const std::size_t taken = i - first;
    if (taken >= most || (taken > 0 && bytes > kMostAnswerText)) {
      page.next = i;
      break;
    }
    ordered_json row = ParseOwnJson(json_answers[i]);
    page.answers.push_back(row.is_discarded() ? ordered_json(json_answers[i]) : std::move(row));
  }
  return page;
}

namespace {

// The answers that were not taken and why, for `now`, or "".
std::string NotTaken(const RunReport& report) {
  std::string out;
  for (const UnusedAnswer& answer : report.unused) {
    std::string why = answer.why;
    if (why.empty()) {
      NearestName nearest(answer.key);
      for (const OpenQuestion& question : report.questions) nearest.Offer(question.key);
      why = answer.key == kWhatNow ? "only a person decides this, at a terminal"
            : nearest.name().empty()
                ? "nothing asks for it"
                : "nothing asks for it, did you mean `" + nearest.name() + "`?";
    }
    out += (out.empty() ? "Not taken: `" : "; `") + ShownText(answer.key) + "`: " + why;
  }
  return out.empty() ? "" : out + "\n\n";
}

}  // namespace

RunReport ReportOf(ProtocolRun& run, const std::string& handle, const std::string& path) {
  RunReport out;
  Outcome shown = run.outcome();
  shown.reason = Shortened(run.Shown(shown.reason), kMostReason);
  out.questions = QuestionsOfRun(run);
  for (OpenQuestion& question : out.questions) {
    question.place = run.Shown(question.place);
    question.of_server = question.in_doubt && run.HasCommand(question.tool);
  }
  out.unused = run.unused();
  const std::string why =
      shown.status == Status::kUnsatisfied ? WhyNot(run, shown.goal) : std::string();
  const AnswerPage page = PageOf(shown.json_answers, 0);
  out.json = {{"now", ShownText(run.Shown(NotTaken(out) + NowFor(run, out, handle, path, why)),
                                2 * kMostProse)},
              {"schema", "rpl.mcp.run/1"},
              {"session", handle},
              {"protocol", run.place().name},
              {"seq", run.seq()},
              {"status", StatusName(shown.status)},
              {"goal", shown.goal},
              {"answers", page.answers},
              {"pending", ordered_json::array()}};
  for (std::size_t i = 0; i < std::min(out.questions.size(), kMostPending); ++i)
    out.json["pending"].push_back(QuestionJson(out.questions[i]));
  if (page.next > 0 || out.questions.size() > kMostPending) out.json["more"] = true;
  if (!shown.reason.empty()) out.json["reason"] = shown.reason;
  if (!why.empty()) out.json["why"] = why;
  if (!shown.rule.empty()) out.json["rule"] = run.Shown(shown.rule);
  if (!shown.with.empty()) out.json["with"] = shown.with;
  if (!shown.cut_off.empty()) out.json["cutOff"] = shown.cut_off;
  if (!shown.overridden.empty()) out.json["overridden"] = OverriddenJson(shown.overridden);
  if (!run.chat().empty()) {
    std::vector<std::string> chat = run.chat();
    if (chat.size() > kMostChat) chat.resize(kMostChat);
    for (std::string& line : chat) line = ShownText(line);
    out.json["chat"] = chat;
  }
  ordered_json unused = ordered_json::array();
  for (const UnusedAnswer& answer : out.unused)
    unused.push_back(
        {{"key", answer.key}, {"why", answer.why.empty() ? "nothing asked for it" : answer.why}});
  if (!unused.empty()) out.json["unused"] = std::move(unused);
  std::vector<std::string> open = run.session().MayState(By::kModel);
  if (open.size() > kMostOpen) open.resize(kMostOpen);
  if (!open.empty()) out.json["may_state"] = std::move(open);
  AddReports(run, out.json);
  return out;
}

ordered_json RunningReport(const std::string& handle, const std::string& protocol,
                           ordered_json last, const std::string& fault) {
  std::string now = fmt::format(
      "{} is still working. Wait some seconds, then call rpl_status with session \"{}\".", protocol,
      handle);
  if (!fault.empty())
    now += fmt::format(
        " What you gave is not stored yet ({}): if it is asked for again, give it again.", fault);
  ordered_json out = {{"now", now},
                      {"schema", "rpl.mcp.run/1"},
                      {"session", handle},
                      {"protocol", protocol},
                      {"seq", 0},
                      {"status", "waiting"},
                      {"goal", ""},
                      {"answers", ordered_json::array()},
                      {"pending", ordered_json::array()},
                      {"reason", "running"},
                      {"running", true}};
  if (!last.is_object()) return out;
  out["seq"] = last.value("seq", std::size_t{0});
  out["goal"] = last.value("goal", "");
  return out;
}

// In short, because each model reads it in the list of tools: the whole is
// docs/schemas/mcp-run.json.
ordered_json RunSchema() {
  const ordered_json text = {{"type", "string"}};
  return {{"type", "object"},
          {"properties",
           {{"now", {{"type", "string"}, {"description", "What to do now, and the next call"}}},
            {"session", text},
            {"status", text},
            {"pending", {{"type", "array"}, {"items", {{"type", "object"}}}}}}},
          {"required", {"now", "session", "status"}}};
}

// The text of a report, for hosts that show their model no more than that.
std::string ReportText(const ordered_json& report) {
  std::string out = report.value("now", "");
  const auto line = [&](const char* name, const std::string& text) {
    if (!text.empty()) out += fmt::format("\n{}: {}", name, text);
  };
  out += "\n";
  line("session", report.value("session", ""));
  line("status", report.value("status", ""));
  for (const ordered_json& question : report.value("pending", ordered_json::array())) {
    std::string about = question.value("kind", "");
    if (question.value("person", false)) about += ", only the user";
    out += fmt::format("\n- `{}` ({}): {}", question.value("key", ""), about,
                       question.value("prompt", ""));
    if (const auto options = question.find("options"); options != question.end())
      out += " " + DumpJson(*options);
  }
  for (const ordered_json& fact : report.value("report", ordered_json::array())) {
    out += fmt::format("\nreport with rpl_assert what you find: {}", fact.value("form", ""));
    if (fact.contains("text"))
      out += fmt::format(" ({}: {})", fact.value("heading", ""), fact.value("text", ""));
  }
  for (const char* name : {"answers", "unused", "chat", "findings", "with", "overridden"})
    if (const auto at = report.find(name); at != report.end() && !at->empty())
      line(name, DumpJson(*at));
  for (const char* name : {"why", "error", "hint", "next", "cutOff"})
    line(name, report.value(name, ""));
  return out;
}

}  // namespace rpl
