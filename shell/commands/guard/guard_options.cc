// SPDX-License-Identifier: Apache-2.0
#include "shell/commands/guard/guard_options.h"

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "checks/calls/call_views.h"
#include "runtime/postgres/database_url.h"
#include "shell/commands/commands.h"
#include "shell/commands/shared_options.h"
#include "shell/guard/hook_table.h"

namespace rpl {
namespace {

constexpr const char* kGuardHookFooter =
    R"(Examples
  rpl guard install /home/me/shop/ship.md --write       # the settings that call it; see docs/bind.md
  rpl guard hook --protocol /home/me/shop/ship.md < event.json
  rpl guard hook --protocol /home/me/shop/ship.md --shadow
  rpl guard hook --protocol /home/me/shop/ship.md --reads-as mcp__shell__run=Bash
  rpl guard hook --root /home/me --policy policy.json   # see docs/guard.md)";

constexpr const char* kGuardMcpFooter =
    R"(Examples
  rpl guard mcp --policy policy.json -- notes-server --stdio
  rpl guard mcp --protocol /home/me/shop/ship.md --name shop -- shop-server
  rpl guard mcp --protocol /home/me/shop/ship.md --name shell --reads-as run=Bash -- shell-server)";

constexpr const char* kGuardRunFooter =
    R"(Examples
  rpl guard install ship.md --write
  rpl guard doctor ship.md
  rpl guard status ship.md --denied
  rpl guard why ship.md
  rpl guard answer ship.md approved=Ada
  rpl guard accept ship.md --secret-file secret
  rpl guard end ship.md)";

constexpr const char* kGuardFooter =
    R"(Without a subcommand, reads calls in JSON from standard input, one per line, and writes a line
with the decision for each. Exit codes: 0 allow, 1 block, 3 hitl, 2 invalid input.

Examples
  echo '{"tool":"send_email","args":{"to":"a@b.c"}}' | rpl guard --policy policy.json
  rpl guard check policy.json
  rpl guard explain refund-limit --policy policy.json
  rpl guard pending
  rpl guard approve 1f2e3d4c5b6a7988
  rpl guard hook --root /home/me --policy policy.json    # see docs/guard.md
  rpl guard mcp --policy policy.json -- notes-server --stdio)";

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

// The names of the hosts, and the short ones.
std::vector<std::string> NamesOfHosts() {
  std::vector<std::string> names;
  for (const HookHost& host : HookHosts()) {
    names.emplace_back(host.name);
    if (!host.short_name.empty()) names.emplace_back(host.short_name);
  }
  return names;
}

void AddHost(CLI::App& command, GuardCommandOptions& to, const char* text) {
  command.add_option("--host", to.host, text)
      ->type_name("NAME")
      ->check(CLI::IsMember(NamesOfHosts()));
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

}  // namespace

Command DescribeGuard(CLI::App& command, const Wanted& wanted) {
  const auto options = std::make_shared<GuardCommandOptions>();
  GuardCommandOptions& to = *options;
  using What = GuardCommandOptions::What;
  command.require_subcommand(0, 1);
  AddGuardSettings(command, to);
  command.add_option("--history", to.history, "An audit log with the calls of earlier runs")
      ->type_name("FILE");
  const auto add = [&](const char* name, const char* help, What what,
                       const std::function<void(CLI::App&)>& describe) {
    if (wanted(name)) describe(*AddPart(command, name, help, to.what, what));
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
    AddFormat(pending, to.format);
  });
  const auto describe_answer = [&](CLI::App& answer) {
    answer.add_option("ID", to.id, "An id from `rpl guard pending`")->required();
    answer.add_option("--reason", to.reason, "Why")->type_name("T");
    AddGuardStore(answer, to);
    AddGuardNow(answer, to);
    AddSecretFile(answer, to, "File with the secret of the store, as proof that a person answers");
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
    AddSecretFile(part, to,
                  "File with the secret of the protocol's runs, as proof that a person does this");
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
  return {.run = [options] { return CommandGuard(*options); }};
}

}  // namespace rpl
