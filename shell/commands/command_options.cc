// SPDX-License-Identifier: Apache-2.0
//
// The texts below the options first, then options that several commands share, then the commands.
// All are in the order of the help texts.
#include "shell/commands/command_options.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "shell/commands/help_footers.h"
#include "shell/host/limit_names.h"

namespace rpl {
namespace {

constexpr const char* kBesideDocument = "default: rpl.yaml beside the document";

// --- Options -----------------------------------------------------------------------------

std::string CheckTime(const std::string& text) {
  static const RE2 iso(R"(\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?)");
  if (RE2::FullMatch(text, iso)) return "";
  return fmt::format("expected a time like 2026-01-02T00:00:00Z, got `{}`", text);
}

// For options with a file: an empty name is a mistake (an unset variable), never "none".
std::string CheckNamed(const std::string& path) {
  return path.empty() ? "expected the name of a file, got an empty one" : "";
}

// An option that takes one of some words, each of which stands for a value.
template <typename T>
// An option that takes one of several words, each with a value.
void AddChoice(CLI::App& command, const char* name, T& to, const char* unit, const char* help,
               const std::vector<std::pair<std::string, std::type_identity_t<T>>>& choices) {
  std::vector<std::string> words;
  for (const auto& [word, value] : choices) words.push_back(word);
  command
      .add_option_function<std::string>(
          name,
          [&to, choices](const std::string& chosen) {
            for (const auto& [word, value] : choices)
              if (word == chosen) to = value;
          },
          help)
      ->type_name(unit)
      ->check(CLI::IsMember(words));
}

// An option that takes one value and may be repeated.
CLI::Option* AddRepeatable(CLI::App& command, const char* name, std::vector<std::string>& to,
                           const char* unit, const char* about) {
  return command.add_option(name, to, about)->type_name(unit)->allow_extra_args(false);
}

constexpr const char* kPrograms = "Markdown protocols, and plain RPL in *.rpl";

CLI::Option* AddPrograms(CLI::App& command, std::vector<std::string>& to) {
  return AddRepeatable(command, "-f,--file", to, "FILE", kPrograms);
}

void AddFormat(CLI::App& command, bool& json) {
  AddChoice(command, "--format", json, "FORMAT", "text (default) or json",
            {{"text", false}, {"json", true}});
}

void AddNow(CLI::App& command, EngineOptions& options) {
  command.add_option("--now", options.now, "The time that `now` stands for, in ISO 8601")
      ->type_name("T")
      ->check(CheckTime);
}

void AddAnswerOptions(CLI::App& command, EngineOptions& options) {
  command
      .add_option("--answers", options.answers_file,
                  "Answers given beforehand, in JSON or YAML; - asks and reads NDJSON")
      ->type_name("FILE")
      ->check(CheckNamed);
  AddRepeatable(command, "--answer", options.answers, "KEY=VALUE",
                "One answer; KEY is the avar, argument, relation or tool; repeatable");
  AddNow(command, options);
}

void AddFactsOptions(CLI::App& command, EngineOptions& options) {
  AddRepeatable(command, "--facts", options.facts, "RELATION=FILE",
                "Rows of a relation, from a CSV, TSV or NDJSON file (docs/facts.md); repeatable");
  command.add_flag("--strict-facts", options.strict_facts,
                   "Refuse a facts file with a bad row, instead of leaving the row out");
}

void AddConfig(CLI::App& command, std::string& config, const char* by_default) {
  command
      .add_option("--config", config,
                  fmt::format("The commands behind tools, in YAML ({})", by_default))
      ->type_name("FILE")
      ->check(CheckNamed);
}

void AddToolOptions(CLI::App& command, EngineOptions& options, const char* by_default) {
  AddConfig(command, options.config, by_default);
  AddRepeatable(command, "--allow-tool", options.allow_tools, "NAME",
                "Approve and allow a configured tool in this run; repeatable");
}

void AddAgentOptions(CLI::App& command, GuardOptions& options) {
  command
      .add_option("--approvals", options.approvals,
                  "Where reviews are kept (default: ~/.local/state/rpl/reviews.jsonl)")
      ->type_name("FILE");
  command.add_option("--agent", options.agent, "The agent that the policy sees")->type_name("SLUG");
  command
      .add_option("--org-timezone", options.organisation_zone,
                  "The zone for time gates whose end user has none, as Europe/Berlin")
      ->type_name("ZONE");
}

void AddGuardOptions(CLI::App& command, GuardOptions& options) {
  command
      .add_option("--policy", options.policy,
                  "Decide about every tool call by these rules, see docs/guard.md")
      ->type_name("FILE");
  command.add_option("--audit", options.audit, "Append audit events, one JSON object a line")
      ->type_name("FILE");
  command.add_flag("--audit-required", options.audit_required,
                   "Stop the run when an audit event cannot be written");
  AddAgentOptions(command, options);
}

// REQUIRES: `limits` are the defaults.
void AddLimitOptions(CLI::App& command, SessionLimits& limits) {
  for (const LimitName& limit : LimitNames())
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

void AddThreads(CLI::App& command, std::size_t& threads) {
  command
      .add_option("--threads", threads,
                  fmt::format("That derive; the output is the same for any number ({})", threads))
      ->type_name("N")
      ->check(CLI::Range(1, 64));
}

// The options of every run.
void AddRunOptions(CLI::App& command, EngineOptions& options) {
  AddAnswerOptions(command, options);
  AddLimitOptions(command, options.limits);
  AddThreads(command, options.threads);
}

void AddEngineOptions(CLI::App& command, EngineOptions& options) {
  AddRunOptions(command, options);
  command
      .add_option_function<std::string>(
          "--log", [&options](const std::string&) { options.log_phases = true; },
          "phases: say on standard error what each phase does")
      ->type_name("WHAT")
      ->check(CLI::IsMember({"phases"}));
  command
      .add_option_function<std::string>(
          "--events", [&options](const std::string&) { options.events = true; },
          "ndjson: say on standard output what happens, one JSON object a line")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"ndjson"}));
  AddFormat(command, options.json);
}

void DescribeQuery(CLI::App& command, QueryOptions& options) {
  AddPrograms(command, options.files);
  command.add_option("GOAL", options.goal, "What is asked")->required();
  AddEngineOptions(command, options.engine);
  AddToolOptions(command, options.engine, kBesideDocument);
  AddFactsOptions(command, options.engine);
  command.footer(kQueryFooter);
}

void DescribeProfile(CLI::App& command, ProfileOptions& options) {
  command.add_option("FILE", options.files, kPrograms)->required();
  AddRunOptions(command, options.engine);
  AddFormat(command, options.engine.json);
  command.add_option("--top", options.top, "Show the first N rules and indexes (default: all)")
      ->type_name("N")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000}));
  command.add_flag_callback(
      "--no-times", [&options] { options.times = false; },
      "Counts alone, which are the same each time");
  AddGuardOptions(command, options.engine.guard);
  AddToolOptions(command, options.engine, kBesideDocument);
  AddFactsOptions(command, options.engine);
  command.footer(kProfileFooter);
}

void DescribeRepl(CLI::App& command, ReplOptions& options) {
  command.add_option("FILE", options.files, kPrograms);
  command
      .add_option("--session", options.session,
                  "Keep the session in FILE, and go on with it when it is there")
      ->type_name("FILE");
  command.add_option("--color", options.colour, "auto (default), always or never")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  AddEngineOptions(command, options.engine);
  AddToolOptions(command, options.engine, kBesideDocument);
  AddFactsOptions(command, options.engine);
  command.footer(kReplFooter);
}

void DescribeFmt(CLI::App& command, FmtOptions& options) {
  command.add_option("FILE", options.files, "Markdown protocols, *.rpl, or - for standard input")
      ->required();
  struct Flag {
    const char* name;
    const char* help;
    FmtMode mode;
  };
  std::vector<CLI::Option*> flags;
  for (const Flag& flag : {Flag{"-w,--write", "Write back the files that change", FmtMode::kWrite},
                           Flag{"--check", "List the files that would change", FmtMode::kCheck},
                           Flag{"--diff", "Show what would change", FmtMode::kDiff}}) {
    CLI::Option* option = command.add_flag_callback(
        flag.name, [&mode = options.mode, to = flag.mode] { mode = to; }, flag.help);
    for (CLI::Option* other : flags) option->excludes(other);
    flags.push_back(option);
  }
  command.footer(kFmtFooter);
}

void DescribeCheck(CLI::App& command, CheckCommandOptions& options) {
  using Format = CheckCommandOptions::Format;
  command.add_option("FILE", options.files, kPrograms)->required();
  AddChoice(command, "--format", options.format, "FORMAT", "text (default), json, sarif or github",
            {{"text", Format::kText},
             {"json", Format::kJson},
             {"sarif", Format::kSarif},
             {"github", Format::kGithub}});
  AddConfig(command, options.config, kBesideDocument);
  command.add_flag("--fix", options.fix, "Mend what is mechanical, in the files");
  command.add_flag("--strict", options.strict, "Warnings count as errors");
  command
      .add_option("--fail-level", options.fail_level,
                  "The least severity that fails: error (default), warning or info")
      ->type_name("LEVEL")
      ->check(CLI::IsMember({"error", "warning", "info"}));
  command.footer(kCheckFooter);
}

void DescribeGuard(CLI::App& command, GuardCommandOptions& to) {
  using What = GuardCommandOptions::What;
  command.require_subcommand(0, 1);
  const auto add_policy = [&](CLI::App& part) {
    part.add_option("--policy", to.guard.policy, "The rules, in JSON or YAML")->type_name("FILE");
  };
  const auto add_approvals = [&](CLI::App& part) {
    part.add_option("--approvals", to.guard.approvals,
                    "Where reviews are kept (default: ~/.local/state/rpl/reviews.jsonl)")
        ->type_name("FILE");
  };
  const auto add_now = [&](CLI::App& part) {
    part.add_option("--now", to.now, "The time of the decisions, in ISO 8601")
        ->type_name("T")
        ->check(CheckTime);
  };
  const auto add_settings = [&](CLI::App& part) {
    add_policy(part);
    AddAgentOptions(part, to.guard);
    part.add_option("--config", to.config, "Its part `guard`: tools, end user, commands")
        ->type_name("FILE");
    add_now(part);
    part.add_option("--audit", to.guard.audit, "Append audit events, one JSON object a line")
        ->type_name("FILE");
    part.add_flag("--audit-required", to.guard.audit_required,
                  "Fail when an audit event cannot be written");
  };
  add_settings(command);
  command.add_option("--history", to.history, "Calls of other runs: an audit log")
      ->type_name("FILE");
  const auto add = [&](const char* name, const char* help, What what) {
    CLI::App* part = command.add_subcommand(name, help);
    part->callback([&to, what] { to.what = what; });
    return part;
  };
  CLI::App* check = add("check", "Say what is wrong with a policy", What::kCheck);
  check->add_option("FILE", to.file, "The policy")->required();
  CLI::App* explain = add("explain", "Show a rule as the RPL it stands for", What::kExplain);
  explain->add_option("RULE", to.rule, "Its id or name")->required();
  add_policy(*explain);
  CLI::App* pending = add("pending", "The calls that wait for a review", What::kPending);
  add_approvals(*pending);
  AddFormat(*pending, to.json);
  for (const bool yes : {true, false}) {
    CLI::App* answer = yes ? add("approve", "Let a held call pass", What::kApprove)
                           : add("deny", "Refuse a held call", What::kDeny);
    answer->add_option("ID", to.id, "Of `rpl guard pending`")->required();
    answer->add_option("--reason", to.reason, "Why")->type_name("T");
    add_approvals(*answer);
    add_now(*answer);
  }
  CLI::App* hook = add("hook", "Answer an agent host before it uses a tool", What::kHook);
  add_settings(*hook);
  hook->add_option("--default", to.unmatched,
                   "What to answer where no rule matches (by default nothing: the host decides)")
      ->type_name("ANSWER")
      ->check(CLI::IsMember({"deny", "ask", "allow"}));
  hook->add_option("--timeout-ms", to.timeout_ms, "Deny when there is no decision by then (10000)")
      ->type_name("MS")
      ->check(CLI::Range(1, 600'000));
  command.footer(kGuardFooter);
}

void DescribeExplain(CLI::App& command, ExplainOptions& to) {
  AddPrograms(command, to.files)->required();
  command.add_option("FORM", to.form, "A fact or a goal, with or without variables")->required();
  command.add_flag("--not", to.absent, "Say why no fact matches");
  command
      .add_option_function<std::size_t>(
          "--depth", [&to](const std::size_t& depth) { to.depth = depth; },
          "How many levels to show (default: 64; with --not, 2)")
      ->type_name("N")
      ->check(CLI::Range(0, 10'000));
  AddAnswerOptions(command, to.engine);
  AddChoice(command, "--format", to.format, "FORMAT", "text (default), json or dot",
            {{"text", ExplainFormat::kText},
             {"json", ExplainFormat::kJson},
             {"dot", ExplainFormat::kDot}});
  command.footer(kExplainFooter);
}

void DescribeVerify(CLI::App& command, VerifyOptions& to) {
  using Format = VerifyOptions::Format;
  command.add_option("CONTENT", to.content, "The file to verify");
  command
      .add_option("--rulespec", to.rulespec,
                  "A rulespec (default: analysis/rulespec.yaml, without --rules)")
      ->type_name("FILE");
  AddRepeatable(command, "--rules", to.rules, "FILE",
                "A program whose constraints are rules; repeatable");
  command.add_option("--rule", to.rule, "Only the record of this rule")->type_name("NAME");
  command.add_flag("--list", to.list, "List the rules, and verify nothing");
  command.add_option("--out", to.out, "Where to write (default: the folder of CONTENT)")
      ->type_name("FOLDER");
  AddChoice(command, "--format", to.format, "FORMAT", "text (default), json or sarif",
            {{"text", Format::kText}, {"json", Format::kJson}, {"sarif", Format::kSarif}});
  AddChoice(command, "--fail-on", to.fail_on, "LEVEL",
            "The least severity that rejects: error (default) or warning",
            {{"error", Severity::kError}, {"warning", Severity::kWarning}});
  command
      .add_option_function<std::string>(
          "--explain",
          [&to](const std::string& id) {
            std::size_t number = 0;
            const auto read = std::from_chars(id.data(), id.data() + id.size(), number);
            if (read.ec != std::errc() || read.ptr != id.data() + id.size())
              throw CLI::ValidationError("--explain",
                                         "expected the number of a predicate, got `" + id + "`");
            to.explain = number;
          },
          "Show why this predicate passes, or does not")
      ->type_name("ID");
  command.add_flag("--require-rulespec", to.require_rulespec, "Having no rulespec is an error");
  command.add_flag("--exists", to.exists, "Only ask whether CONTENT is there");
  AddChoice(command, "--on-error", to.review_errors, "EFFECT",
            "What a failed error does: block (default), or hitl: ask for a review",
            {{"block", false}, {"hitl", true}});
  command
      .add_option("--approvals", to.engine.guard.approvals,
                  "Where reviews are kept (see rpl guard pending)")
      ->type_name("FILE");
  AddNow(command, to.engine);
  AddToolOptions(command, to.engine, "default: rpl.yaml beside the rules");
  command.footer(kVerifyFooter);
}

void DescribeDoc(CLI::App& command, DocOptions& to) {
  command.add_option("FILE", to.files, kPrograms)->required();
  AddChoice(command, "--format", to.format, "FORMAT", "markdown (default), dot, mermaid or json",
            {{"markdown", DocFormat::kMarkdown},
             {"dot", DocFormat::kDot},
             {"mermaid", DocFormat::kMermaid},
             {"json", DocFormat::kJson}});
  command.footer(kDocFooter);
}

void DescribeTrace(CLI::App& command, TraceOptions& to) {
  using What = TraceOptions::What;
  command.require_subcommand(1);
  const auto add = [&](const char* name, const char* help, What what) {
    CLI::App* part = command.add_subcommand(name, help);
    part->add_option("SESSION", to.session, "The file of `rpl run --session`")->required();
    part->callback([&to, what] { to.what = what; });
    return part;
  };
  AddFormat(*add("show", "The entries, in order", What::kShow), to.json);
  CLI::App* query = add("query", "The answers to a goal, from what stands", What::kQuery);
  query->add_option("GOAL", to.query, "A goal form: `% <- …`, `%name(?x) <- …`")->required();
  AddFormat(*query, to.json);
  AddChoice(*add("export", "An RPL program that restores what stands", What::kExport), "--format",
            to.json, "FORMAT", "rpl (default), or ndjson: every event with its hash",
            {{"rpl", false}, {"ndjson", true}});
  add("verify", "Whether every event is what was written", What::kVerify);
  add("diff", "The entries in which two sessions differ", What::kDiff)
      ->add_option("OTHER", to.other, "Another session")
      ->required();
  CLI::App* replay =
      add("replay", "Run it again with the recorded replies, and compare", What::kReplay);
  AddFormat(*replay, to.json);
  AddThreads(*replay, to.threads);
  add("html", "One page of HTML: the timeline, the proofs of goals, and the source", What::kHtml)
      ->add_option("-o,--output", to.output, "Write to FILE (default: standard output)")
      ->type_name("FILE")
      ->check(CheckNamed);
  command.footer(kTraceFooter);
}

void DescribeRun(CLI::App& command, RunOptions& to) {
  command.add_option("FILE", to.files, kPrograms)->required();
  AddEngineOptions(command, to.engine);
  AddGuardOptions(command, to.engine.guard);
  AddToolOptions(command, to.engine, kBesideDocument);
  AddFactsOptions(command, to.engine);
  command
      .add_option("--session", to.session,
                  "Keep the run in FILE, and go on with it when it is there")
      ->type_name("FILE")
      ->check(CheckNamed);
  command.footer(kRunFooter);
}

void DescribeResume(CLI::App& command, ResumeOptions& to) {
  command.add_option("SESSION", to.session, "The file of `rpl run --session`")->required();
  AddRepeatable(command, "--retry", to.retry, "NAME",
                "Call the tool again where it failed, or nobody knows whether it ran; repeatable");
  AddEngineOptions(command, to.engine);
  AddGuardOptions(command, to.engine.guard);
  AddToolOptions(command, to.engine, kBesideDocument);
  command.footer(kResumeFooter);
}

void DescribeReply(CLI::App& command, ReplyOptions& to) {
  command.add_option("FILE", to.file, "The message (default: standard input)")->check(CheckNamed);
  AddEngineOptions(command, to.engine);
  AddGuardOptions(command, to.engine.guard);
  AddToolOptions(command, to.engine, "default: none");
  command.footer(kReplyFooter);
}

void DescribeTest(CLI::App& command, TestOptions& to) {
  command.add_option("PATH", to.paths, "Files, and folders with *.md files")->required();
  command.add_option("--filter", to.filter, "Only cases with TEXT in their name")
      ->type_name("TEXT");
  AddFormat(command, to.json);
  command.footer(kTestFooter);
}

void DescribeParse(CLI::App& command, ParseOptions& to) {
  command.add_option("FILE", to.file, "A Markdown protocol or *.rpl")->required();
  AddFormat(command, to.json);
  command.footer(kParseFooter);
}

void DescribeCompletion(CLI::App& command, CompletionOptions& to) {
  command.add_option("SHELL", to.shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command.footer(kCompletionFooter);
}

void DescribeReference(CLI::App& command, ReferenceOptions& to) {
  command.add_option("WHAT", to.what, "markdown, man or commands")
      ->required()
      ->check(CLI::IsMember({"markdown", "man", "commands"}));
  command.add_option("COMMAND", to.command, "Of which `man` is the page");
}

// Listed in the help only: `help` is replaced by --help before parsing.
void DescribeHelp(CLI::App& command) {
  command.add_option("COMMAND", "A command, and one below it");
}

struct CommandEntry {
  const char* name;
  const char* about;
  void (*describe)(CLI::App& command, Commands& to);
  bool is_shown = true;  // in the help text
};

constexpr CommandEntry kCommands[] = {
    {"run", "Run a program until its goal is decided",
     [](CLI::App& command, Commands& to) { DescribeRun(command, to.run); }},
    {"profile", "Run a program, and say what took its time",
     [](CLI::App& command, Commands& to) { DescribeProfile(command, to.profile); }},
    {"resume", "Go on with a run that has a file",
     [](CLI::App& command, Commands& to) { DescribeResume(command, to.resume); }},
    {"trace", "Show, check or replay what a session established",
     [](CLI::App& command, Commands& to) { DescribeTrace(command, to.trace); }},
    {"reply", "Answer one user message and its query",
     [](CLI::App& command, Commands& to) { DescribeReply(command, to.reply); }},
    {"query", "Answer one query about a program",
     [](CLI::App& command, Commands& to) { DescribeQuery(command, to.query); }},
    {"repl", "The interactive shell",
     [](CLI::App& command, Commands& to) { DescribeRepl(command, to.repl); }},
    {"test", "Run the test scripts of Markdown files",
     [](CLI::App& command, Commands& to) { DescribeTest(command, to.test); }},
    {"check", "Say what is wrong with a program",
     [](CLI::App& command, Commands& to) { DescribeCheck(command, to.check); }},
    {"verify", "Verify content by a rulespec and rules",
     [](CLI::App& command, Commands& to) { DescribeVerify(command, to.verify); }},
    {"explain", "Show why a fact holds, or why not",
     [](CLI::App& command, Commands& to) { DescribeExplain(command, to.explain); }},
    {"guard", "Decide about tool calls by a policy",
     [](CLI::App& command, Commands& to) { DescribeGuard(command, to.guard); }},
    {"doc", "List and draw what a program consists of",
     [](CLI::App& command, Commands& to) { DescribeDoc(command, to.doc); }},
    {"parse", "Show what the parser understands",
     [](CLI::App& command, Commands& to) { DescribeParse(command, to.parse); }},
    {"fmt", "Lay out the RPL of files",
     [](CLI::App& command, Commands& to) { DescribeFmt(command, to.fmt); }},
    {"completion", "Print completions for a shell",
     [](CLI::App& command, Commands& to) { DescribeCompletion(command, to.completion); }},
    {"reference", "Print what packages are made with",
     [](CLI::App& command, Commands& to) { DescribeReference(command, to.reference); }, false},
    {"help", "Show this help, or that of a COMMAND",
     [](CLI::App& command, Commands&) { DescribeHelp(command); }},
};

}  // namespace

void Describe(CLI::App& app, Commands& to, const std::function<bool(std::string_view)>& in_full) {
  app.footer(kFooter);
  app.set_version_flag("--version", "rpl " RPL_VERSION);
  app.require_subcommand(1);
  for (const CommandEntry& entry : kCommands) {
    CLI::App* const command = app.add_subcommand(entry.name, entry.about);
    if (!entry.is_shown) command->group("");
    if (in_full(entry.name)) entry.describe(*command, to);
  }
}

}  // namespace rpl
