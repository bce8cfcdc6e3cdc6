// SPDX-License-Identifier: Apache-2.0
#include "shell/commands/guard/guard_options.h"

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
void DescribeBoundRun(CommandOptions command, GuardCommandOptions& to) {
  command.Add("--project", to.project, "The folder of the work (default: the host's, or here)")
      .Unit("DIR");
  command.Add("--sessions", to.sessions, "The folder of runs (default: the user's own)")
      .Unit("DIR");
}

// A hook refuses a database by its answer.
std::string CheckRunsInFiles(const std::string& folder) {
  if (!IsDatabaseUrl(folder)) return "";
  return "the calls of a host are kept in files, not in a database: expected a folder";
}

// The protocol that binds an agent.
void DescribeProtocol(CommandOptions command, GuardCommandOptions& to) {
  command
      .Add("--protocol", to.protocol,
           "The protocol that binds the agent; with --policy, the stricter decides")
      .Unit("FILE");
  DescribeBoundRun(command, to);
  command.Flag("--shadow", to.shadow, "Decide and record, and let everything pass");
  command.Flag("--unprotected", to.unprotected,
               "Let the agent touch the protocol, its run and the settings of the host");
  AddRepeatable(
      command, "--reads-as", to.reads_as, "TOOL=NAME",
      "A tool of an MCP server does what the built-in tool NAME does, such as Bash, Read, "
      "Write; repeatable")
      .Check([](const std::string& text) -> std::string {
        const std::size_t equals = text.rfind('=');
        return equals != text.npos && equals != 0 && IsReadTool(text.substr(equals + 1))
                   ? ""
                   : "expected TOOL=NAME with the name of a built-in tool, got `" + text + "`";
      });
}

void AddGuardPolicy(CommandOptions command, GuardCommandOptions& to) {
  command.Add("--policy", to.guard.policy, "The policy, in JSON or YAML").Unit("FILE");
}

void AddGuardStore(CommandOptions command, GuardCommandOptions& to) {
  command
      .Add("--store", to.guard.store,
           "The guard's store (default: those of all agents, in ~/.local/state/rpl/guard)")
      .Unit("FILE");
}

void AddGuardNow(CommandOptions command, GuardCommandOptions& to) {
  command.Add("--now", to.now, "The time of the decisions, in ISO 8601").Unit("T").Check(CheckTime);
}

void AddSecretFile(CommandOptions command, GuardCommandOptions& to, const char* help) {
  command.Add("--secret-file", to.secret_file, help).Unit("FILE");
}

// What a decision rests on.
void AddGuardSettings(CommandOptions command, GuardCommandOptions& to) {
  AddGuardPolicy(command, to);
  AddAgentOptions(command, to.guard);
  command.Add("--config", to.config, "Settings in the section `guard`: tools, end user, commands")
      .Unit("FILE");
  AddGuardNow(command, to);
  command.Add("--audit", to.guard.audit, "Append audit events, one JSON object per line")
      .Unit("FILE");
  command.Flag("--audit-required", to.guard.audit_required,
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

void AddHost(CommandOptions command, GuardCommandOptions& to, const char* text) {
  command.Add("--host", to.host, text).Unit("NAME").OneOf(NamesOfHosts());
}

void DescribeGuardHook(CommandOptions hook, GuardCommandOptions& to) {
  AddGuardSettings(hook, to);
  hook.Add("--default", to.unmatched,
           "The answer if no rule matches (default: none, so the host decides)")
      .Unit("ANSWER")
      .OneOf({"deny", "ask", "allow"});
  hook.Add("--timeout-ms", to.timeout_ms,
           "Deny if there is no decision within this time (default: 10000)")
      .Unit("MS")
      .Within(1, 600'000);
  hook.Add("--ask", to.ask,
           "The answer for a call that is held for a review (default: ask, or deny where "
           "the host asks nobody)")
      .Unit("ANSWER")
      .OneOf({"ask", "deny"});
  hook.Add("--root", to.root,
           "The folder, from /, of file names that do not begin with / (default: such names "
           "are refused)")
      .Unit("DIR");
  DescribeProtocol(hook, to);
  AddHost(hook, to, "The host of the agent (default: told by its events)");
  hook.Add("--until", to.until,
           "End the run at the end of a turn in which its goal is satisfied (default: a "
           "person ends it)")
      .Unit("satisfied")
      .OneOf({"satisfied"});
  hook.Add("--undecided", to.undecided,
           "The answer for a call that waits for a person's answer (default: deny)")
      .Unit("ANSWER")
      .OneOf({"ask", "deny"});
  hook.Add("--stop-limit", to.stop_limit,
           "How often the agent is kept at work without a call between (default: 3)")
      .Unit("N")
      .Within(0, 1000);
  hook.Footer(kGuardHookFooter);
}

void DescribeGuardMcp(CommandOptions mcp, GuardCommandOptions& to) {
  AddGuardSettings(mcp, to);
  DescribeProtocol(mcp, to);
  mcp.Add("--name", to.server_name,
          "The name of the server, for pinned tools (default: its command line)")
      .Unit("NAME");
  mcp.Add("--default", to.unmatched, "The decision if no rule matches (default: allow)")
      .Unit("ANSWER")
      .OneOf({"deny", "ask", "allow"});
  mcp.Add("--ask-timeout", to.ask_timeout,
          "How long the user of the host has to approve a held call (default: 45)")
      .Unit("SECONDS")
      .Within(1, 86'400);
  mcp.Add("--timeout-ms", to.timeout_ms,
          "Refuse a call without a decision within this time (default: 10000)")
      .Unit("MS")
      .Within(1, 600'000);
  mcp.Add("SERVER", to.server, "The command that starts the server, after `--`").Required();
  mcp.Footer(kGuardMcpFooter);
}

}  // namespace

Command DescribeGuard(CommandOptions command, const Wanted& wanted) {
  const auto options = std::make_shared<GuardCommandOptions>();
  GuardCommandOptions& to = *options;
  using What = GuardCommandOptions::What;
  command.RequirePart(0);
  AddGuardSettings(command, to);
  command.Add("--history", to.history, "An audit log with the calls of earlier runs").Unit("FILE");
  const auto add = [&](const char* name, const char* help, What what,
                       const std::function<void(CommandOptions)>& describe) {
    if (wanted(name)) describe(AddPart(command, name, help, to.what, what));
  };
  add("check", "Find mistakes in a policy", What::kCheck, [&](CommandOptions check) {
    check.Add("FILE", to.file, "The policy").Required();
    check
        .Add("--tools", to.tools,
             "The tools that there are, as an MCP server lists them; rules that match none "
             "are findings")
        .Unit("FILE");
    check.Add("--config", to.config, "The same, with the tools of this rpl.yaml").Unit("FILE");
  });
  add("explain", "Print a policy as RPL", What::kExplain, [&](CommandOptions explain) {
    explain.Add("RULE", to.rule, "The id or name of a rule (default: the whole policy)");
    AddGuardPolicy(explain, to);
    AddAgentOptions(explain, to.guard);
    explain.Add("--config", to.config, "As in a decision").Unit("FILE");
    explain
        .Add("--call", to.file,
             "A file with one call, as `rpl guard` reads it: its facts are printed, too")
        .Unit("FILE");
    AddGuardNow(explain, to);
  });
  add("pending", "List the calls that await a review", What::kPending, [&](CommandOptions pending) {
    AddGuardStore(pending, to);
    AddFormat(pending, to.format);
  });
  const auto describe_answer = [&](CommandOptions answer) {
    answer.Add("ID", to.id, "An id from `rpl guard pending`").Required();
    answer.Add("--reason", to.reason, "Why").Unit("T");
    AddGuardStore(answer, to);
    AddGuardNow(answer, to);
    AddSecretFile(answer, to, "File with the secret of the store, as proof that a person answers");
  };
  add("approve", "Allow a held call", What::kApprove, [&](CommandOptions answer) {
    describe_answer(answer);
    answer.Add("--calls", to.calls, "How many such calls may pass (default: 1)")
        .Unit("N")
        .Within(1, 1'000'000);
    answer.Add("--hours", to.hours, "How long the approval holds (default: 24)")
        .Unit("N")
        .Within(1, 1'000'000);
  });
  add("deny", "Refuse a held call", What::kDeny, describe_answer);
  add("secret", "Set the secret by which reviews are answered", What::kSecret,
      [&](CommandOptions secret) {
        secret.Add("--store", to.guard.store, "The guard's store (default: that of the agent)")
            .Unit("FILE");
        secret.Add("--agent", to.guard.agent, "The slug of the agent").Unit("SLUG");
        AddSecretFile(secret, to,
                      "The secret, in place of one that is typed: the first line of this file");
        secret.Add("--protocol", to.protocol, "Instead of the store's: of the runs of a protocol")
            .Unit("FILE");
        DescribeBoundRun(secret, to);
      });
  add("hook", "Decide for an agent host before it uses a tool", What::kHook,
      [&](CommandOptions hook) { DescribeGuardHook(hook, to); });
  const auto of_run = [&](const char* name, const char* text, What what,
                          const std::function<void(CommandOptions)>& describe) {
    add(name, text, what, [&](CommandOptions part) {
      part.Add("PROTOCOL", to.protocol, "The protocol").Required();
      DescribeBoundRun(part, to);
      part.At("--sessions").Check(CheckRunsInFiles);
      part.Footer(kGuardRunFooter);
      describe(part);
    });
  };
  of_run("status", "Show the run of a protocol that binds an agent", What::kStatus,
         [&](CommandOptions part) {
           part.Flag("--denied", to.denied, "Only calls that were denied, with the reason");
         });
  of_run("why", "Tell why the last call was denied", What::kWhy, [](CommandOptions) {});
  const auto add_run_secret = [&](CommandOptions part) {
    AddSecretFile(part, to,
                  "File with the secret of the protocol's runs, as proof that a person does this");
  };
  of_run("answer", "Answer a question of that run", What::kAnswer, [&](CommandOptions part) {
    add_run_secret(part);
    part.Add("KEY=VALUE", to.answer, "The answer").Required();
  });
  of_run("accept", "Go on with the changed text of the protocol", What::kAccept, add_run_secret);
  of_run("end", "End the run", What::kEnd, add_run_secret);
  of_run("install", "Print the settings by which a host asks the protocol", What::kInstall,
         [&](CommandOptions part) {
           AddHost(part, to, "The host of the agent (default: claude-code)");
           part.Flag("--write", to.write, "Add them to the file of the host in the project");
         });
  of_run("doctor", "Tell whether the hooks of a protocol work", What::kDoctor,
         [&](CommandOptions part) {
           AddHost(part, to, "The host of the agent (default: claude-code)");
         });
  add("mcp", "Decide about each call between a host and an MCP server", What::kMcp,
      [&](CommandOptions mcp) { DescribeGuardMcp(mcp, to); });
  add("audit", "Check that an audit log is unchanged, and print its last hash", What::kAudit,
      [&](CommandOptions audit) { audit.Add("FILE", to.file, "The audit log").Required(); });
  command.Footer(kGuardFooter);
  return {.run = [options] { return CommandGuard(*options); }};
}

}  // namespace rpl
