// SPDX-License-Identifier: Apache-2.0
#include "shell/commands/shared_options.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

#include "checks/guard/zone.h"
#include "runtime/facts/facts_file.h"
#include "runtime/tools/model_config.h"
#include "shell/terminal/limit_names.h"

namespace rpl {

std::string CheckTime(const std::string& text) {
  static const RE2 iso(R"(\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?)");
  if (RE2::FullMatch(text, iso)) return "";
  return fmt::format("expected a time like 2026-01-02T00:00:00Z, got `{}`", text);
}

// For options that name a file: an empty name is an error (an unset variable), never "none".
std::string CheckNamed(const std::string& path) {
  return path.empty() ? "expected the name of a file, got an empty one" : "";
}

// An option that takes one value and may be repeated.
CommandOption AddRepeatable(CommandOptions command, const char* name, std::vector<std::string>& to,
                            const char* unit, const char* about) {
  return command.Add(name, to, about).Unit(unit).TakesOne();
}

CommandOption AddPrograms(CommandOptions command, std::vector<std::string>& to) {
  return AddRepeatable(command, "-f,--file", to, "FILE", kPrograms);
}

void AddFormat(CommandOptions command, const OutputFormat*& to) {
  std::vector<std::pair<std::string, const OutputFormat*>> choices;
  for (const OutputFormat& format : kOutputFormats) choices.emplace_back(format.name, &format);
  AddFormat(command, to, choices);
}

void AddNow(CommandOptions command, EngineOptions& options) {
  command.Add("--now", options.now, "The value of `now`, in ISO 8601 (default: the system clock)")
      .Unit("T")
      .Check(CheckTime);
}

void AddAnswerOptions(CommandOptions command, EngineOptions& options) {
  command
      .Add("--answers", options.answers_file,
           "Prepared answers, in JSON or YAML; - asks and reads answers in NDJSON")
      .Unit("FILE")
      .Check(CheckNamed);
  AddRepeatable(command, "--answer", options.answers, "KEY=VALUE",
                "An answer; KEY names an avar, argument, relation or tool; repeatable");
  command
      .Add("--answers-by", options.answers_by,
           "Whose answers prepared ones and lines count as: person or model (`:by`)")
      .Unit("WHO")
      .OneOf({"person", "model"});
  AddRepeatable(command, "--decline", options.declines, "KEY",
                "Decline a question; it stays declined until that is taken back; repeatable");
  AddNow(command, options);
}

void AddFactsOptions(CommandOptions command, EngineOptions& options) {
  AddRepeatable(
      command, "--facts", options.facts, "RELATION=FILE",
      "Rows of a relation, from a CSV, TSV or NDJSON file, or CSV from standard input (-) "
      "(docs/facts.md); repeatable");
  command
      .AddTaking<std::string>(
          "--separator",
          [&options](const std::string& text) {
            options.separator = text == "tab" ? '\t' : text.front();
          },
          "The character between fields of CSV in --facts, such as ; or tab (default: a comma)")
      .Unit("CHAR")
      .Check([](const std::string& text) -> std::string {
        if (text == "tab" || (text.size() == 1 && IsSeparator(text.front()))) return "";
        return "expected one of , ; | ^ ~, a blank, or tab, got `" + text + "`";
      });
  command.Flag("--strict-facts", options.strict_facts,
               "Reject a facts file with a bad row instead of skipping the row");
}

void AddConfig(CommandOptions command, std::string& config, const char* by_default) {
  command.Add("--config", config, fmt::format("The commands of tools, in YAML ({})", by_default))
      .Unit("FILE")
      .Check(CheckNamed);
}

void AddToolOptions(CommandOptions command, EngineOptions& options, const char* by_default) {
  AddConfig(command, options.config, by_default);
  AddRepeatable(command, "--allow-tool", options.allow_tools, "NAME",
                "Approve and allow a configured tool in this run; repeatable");
  AddModel(command, options.model);
}

CommandOption AddModel(CommandOptions command, std::string& model) {
  return command
      .Add("--model", model,
           "A model that answers questions: openai:NAME, anthropic:NAME, command:WORDS or "
           "cassette:FILE; see docs/models.md")
      .Unit("PROVIDER:NAME")
      .Check([](const std::string& text) { return ModelNamed(text).error; });
}

void AddAgentOptions(CommandOptions command, GuardOptions& options, const char* store) {
  command
      .Add(store, options.store,
           "The guard's store of calls and reviews (default: the agent's, in "
           "~/.local/state/rpl/guard)")
      .Unit("FILE");
  command.Add("--agent", options.agent, "The name of the agent, for the policy").Unit("SLUG");
  command
      .Add("--org-timezone", options.organisation_zone,
           "The organisation's time zone, such as Europe/Berlin, for rules with "
           "`fallback: org`")
      .Unit("ZONE")
      .Check([](const std::string& zone) {
        return LocalTimeAt(0, zone) ? "" : "no time zone is named `" + zone + "`";
      });
  command
      .Add("--on-missing", options.on_missing,
           "The effect where what a rule needs is missing and its policy says none: allow, "
           "hitl or block (default: the rule does not apply)")
      .Unit("EFFECT")
      .OneOf({"allow", "hitl", "block"});
}

void AddGuardOptions(CommandOptions command, GuardOptions& options, const char* store) {
  command.Add("--policy", options.policy, "Apply this policy to every tool call; see docs/guard.md")
      .Unit("FILE");
  const CommandOption audit =
      command.Add("--audit", options.audit, "Append audit events, one JSON object per line")
          .Unit("FILE");
  command
      .Flag("--audit-required", options.audit_required,
            "Stop the run if an audit event cannot be written")
      .Needs(audit);
  AddAgentOptions(command, options, store);
}

// REQUIRES: `limits` are the defaults.
void AddLimitOptions(CommandOptions command, SessionLimits& limits, std::size_t most) {
  for (const LimitName& limit : LimitNames().first(std::min(most, LimitNames().size())))
    command
        .AddTaking<std::string>(
            fmt::format("--max-{}", limit.name),
            [&limit, &limits](const std::string& text) { TakeLimit(limit, text, limits); },
            fmt::format("{}; 0 to {} (default: {})", limit.help, limit.most,
                        LimitText(limit, limits)))
        .Unit(limit.unit)
        .Check([&limit](const std::string& text) {
          SessionLimits ignored;
          return TakeLimit(limit, text, ignored);
        });
}

// Those of a command that evaluates nothing.
void AddTimeAndMemory(CommandOptions command, SessionLimits& limits) {
  AddLimitOptions(command, limits, 2);
}

void AddWatch(CommandOptions command, bool& watch) {
  command.Flag("--watch", watch, "Run again when a file that was read changes, until Ctrl-C");
}

void AddThreads(CommandOptions command, std::size_t& threads) {
  command
      .Add("--threads", threads,
           fmt::format("Threads that derive rows; the output does not depend on N (default: {})",
                       threads))
      .Unit("N")
      .Within(1, 64);
}

// The options of every run.
void AddRunOptions(CommandOptions command, EngineOptions& options) {
  AddAnswerOptions(command, options);
  AddLimitOptions(command, options.limits);
  AddThreads(command, options.threads);
}

void AddReportedRunOptions(CommandOptions command, EngineOptions& options) {
  AddRunOptions(command, options);
  command
      .AddTaking<std::string>(
          "--log", [&options](const std::string&) { options.log_phases = true; },
          "phases: report each phase on standard error")
      .Unit("WHAT")
      .OneOf({"phases"});
  command
      .AddTaking<std::string>(
          "--events", [&options](const std::string&) { options.events = true; },
          "ndjson: report events on standard output, one JSON object per line")
      .Unit("FORMAT")
      .OneOf({"ndjson"});
}

void AddEngineOptions(CommandOptions command, EngineOptions& options) {
  AddReportedRunOptions(command, options);
  AddFormat(command, options.format);
}

void AddGoalOptions(CommandOptions command, EngineOptions& options) {
  command
      .Add("--goal", options.goal,
           "Pursue %NAME alone; %: the root goal, else each goal in order (default: as the "
           "last run of the session, else %)")
      .Unit("NAME");
  command.Flag("--prose", options.prose,
               "Print what to do now, as a terminal does: the prose of the satisfied goals");
}

}  // namespace rpl
