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
CLI::Option* AddRepeatable(CLI::App& command, const char* name, std::vector<std::string>& to,
                           const char* unit, const char* about) {
  return command.add_option(name, to, about)->type_name(unit)->allow_extra_args(false);
}

CLI::Option* AddPrograms(CLI::App& command, std::vector<std::string>& to) {
  return AddRepeatable(command, "-f,--file", to, "FILE", kPrograms);
}

void AddFormat(CLI::App& command, const OutputFormat*& to) {
  std::vector<std::pair<std::string, const OutputFormat*>> choices;
  for (const OutputFormat& format : kOutputFormats) choices.emplace_back(format.name, &format);
  AddFormat(command, to, choices);
}

void AddNow(CLI::App& command, EngineOptions& options) {
  command
      .add_option("--now", options.now,
                  "The value of `now`, in ISO 8601 (default: the system clock)")
      ->type_name("T")
      ->check(CheckTime);
}

void AddAnswerOptions(CLI::App& command, EngineOptions& options) {
  command
      .add_option("--answers", options.answers_file,
                  "Prepared answers, in JSON or YAML; - asks and reads answers in NDJSON")
      ->type_name("FILE")
      ->check(CheckNamed);
  AddRepeatable(command, "--answer", options.answers, "KEY=VALUE",
                "An answer; KEY names an avar, argument, relation or tool; repeatable");
  command
      .add_option("--answers-by", options.answers_by,
                  "Whose answers prepared ones and lines count as: person or model (`:by`)")
      ->type_name("WHO")
      ->check(CLI::IsMember({"person", "model"}));
  AddRepeatable(command, "--decline", options.declines, "KEY",
                "Decline a question; it stays declined until that is taken back; repeatable");
  AddNow(command, options);
}

void AddFactsOptions(CLI::App& command, EngineOptions& options) {
  AddRepeatable(
      command, "--facts", options.facts, "RELATION=FILE",
      "Rows of a relation, from a CSV, TSV or NDJSON file, or CSV from standard input (-) "
      "(docs/facts.md); repeatable");
  command
      .add_option_function<std::string>(
          "--separator",
          [&options](const std::string& text) {
            options.separator = text == "tab" ? '\t' : text.front();
          },
          "The character between fields of CSV in --facts, such as ; or tab (default: a comma)")
      ->type_name("CHAR")
      ->check([](const std::string& text) -> std::string {
        if (text == "tab" || (text.size() == 1 && IsSeparator(text.front()))) return "";
        return "expected one of , ; | ^ ~, a blank, or tab, got `" + text + "`";
      });
  command.add_flag("--strict-facts", options.strict_facts,
                   "Reject a facts file with a bad row instead of skipping the row");
}

void AddConfig(CLI::App& command, std::string& config, const char* by_default) {
  command
      .add_option("--config", config,
                  fmt::format("The commands of tools, in YAML ({})", by_default))
      ->type_name("FILE")
      ->check(CheckNamed);
}

void AddToolOptions(CLI::App& command, EngineOptions& options, const char* by_default) {
  AddConfig(command, options.config, by_default);
  AddRepeatable(command, "--allow-tool", options.allow_tools, "NAME",
                "Approve and allow a configured tool in this run; repeatable");
  AddModel(command, options.model);
}

CLI::Option* AddModel(CLI::App& command, std::string& model) {
  return command
      .add_option("--model", model,
                  "A model that answers questions: openai:NAME, anthropic:NAME, command:WORDS or "
                  "cassette:FILE; see docs/models.md")
      ->type_name("PROVIDER:NAME")
      ->check([](const std::string& text) { return ModelNamed(text).error; });
}

void AddAgentOptions(CLI::App& command, GuardOptions& options, const char* store) {
  command
      .add_option(store, options.store,
                  "The guard's store of calls and reviews (default: the agent's, in "
                  "~/.local/state/rpl/guard)")
      ->type_name("FILE");
  command.add_option("--agent", options.agent, "The name of the agent, for the policy")
      ->type_name("SLUG");
  command
      .add_option("--org-timezone", options.organisation_zone,
                  "The organisation's time zone, such as Europe/Berlin, for rules with "
                  "`fallback: org`")
      ->type_name("ZONE")
      ->check([](const std::string& zone) {
        return LocalTimeAt(0, zone) ? "" : "no time zone is named `" + zone + "`";
      });
  command
      .add_option("--on-missing", options.on_missing,
                  "The effect where what a rule needs is missing and its policy says none: allow, "
                  "hitl or block (default: the rule does not apply)")
      ->type_name("EFFECT")
      ->check(CLI::IsMember({"allow", "hitl", "block"}));
}

void AddGuardOptions(CLI::App& command, GuardOptions& options, const char* store) {
  command
      .add_option("--policy", options.policy,
                  "Apply this policy to every tool call; see docs/guard.md")
      ->type_name("FILE");
  CLI::Option* const audit =
      command.add_option("--audit", options.audit, "Append audit events, one JSON object per line")
          ->type_name("FILE");
  command
      .add_flag("--audit-required", options.audit_required,
                "Stop the run if an audit event cannot be written")
      ->needs(audit);
  AddAgentOptions(command, options, store);
}

// REQUIRES: `limits` are the defaults.
void AddLimitOptions(CLI::App& command, SessionLimits& limits, std::size_t most) {
  for (const LimitName& limit : LimitNames().first(std::min(most, LimitNames().size())))
    command
        .add_option_function<std::string>(
            fmt::format("--max-{}", limit.name),
            [&limit, &limits](const std::string& text) { TakeLimit(limit, text, limits); },
            fmt::format("{}; 0 to {} (default: {})", limit.help, limit.most,
                        LimitText(limit, limits)))
        ->type_name(limit.unit)
        ->check([&limit](const std::string& text) {
          SessionLimits ignored;
          return TakeLimit(limit, text, ignored);
        });
}

// Those of a command that evaluates nothing.
void AddTimeAndMemory(CLI::App& command, SessionLimits& limits) {
  AddLimitOptions(command, limits, 2);
}

void AddWatch(CLI::App& command, bool& watch) {
  command.add_flag("--watch", watch, "Run again when a file that was read changes, until Ctrl-C");
}

void AddThreads(CLI::App& command, std::size_t& threads) {
  command
      .add_option(
          "--threads", threads,
          fmt::format("Threads that derive rows; the output does not depend on N (default: {})",
                      threads))
      ->type_name("N")
      ->check(CLI::Range(1, 64));
}

// The options of every run.
void AddRunOptions(CLI::App& command, EngineOptions& options) {
  AddAnswerOptions(command, options);
  AddLimitOptions(command, options.limits);
  AddThreads(command, options.threads);
}

void AddReportedRunOptions(CLI::App& command, EngineOptions& options) {
  AddRunOptions(command, options);
  command
      .add_option_function<std::string>(
          "--log", [&options](const std::string&) { options.log_phases = true; },
          "phases: report each phase on standard error")
      ->type_name("WHAT")
      ->check(CLI::IsMember({"phases"}));
  command
      .add_option_function<std::string>(
          "--events", [&options](const std::string&) { options.events = true; },
          "ndjson: report events on standard output, one JSON object per line")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"ndjson"}));
}

void AddEngineOptions(CLI::App& command, EngineOptions& options) {
  AddReportedRunOptions(command, options);
  AddFormat(command, options.format);
}

void AddGoalOptions(CLI::App& command, EngineOptions& options) {
  command
      .add_option("--goal", options.goal,
                  "Pursue %NAME alone; %: the root goal, else each goal in order (default: as the "
                  "last run of the session, else %)")
      ->type_name("NAME");
  command.add_flag("--prose", options.prose,
                   "Print what to do now, as a terminal does: the prose of the satisfied goals");
}

}  // namespace rpl
