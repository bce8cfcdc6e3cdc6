// SPDX-License-Identifier: Apache-2.0
//
// The commands in the order of the help texts. The options that they share are in shared_options.h,
// the footers in help_footers.h.
#include "shell/commands/command_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "checks/calls/call_views.h"
#include "runtime/postgres/database_url.h"
#include "runtime/tools/model_config.h"
#include "shell/commands/help_footers.h"
#include "shell/commands/shared_options.h"
#include "shell/terminal/limit_names.h"

namespace rpl {
namespace {

std::string CheckDatabase(const std::string& url) {
  if (!IsDatabaseUrl(url)) return "expected postgresql://…, got `" + WithoutPassword(url) + "`";
  return CheckDatabaseUrl(url);
}

void DescribeQuery(CLI::App& command, QueryOptions& options) {
  AddPrograms(command, options.files);
  command.add_option("GOAL", options.goal, "A goal form, or one or more calls")->required();
  command.add_option("--on", options.on, "Let this PostgreSQL database answer (docs/sql.md)")
      ->type_name("URL")
      ->check(CheckDatabase);
  AddEngineOptions(command, options.engine);
  command.remove_option(command.get_option("--format"));
  AddChoice(command, "--format", options.format, "FORMAT", "text (default), json, csv or table",
            {{"text", QueryFormat::kText},
             {"json", QueryFormat::kJson},
             {"csv", QueryFormat::kCsv},
             {"table", QueryFormat::kTable}});
  AddToolOptions(command, options.engine, kBesideDocument);
  AddFactsOptions(command, options.engine);
  command.footer(kQueryFooter);
}

void DescribeSql(CLI::App& command, SqlOptions& options) {
  command.add_option("FILE", options.files, kPrograms)->required();
  command.add_option("--schema", options.schema, "Create this schema (default: rpl)")
      ->type_name("NAME")
      ->check(CheckNamed);
  command.add_flag("--pushed", options.pushed,
                   "Print the queries that the databases of rpl.yaml evaluate in a run");
  command
      .add_option("--config", options.engine.config,
                  "The configuration (default: rpl.yaml beside the program)")
      ->type_name("FILE");
  AddRepeatable(command, "--allow-tool", options.engine.allow_tools, "NAME",
                "Read what rpl.yaml opens, without its approval: index; repeatable");
  AddFactsOptions(command, options.engine);
  AddTimeAndMemory(command, options.engine.limits);
  command.footer(kSqlFooter);
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
      "Print counts only, which are reproducible");
  AddGuardOptions(command, options.engine.guard);
  AddToolOptions(command, options.engine, kBesideDocument);
  AddFactsOptions(command, options.engine);
  command.footer(kProfileFooter);
}

void DescribeRepl(CLI::App& command, ReplOptions& options) {
  command.add_option("FILE", options.files, kPrograms);
  command
      .add_option("--session", options.session,
                  "Save the session in FILE, or postgresql://…/NAME; if it exists, continue it")
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
  for (const Flag& flag : {Flag{"-w,--write", "Write changes back to the files", FmtMode::kWrite},
                           Flag{"--check", "List the files that would change", FmtMode::kCheck},
                           Flag{"--diff", "Show the changes as a diff", FmtMode::kDiff}}) {
    CLI::Option* option = command.add_flag_callback(
        flag.name, [&mode = options.mode, to = flag.mode] { mode = to; }, flag.help);
    for (CLI::Option* other : flags) option->excludes(other);
    flags.push_back(option);
  }
  command.footer(kFmtFooter);
}

void DescribeCheck(CLI::App& command, CheckCommandOptions& options) {
  using Format = CheckCommandOptions::Format;
  command
      .add_option("PATH", options.files,
                  "Markdown protocols, plain RPL (*.rpl), or folders with such files")
      ->required();
  command.add_flag("--together", options.together, "Check the files as one program");
  AddChoice(command, "--format", options.format, "FORMAT", "text (default), json, sarif or github",
            {{"text", Format::kText},
             {"json", Format::kJson},
             {"sarif", Format::kSarif},
             {"github", Format::kGithub}});
  AddConfig(command, options.engine.config, kBesideDocument);
  AddFactsOptions(command, options.engine);
  command.add_flag("--fix", options.fix, "Apply mechanical fixes to the files");
  command.add_flag("--strict", options.strict, "Treat warnings as errors");
  command
      .add_option("--fail-level", options.fail_level,
                  "The lowest severity that fails the check: error (default), warning or info")
      ->type_name("LEVEL")
      ->check(CLI::IsMember({"error", "warning", "info"}));
  AddWatch(command, options.watch);
  command.footer(kCheckFooter);
}

// Where the run of a protocol that binds an agent is.
void DescribeBoundRun(CLI::App& command, GuardCommandOptions& to) {
  command
      .add_option("--project", to.project, "The folder of the work (default: the host's, or here)")
      ->type_name("DIR");
  command.add_option("--sessions", to.sessions, "The folder of runs (default: the user's own)")
      ->type_name("DIR");
}

// A hook refuses a database by its answer.
std::string CheckRunsInFiles(const std::string& folder) {
  if (!IsDatabaseUrl(folder)) return "";
  return "the calls of a host are kept in files, not in a database: expected a folder";
}

// The protocol that binds an agent.
void DescribeProtocol(CLI::App& command, GuardCommandOptions& to) {
  command
      .add_option("--protocol", to.protocol,
                  "The protocol that binds the agent; with --policy, the stricter decides")
      ->type_name("FILE");
  DescribeBoundRun(command, to);
  command.add_flag("--shadow", to.shadow, "Decide and record, and let everything pass");
  command.add_flag("--unprotected", to.unprotected,
                   "Let the agent touch the protocol, its run and the settings of the host");
  AddRepeatable(
      command, "--reads-as", to.reads_as, "TOOL=NAME",
      "A tool of an MCP server does what the built-in tool NAME does, such as Bash, Read, "
      "Write; repeatable")
      ->check([](const std::string& text) -> std::string {
        const std::size_t equals = text.rfind('=');
        return equals != text.npos && equals != 0 && IsReadTool(text.substr(equals + 1))
                   ? ""
                   : "expected TOOL=NAME with the name of a built-in tool, got `" + text + "`";
      });
}

// Which subcommands are described with their options.
using InFull = std::function<bool(std::string_view)>;

void AddGuardPolicy(CLI::App& command, GuardCommandOptions& to) {
  command.add_option("--policy", to.guard.policy, "The policy, in JSON or YAML")->type_name("FILE");
}

void AddGuardStore(CLI::App& command, GuardCommandOptions& to) {
  command
      .add_option("--store", to.guard.store,
                  "The guard's store (default: those of all agents, in ~/.local/state/rpl/guard)")
      ->type_name("FILE");
}

void AddGuardNow(CLI::App& command, GuardCommandOptions& to) {
  command.add_option("--now", to.now, "The time of the decisions, in ISO 8601")
      ->type_name("T")
      ->check(CheckTime);
}

void AddSecretFile(CLI::App& command, GuardCommandOptions& to, const char* help) {
  command.add_option("--secret-file", to.secret_file, help)->type_name("FILE");
}

// What a decision rests on.
void AddGuardSettings(CLI::App& command, GuardCommandOptions& to) {
  AddGuardPolicy(command, to);
  AddAgentOptions(command, to.guard);
  command
      .add_option("--config", to.config,
                  "Settings in the section `guard`: tools, end user, commands")
      ->type_name("FILE");
  AddGuardNow(command, to);
  command.add_option("--audit", to.guard.audit, "Append audit events, one JSON object per line")
      ->type_name("FILE");
  command.add_flag("--audit-required", to.guard.audit_required,
                   "Fail if an audit event cannot be written");
}

void AddHost(CLI::App& command, GuardCommandOptions& to, const char* text) {
  command.add_option("--host", to.host, text)
      ->type_name("NAME")
      ->check(CLI::IsMember({"claude-code", "codex", "gemini-cli", "cursor", "copilot-cli",
                             "copilot", "windsurf", "opencode"}));
}

void DescribeGuardHook(CLI::App& hook, GuardCommandOptions& to) {
  AddGuardSettings(hook, to);
  hook.add_option("--default", to.unmatched,
                  "The answer if no rule matches (default: none, so the host decides)")
      ->type_name("ANSWER")
      ->check(CLI::IsMember({"deny", "ask", "allow"}));
  hook.add_option("--timeout-ms", to.timeout_ms,
                  "Deny if there is no decision within this time (default: 10000)")
      ->type_name("MS")
      ->check(CLI::Range(1, 600'000));
  hook.add_option("--ask", to.ask,
                  "The answer for a call that is held for a review (default: ask, or deny where "
                  "the host asks nobody)")
      ->type_name("ANSWER")
      ->check(CLI::IsMember({"ask", "deny"}));
  hook.add_option("--root", to.root,
                  "The folder, from /, of file names that do not begin with / (default: such names "
                  "are refused)")
      ->type_name("DIR");
  DescribeProtocol(hook, to);
  AddHost(hook, to, "The host of the agent (default: told by its events)");
  hook.add_option("--until", to.until,
                  "End the run at the end of a turn in which its goal is satisfied (default: a "
                  "person ends it)")
      ->type_name("satisfied")
      ->check(CLI::IsMember({"satisfied"}));
  hook.add_option("--undecided", to.undecided,
                  "The answer for a call that waits for a person's answer (default: deny)")
      ->type_name("ANSWER")
      ->check(CLI::IsMember({"ask", "deny"}));
  hook.add_option("--stop-limit", to.stop_limit,
                  "How often the agent is kept at work without a call between (default: 3)")
      ->type_name("N")
      ->check(CLI::Range(0, 1000));
  hook.footer(kGuardHookFooter);
}

void DescribeGuardMcp(CLI::App& mcp, GuardCommandOptions& to) {
  AddGuardSettings(mcp, to);
  DescribeProtocol(mcp, to);
  mcp.add_option("--name", to.server_name,
                 "The name of the server, for pinned tools (default: its command line)")
      ->type_name("NAME");
  mcp.add_option("--default", to.unmatched, "The decision if no rule matches (default: allow)")
      ->type_name("ANSWER")
      ->check(CLI::IsMember({"deny", "ask", "allow"}));
  mcp.add_option("--ask-timeout", to.ask_timeout,
                 "How long the user of the host has to approve a held call (default: 45)")
      ->type_name("SECONDS")
      ->check(CLI::Range(1, 86'400));
  mcp.add_option("--timeout-ms", to.timeout_ms,
                 "Refuse a call without a decision within this time (default: 10000)")
      ->type_name("MS")
      ->check(CLI::Range(1, 600'000));
  mcp.add_option("SERVER", to.server, "The command that starts the server, after `--`")->required();
  mcp.footer(kGuardMcpFooter);
}

void DescribeGuard(CLI::App& command, GuardCommandOptions& to, const InFull& in_full) {
  using What = GuardCommandOptions::What;
  command.require_subcommand(0, 1);
  AddGuardSettings(command, to);
  command.add_option("--history", to.history, "An audit log with the calls of earlier runs")
      ->type_name("FILE");
  const auto add = [&](const char* name, const char* help, What what,
                       const std::function<void(CLI::App&)>& describe) {
    CLI::App* part = command.add_subcommand(name, help);
    part->callback([&to, what] { to.what = what; });
    if (in_full(name)) describe(*part);
  };
  add("check", "Find mistakes in a policy", What::kCheck, [&](CLI::App& check) {
    check.add_option("FILE", to.file, "The policy")->required();
    check
        .add_option("--tools", to.tools,
                    "The tools that there are, as an MCP server lists them; rules that match none "
                    "are findings")
        ->type_name("FILE");
    check.add_option("--config", to.config, "The same, with the tools of this rpl.yaml")
        ->type_name("FILE");
  });
  add("explain", "Print a policy as RPL", What::kExplain, [&](CLI::App& explain) {
    explain.add_option("RULE", to.rule, "The id or name of a rule (default: the whole policy)");
    AddGuardPolicy(explain, to);
    AddAgentOptions(explain, to.guard);
    explain.add_option("--config", to.config, "As in a decision")->type_name("FILE");
    explain
        .add_option("--call", to.file,
                    "A file with one call, as `rpl guard` reads it: its facts are printed, too")
        ->type_name("FILE");
    AddGuardNow(explain, to);
  });
  add("pending", "List the calls that await a review", What::kPending, [&](CLI::App& pending) {
    AddGuardStore(pending, to);
    AddFormat(pending, to.json);
  });
  const auto describe_answer = [&](CLI::App& answer) {
    answer.add_option("ID", to.id, "An id from `rpl guard pending`")->required();
    answer.add_option("--reason", to.reason, "Why")->type_name("T");
    AddGuardStore(answer, to);
    AddGuardNow(answer, to);
    AddSecretFile(answer, to, "Who answers knows the secret of the store, in this file");
  };
  add("approve", "Allow a held call", What::kApprove, [&](CLI::App& answer) {
    describe_answer(answer);
    answer.add_option("--calls", to.calls, "How many such calls may pass (default: 1)")
        ->type_name("N")
        ->check(CLI::Range(1, 1'000'000));
    answer.add_option("--hours", to.hours, "How long the approval holds (default: 24)")
        ->type_name("N")
        ->check(CLI::Range(1, 1'000'000));
  });
  add("deny", "Refuse a held call", What::kDeny, describe_answer);
  add("secret", "Set the secret by which reviews are answered", What::kSecret,
      [&](CLI::App& secret) {
        secret
            .add_option("--store", to.guard.store, "The guard's store (default: that of the agent)")
            ->type_name("FILE");
        secret.add_option("--agent", to.guard.agent, "The slug of the agent")->type_name("SLUG");
        AddSecretFile(secret, to,
                      "The secret, in place of one that is typed: the first line of this file");
        secret
            .add_option("--protocol", to.protocol,
                        "Instead of the store's: of the runs of a protocol")
            ->type_name("FILE");
        DescribeBoundRun(secret, to);
      });
  add("hook", "Decide for an agent host before it uses a tool", What::kHook,
      [&](CLI::App& hook) { DescribeGuardHook(hook, to); });
  const auto of_run = [&](const char* name, const char* text, What what,
                          const std::function<void(CLI::App&)>& describe) {
    add(name, text, what, [&](CLI::App& part) {
      part.add_option("PROTOCOL", to.protocol, "The protocol")->required();
      DescribeBoundRun(part, to);
      part.get_option("--sessions")->check(CheckRunsInFiles);
      part.footer(kGuardRunFooter);
      describe(part);
    });
  };
  of_run("status", "Show the run of a protocol that binds an agent", What::kStatus,
         [&](CLI::App& part) {
           part.add_flag("--denied", to.denied, "Only calls that were denied, with the reason");
         });
  of_run("why", "Tell why the last call was denied", What::kWhy, [](CLI::App&) {});
  const auto add_run_secret = [&](CLI::App& part) {
    AddSecretFile(part, to, "Who does it knows the secret of the protocol's runs, in this file");
  };
  of_run("answer", "Answer a question of that run", What::kAnswer, [&](CLI::App& part) {
    add_run_secret(part);
    part.add_option("KEY=VALUE", to.answer, "The answer")->required();
  });
  of_run("accept", "Go on with the changed text of the protocol", What::kAccept, add_run_secret);
  of_run("end", "End the run", What::kEnd, add_run_secret);
  of_run("install", "Print the settings by which a host asks the protocol", What::kInstall,
         [&](CLI::App& part) {
           AddHost(part, to, "The host of the agent (default: claude-code)");
           part.add_flag("--write", to.write, "Add them to the file of the host in the project");
         });
  of_run("doctor", "Tell whether the hooks of a protocol work", What::kDoctor, [&](CLI::App& part) {
    AddHost(part, to, "The host of the agent (default: claude-code)");
  });
  add("mcp", "Decide about each call between a host and an MCP server", What::kMcp,
      [&](CLI::App& mcp) { DescribeGuardMcp(mcp, to); });
  add("audit", "Check that an audit log is unchanged, and print its last hash", What::kAudit,
      [&](CLI::App& audit) { audit.add_option("FILE", to.file, "The audit log")->required(); });
  command.footer(kGuardFooter);
}

void DescribeExplain(CLI::App& command, ExplainOptions& to) {
  AddPrograms(command, to.files)->required();
  command.add_option("FORM", to.form, "A fact or a goal, with or without variables")->required();
  command.add_flag("--not", to.absent, "Explain why no fact matches");
  command
      .add_option_function<std::size_t>(
          "--depth", [&to](const std::size_t& depth) { to.depth = depth; },
          "Levels to show (default: 64; with --not, 2)")
      ->type_name("N")
      ->check(CLI::Range(0, 10'000));
  AddAnswerOptions(command, to.engine);
  AddRepeatable(command, "--allow-tool", to.engine.allow_tools, "NAME",
                "Read what rpl.yaml opens, without its approval: index; repeatable");
  AddLimitOptions(command, to.engine.limits);
  AddFactsOptions(command, to.engine);
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
                "A program whose constraints are the rules; repeatable");
  command.add_option("--rule", to.rule, "Print only the record of this rule")->type_name("NAME");
  command.add_flag("--list", to.list, "List the rules without verifying");
  command.add_option("--out", to.out, "The folder for reports (default: the folder of CONTENT)")
      ->type_name("FOLDER");
  AddChoice(command, "--format", to.format, "FORMAT", "text (default), json or sarif",
            {{"text", Format::kText}, {"json", Format::kJson}, {"sarif", Format::kSarif}});
  AddChoice(command, "--fail-on", to.fail_on, "LEVEL",
            "The lowest severity that rejects: error (default) or warning",
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
          "Show why this predicate passes or fails")
      ->type_name("ID");
  command.add_flag("--require-rulespec", to.require_rulespec, "Fail if there is no rulespec");
  command.add_flag("--exists", to.exists, "Only check whether CONTENT exists");
  AddChoice(
      command, "--on-error", to.review_errors, "EFFECT",
      "Effect of a failed rule of severity error: block (default), or hitl (ask for a review)",
      {{"block", false}, {"hitl", true}});
  command
      .add_option("--store", to.engine.guard.store,
                  "The store with the reviews (see rpl guard pending)")
      ->type_name("FILE");
  AddNow(command, to.engine);
  to.engine.limits.max_seconds = 60;
  AddTimeAndMemory(command, to.engine.limits);
  AddToolOptions(command, to.engine, "default: rpl.yaml beside the rules");
  command.footer(kVerifyFooter);
}

void DescribeDoc(CLI::App& command, DocOptions& to) {
  command.add_option("FILE", to.files, kPrograms)->required();
  AddFactsOptions(command, to.engine);
  AddChoice(command, "--format", to.format, "FORMAT",
            "markdown (default), html, dot, mermaid or json",
            {{"markdown", DocFormat::kMarkdown},
             {"html", DocFormat::kHtml},
             {"dot", DocFormat::kDot},
             {"mermaid", DocFormat::kMermaid},
             {"json", DocFormat::kJson}});
  command.add_flag_callback(
      "--html", [&to] { to.format = DocFormat::kHtml; }, "The same as --format html: a page");
  command.footer(kDocFooter);
}

void DescribeTrace(CLI::App& command, TraceOptions& to) {
  using What = TraceOptions::What;
  command.require_subcommand(1);
  const auto add = [&](const char* name, const char* help, What what) {
    CLI::App* part = command.add_subcommand(name, help);
    part->add_option("SESSION", to.session,
                     "A session file, or postgresql://…/NAME, as saved by `rpl run --session`")
        ->required();
    part->callback([&to, what] { to.what = what; });
    return part;
  };
  AddFormat(*add("show", "Print the entries, in order", What::kShow), to.json);
  AddFormat(*add("questions", "Print what became of each question", What::kQuestions), to.json);
  CLI::App* query = add("query", "Answer a goal from the current state", What::kQuery);
  query->add_option("GOAL", to.query, "A goal form: `% <- …`, `%name(?x) <- …`")->required();
  AddFormat(*query, to.json);
  CLI::App* exported =
      add("export", "Print an RPL program that restores the current state", What::kExport);
  AddChoice(*exported, "--format", to.json, "FORMAT",
            "rpl (default), or ndjson: every event with its hash",
            {{"rpl", false}, {"ndjson", true}});
  exported->add_flag("--cassette", to.cassette,
                     "The replies of models instead, for `--model cassette:FILE`");
  add("verify", "Check that no event was altered", What::kVerify)
      ->add_option("--anchor", to.anchor, "Also check that the session goes on from here")
      ->type_name("N:HASH");
  add("anchor", "Print the number and hash of the last event, for --anchor", What::kAnchor);
  add("diff", "Print the entries in which two sessions differ", What::kDiff)
      ->add_option("OTHER", to.other, "Another session file, or postgresql://…/NAME")
      ->required();
  CLI::App* replay =
      add("replay", "Run the session again with its recorded replies, and compare", What::kReplay);
  AddFormat(*replay, to.json);
  AddThreads(*replay, to.threads);
  add("html", "Write an HTML page with the timeline, the proofs of goals and the source",
      What::kHtml)
      ->add_option("-o,--output", to.output, "Write to FILE (default: standard output)")
      ->type_name("FILE")
      ->check(CheckNamed);
  command.footer(kTraceFooter);
}

void DescribeSession(CLI::App& command, SessionCommandOptions& to) {
  using What = SessionCommandOptions::What;
  command.require_subcommand(1);
  const auto add = [&](const char* name, const char* help, What what) {
    CLI::App* part = command.add_subcommand(name, help);
    part->callback([&to, what] { to.what = what; });
    return part;
  };
  CLI::App* copy =
      add("copy", "Copy a session, verify the copy, and print its anchor", What::kCopy);
  copy->add_option("FROM", to.from, "A session file, or postgresql://…/NAME")->required();
  copy->add_option("TO", to.to, "The same, of a session that does not exist yet")->required();
  CLI::App* list = add("list", "List the sessions of a database", What::kList);
  list->add_option("URL", to.from, "The database: postgresql://USER@HOST/DATABASE")->required();
  AddFormat(*list, to.json);
  add("schema", "Print the tables and roles of sessions in PostgreSQL, as SQL", What::kSchema);
  command.footer(kSessionFooter);
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

void DescribeRun(CLI::App& command, RunOptions& to) {
  command.add_option("FILE", to.files, kPrograms)->required();
  AddGoalOptions(command, to.engine);
  AddEngineOptions(command, to.engine);
  AddGuardOptions(command, to.engine.guard);
  AddToolOptions(command, to.engine, kBesideDocument);
  AddFactsOptions(command, to.engine);
  command
      .add_option("--session", to.session,
                  "Save the run in FILE, or postgresql://…/NAME; if it exists, continue it")
      ->type_name("FILE")
      ->check(CheckNamed);
  AddWatch(command, to.watch);
  command.footer(kRunFooter);
}

void DescribeResume(CLI::App& command, ResumeOptions& to) {
  command
      .add_option("SESSION", to.session,
                  "A session file, or postgresql://…/NAME, as saved by `rpl run --session`")
      ->required();
  command
      .add_option("--anchor", to.anchor,
                  "Refuse a session that does not go on from here (see rpl trace anchor)")
      ->type_name("N:HASH");
  AddGoalOptions(command, to.engine);
  AddRepeatable(
      command, "--take-back", to.engine.take_back, "KEY",
      "Take back the last answer, or that it was declined: it is asked again; repeatable");
  AddRepeatable(command, "--retry", to.retry, "NAME",
                "Repeat calls of a tool that failed or may not have finished; repeatable");
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
  command
      .add_option("--filter", to.filter,
                  "Run only cases with TEXT in their name or in a heading above them")
      ->type_name("TEXT");
  AddFactsOptions(command, to.engine);
  AddFormat(command, to.json);
  AddWatch(command, to.watch);
  command.add_flag("--update", to.update,
                   "Write what came out into expectations that do not hold, unless it is an error");
  const auto add_file = [&](const char* name, std::string& file, const char* help) {
    command.add_option(name, file, help)->type_name("FILE")->check(CheckNamed);
  };
  CLI::Option* const record = command.add_flag(
      "--record", to.record, "Make the cassettes of MODEL anew, with the replies of --model");
  record->needs(AddModel(command, to.engine.model)->needs(record));
  add_file("--junit", to.junit, "Write the results as JUnit XML, for CI");
  command.add_flag("--coverage", to.coverage,
                   "Print which rules, headings, branches and constraints did something");
  add_file("--coverage-html", to.coverage_html, "Write the coverage as a page");
  add_file("--coverage-lcov", to.coverage_lcov, "Write the coverage as a tracefile of lcov");
  command
      .add_option_function<double>(
          "--min", [&to](const double& percent) { to.min_coverage = percent; },
          "Fail if less is covered")
      ->type_name("PERCENT")
      ->check(CLI::Range(0.0, 100.0));
  command.footer(kTestFooter);
}

void DescribeEval(CLI::App& command, EvalOptions& to) {
  command.add_option("PATH", to.paths, "Files of test scripts, and folders with *.md files")
      ->required();
  AddRepeatable(command, "--model", to.models, "PROVIDER:NAME",
                "A model in the place of the cassettes, as of `rpl run`; repeatable")
      ->required()
      ->check([](const std::string& text) { return ModelNamed(text).error; });
  command.add_option("--runs", to.runs, "How often each case is run (default: 1)")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000));
  command
      .add_option("--filter", to.filter,
                  "Run only cases with TEXT in their name or in a heading above them")
      ->type_name("TEXT");
  AddFormat(command, to.json);
  command.footer(kEvalFooter);
}

void DescribeNew(CLI::App& command, NewOptions& to) {
  command.add_option("NAME", to.name, "The name of the goal, as in bike-lending")->required();
  command.add_option("--kind", to.kind, "A protocol to run, or a gate for an agent's tool calls")
      ->type_name("protocol|gate")
      ->check(CLI::IsMember({"protocol", "gate"}));
  command.footer(kNewFooter);
}

void DescribeParse(CLI::App& command, ParseOptions& to) {
  command.add_option("FILE", to.file, "A Markdown protocol, or plain RPL (*.rpl)")->required();
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
  command.add_option("COMMAND", to.command, "The command, for `man`");
}

void AddAskOptions(CLI::App& command, AskOptions& to) {
  command
      .add_option("--ask", to.ask,
                  "Ask the user in forms of the host: auto (default), never or always")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "never", "always"}));
  command
      .add_option("--ask-timeout", to.ask_timeout,
                  "Wait so long for the answer in a form (default: 45)")
      ->type_name("SECONDS")
      ->check(CLI::Range(1, 3600));
  command
      .add_option("--reply-within", to.reply_within,
                  "Reply after this time also if the work goes on (default: 45)")
      ->type_name("SECONDS")
      ->check(CLI::Range(1, 3600));
}

void DescribeMcp(CLI::App& command, McpOptions& to) {
  command.require_subcommand(0, 1);
  constexpr const char* kPaths =
      "Markdown protocols, plain RPL (*.rpl), or folders with such files";
  command.add_option("PATH", to.paths, kPaths);
  CLI::App* install =
      command.add_subcommand("install", "Print the settings by which a host starts the server");
  install->callback([&to] { to.install = true; });
  install->add_option("PATH", to.paths, kPaths)->required();
  install->add_option("--host", to.host, "claude-code, claude-desktop, cursor or vscode")
      ->type_name("NAME")
      ->required()
      ->check(CLI::IsMember({"claude-code", "claude-desktop", "cursor", "vscode"}));
  install->add_option("--name", to.name, "The name of the server in the host (default: rpl)")
      ->type_name("NAME");
  install->add_flag("--write", to.write, "Add them to the file of the host");
  command
      .add_option("--sessions", to.sessions,
                  "The folder of the runs (default: ~/.local/state/rpl/mcp)")
      ->type_name("FOLDER")
      ->check(CheckNamed);
  command
      .add_option(
          "--project", to.project,
          "The folder of the work, for a protocol that binds an agent (default: the host's, "
          "or here)")
      ->type_name("DIR");
  AddAskOptions(command, to.answers);
  command
      .add_option("--http", to.http,
                  "Serve HTTP at this address, as in 127.0.0.1:7000 (default: a pipe)")
      ->type_name("ADDRESS")
      ->check(CheckNamed);
  command
      .add_option("--token-file", to.token_file,
                  "Serve HTTP only to who has the token in this file")
      ->type_name("FILE")
      ->check(CheckNamed);
  AddToolOptions(command, to.engine, kBesideDocument);
  AddGuardOptions(command, to.engine.guard);
  AddLimitOptions(command, to.engine.limits);
  AddThreads(command, to.engine.threads);
  command.footer(kMcpFooter);
}

void DescribeDrive(CLI::App& command, DriveOptions& to) {
  AddToolOptions(command, to.engine, kBesideDocument);
  AddGuardOptions(command, to.engine.guard);
  AddLimitOptions(command, to.engine.limits);
  AddThreads(command, to.engine.threads);
  command.footer(kDriveFooter);
}

void DescribeServe(CLI::App& command, ServeOptions& to) {
  command.require_subcommand(0, 1);
  command.add_option("PATH", to.paths,
                     "Markdown protocols, plain RPL (*.rpl), or folders with such files");
  command.add_subcommand("schema", "Print the tables that it uses")->callback([&to] {
    to.schema = true;
  });
  command
      .add_option("--store", to.store, "The PostgreSQL database with the runs and their sessions")
      ->type_name("URL")
      ->check(CheckNamed);
  command.add_option("--http", to.http, "Serve at this address (default: 127.0.0.1:7070)")
      ->type_name("ADDRESS")
      ->check(CheckNamed);
  command
      .add_option("--token-file", to.token_file,
                  "Serve only those with a token: a file with a token and a tenant on each line")
      ->type_name("FILE")
      ->check(CheckNamed);
  command.add_option("--workers", to.workers, "Do so many turns at the same time (default: 2)")
      ->type_name("N")
      ->check(CLI::Range(1, 256));
  command
      .add_option("--lease", to.lease,
                  "Leave the run of a worker that died to others after this time (default: 15)")
      ->type_name("SECONDS")
      ->check(CLI::Range(1, 3600));
  command.add_option("--drain", to.drain, "Wait so long for turns when told to end (default: 30)")
      ->type_name("SECONDS")
      ->check(CLI::Range(0, 3600));
  command
      .add_option("--max-ready", to.most_ready,
                  "Refuse runs of a tenant that has so many waiting for a worker (default: 10000)")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber);
  command
      .add_option("--max-working", to.most_working,
                  "Do at most so many turns of a tenant at the same time, on all workers")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber);
  command.add_option("--spans", to.spans, "Append OpenTelemetry spans of each turn to this file")
      ->type_name("FILE")
      ->check(CheckNamed);
  AddAskOptions(command, to.answers);
  AddToolOptions(command, to.engine, kBesideDocument);
  AddGuardOptions(command, to.engine.guard, "--guard-store");
  AddLimitOptions(command, to.engine.limits);
  AddThreads(command, to.engine.threads);
  command.footer(kServeFooter);
}

void DescribeLsp(CLI::App& command, LspOptions& to) {
  command.add_flag("--stdio", to.stdio, "Serve a pipe; there is no other way, editors say it");
  command
      .add_option("--clientProcessId", to.client,
                  "End when this process ends (default: with the pipe)")
      ->type_name("PID")
      ->check(CLI::NonNegativeNumber);
  command.footer(kLspFooter);
}

// Listed in the help only: `help` is replaced by --help before parsing.
void DescribeHelp(CLI::App& command) {
  command.add_option("COMMAND", "A command, or a command and its subcommand");
}

struct CommandEntry {
  const char* name;
  const char* about;
  void (*describe)(CLI::App& command, Commands& to, const InFull& in_full);
  bool is_shown = true;  // in the help text
};

constexpr CommandEntry kCommands[] = {
    {"new", "Write a new protocol and its tests",
     [](CLI::App& command, Commands& to, const InFull&) { DescribeNew(command, to.make_new); }},
    {"run", "Run a program until its goal is decided",
     [](CLI::App& command, Commands& to, const InFull&) { DescribeRun(command, to.run); }},
    {"profile", "Run a program and report where its time went",
     [](CLI::App& command, Commands& to, const InFull&) { DescribeProfile(command, to.profile); }},
    {"resume", "Continue a run from its session file",
     [](CLI::App& command, Commands& to, const InFull&) { DescribeResume(command, to.resume); }},
    {"trace", "Show, check or replay a session",
     [](CLI::App& command, Commands& to, const InFull&) { DescribeTrace(command, to.trace); }},
    {"session", "Copy sessions, and list those of a database",
     [](CLI::App& command, Commands& to, const InFull&) { DescribeSession(command, to.session); }},
    {"reply", "Answer one user message and its query",
     [](CLI::App& command, Commands& to, const InFull&) { DescribeReply(command, to.reply); }},
    {"query", "Answer one query about a program",
     [](CLI::App& command, Commands& to, const InFull&) { DescribeQuery(command, to.query); }},
    {"sql", "Print a program as SQL for PostgreSQL",
     [](CLI::App& command, Commands& to, const InFull&) { DescribeSql(command, to.sql); }},
    {"repl", "The interactive shell",
     [](CLI::App& command, Commands& to, const InFull&) { DescribeRepl(command, to.repl); }},
    {"test", "Run the test scripts of Markdown files",
     [](CLI::App& command, Commands& to, const InFull&) { DescribeTest(command, to.test); }},
    {"eval", "Measure models with the test scripts of Markdown files",
     [](CLI::App& command, Commands& to, const InFull&) { DescribeEval(command, to.eval); }},
    {"check", "Find mistakes in a program",
     [](CLI::App& command, Commands& to, const InFull&) {
       DescribeCheck(command, to.check);
       AddTimeAndMemory(command, to.limits);
     }},
    {"verify", "Verify content against a rulespec or rules",
     [](CLI::App& command, Commands& to, const InFull&) { DescribeVerify(command, to.verify); }},
    {"explain", "Explain why a fact holds, or why it does not",
     [](CLI::App& command, Commands& to, const InFull&) { DescribeExplain(command, to.explain); }},
    {"guard", "Apply a policy to tool calls",
     [](CLI::App& command, Commands& to, const InFull& in_full) {
       DescribeGuard(command, to.guard, in_full);
     }},
    {"mcp", "Serve protocols to agent hosts (Model Context Protocol)",
     [](CLI::App& command, Commands& to, const InFull&) { DescribeMcp(command, to.mcp); }},
    {"drive", "Let another program drive runs, by lines of JSON",
     [](CLI::App& command, Commands& to, const InFull&) { DescribeDrive(command, to.drive); }},
    {"serve", "Run protocols of many clients, with sessions in PostgreSQL",
     [](CLI::App& command, Commands& to, const InFull&) { DescribeServe(command, to.serve); }},
    {"lsp", "Serve editors (Language Server Protocol)",
     [](CLI::App& command, Commands& to, const InFull&) { DescribeLsp(command, to.lsp); }},
    {"doc", "List and draw the parts of a program",
     [](CLI::App& command, Commands& to, const InFull&) {
       DescribeDoc(command, to.doc);
       AddTimeAndMemory(command, to.limits);
     }},
    {"parse", "Show a file as the parser reads it",
     [](CLI::App& command, Commands& to, const InFull&) {
       DescribeParse(command, to.parse);
       AddTimeAndMemory(command, to.limits);
     }},
    {"fmt", "Format the RPL in files",
     [](CLI::App& command, Commands& to, const InFull&) {
       DescribeFmt(command, to.fmt);
       AddTimeAndMemory(command, to.limits);
     }},
    {"completion", "Print a completion script for a shell",
     [](CLI::App& command, Commands& to, const InFull&) {
       DescribeCompletion(command, to.completion);
     }},
    {"reference", "Print the command reference and man pages",
     [](CLI::App& command, Commands& to, const InFull&) {
       DescribeReference(command, to.reference);
     },
     false},
    {"help", "Show this help, that of a command, a code or a page",
     [](CLI::App& command, Commands&, const InFull&) { DescribeHelp(command); }},
};

}  // namespace

void Describe(CLI::App& app, Commands& to, const InFull& in_full) {
  app.footer(kFooter);
  app.set_version_flag("--version", "rpl " RPL_VERSION);
  app.require_subcommand(1);
  for (const CommandEntry& entry : kCommands) {
    CLI::App* const command = app.add_subcommand(entry.name, entry.about);
    if (!entry.is_shown) command->group("");
    if (in_full(entry.name)) entry.describe(*command, to, in_full);
  }
}

}  // namespace rpl
