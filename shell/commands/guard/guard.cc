// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "checks/guard/audit.h"
#include "checks/guard/audit_log.h"
#include "checks/guard/guard_results.h"
#include "checks/guard/policy_program.h"
#include "checks/guard/policy_tools.h"
#include "formats/data/json_fields.h"
#include "formats/data/json_lines.h"
#include "formats/data/json_text.h"
#include "formats/shorten.h"
#include "formats/terminal_text.h"
#include "interp/program/operators.h"
#include "shell/commands/guard/guard_hook.h"
#include "shell/commands/guard/guard_install.h"
#include "shell/commands/guard/guard_mcp.h"
#include "shell/commands/guard/guard_options.h"
#include "shell/commands/guard/guard_protocol.h"
#include "shell/commands/guard/guard_review.h"
#include "shell/guard/guard_line.h"
#include "shell/program/guard_setup.h"
#include "shell/program/tool_setup.h"
#include "shell/terminal/input.h"
#include "shell/terminal/report.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

// The exit code of several decisions: the first of wrong input, hitl and block that occurs.
class Worst {
 public:
  void Add(int code) {
    static constexpr int kOrder[] = {kExitOk, kExitNo, kExitWaiting, kExitInvalid};
    const auto rank = [](int c) { return std::find(kOrder, kOrder + 4, c) - kOrder; };
    if (rank(code) > rank(worst_)) worst_ = code;
  }
  int code() const { return worst_; }

 private:
  int worst_ = kExitOk;
};

int ExitOf(const Decision& decision) {
  if (!decision.Stops()) return kExitOk;
  return decision.Holds() ? kExitWaiting : kExitNo;
}

// The effect that `deny`, `ask` or `allow` of --default names; none for "".
std::optional<Effect> EffectOfAnswer(const std::string& answer) {
  if (answer.empty()) return std::nullopt;
  return answer == "deny" ? Effect::kBlock : answer == "ask" ? Effect::kHitl : Effect::kAllow;
}

int NoPolicy() {
  Complain("guard", "expected a policy", "--policy FILE");
  return kExitInvalid;
}

// Adds the calls of the line, and its own if that has ended.
void AddHistory(const GuardLine& line, Moment now, History& to) {
  for (const auto& [past, this_run] : line.history) to.Add(past, this_run);
  if (line.call.phase == CallPhase::kAfter)
    to.Add(EndedCall(line.call, nullptr, line.now.value_or(now)), true);
}

int Decide(const GuardCommandOptions& options) {
  if (options.guard.policy.empty()) return NoPolicy();
  StandaloneGuard guard;
  if (const ExitCode code = ReadStandaloneGuard(options, guard); code != kExitOk) return code;
  JsonLines earlier;
  if (!options.history.empty()) {
    earlier = ReadJsonLines(options.history);
    if (earlier.missing) earlier.error = "there is no such file";
    if (!earlier.error.empty()) {
      Complain(options.history, earlier.error);
      return kExitFile;
    }
  }
  const std::string run =
      fmt::format("guard-{}", std::chrono::system_clock::now().time_since_epoch().count());
  Worst worst;
  std::size_t step = 0;
  // Each line is answered as it comes: whoever writes it may wait for the answer.
  while (const std::optional<std::string> text = ReadLine()) {
    if (text->find_first_not_of(" \t\r") == std::string::npos) continue;
    const Moment now = guard.Now();
    const Sourced<GuardLine> line = ReadGuardText(*text, guard.config, now);
    if (!line.value) {  // no decision, so the call must not proceed
      std::cout << Dump({{"schema", "rpl.decision/1"},
                         {"effect", "block"},
                         {"enforced", true},
                         {"error", line.why}})
                << std::endl;
      worst.Add(kExitInvalid);
      continue;
    }
    History history;
    ReadHistory(earlier.objects, "", guard.guard->agent().slug, history);
    AddHistory(*line.value, now, history);
    const Moment at = line.value->now.value_or(now);
    if (line.value->call.phase == CallPhase::kAfter) guard.EndReviews(line.value->call);
    LineSources sources(*line.value, guard.config, guard.store, guard.run, run, "", at);
    const Decision decision = guard.guard->Decide(line.value->call, history, sources, at);
    const std::optional<EndUser>& user = line.value->call.user;
    AuditRun audit(run, user ? user->id : std::nullopt);
    if (!guard.Audit({audit.Decided(step++, decision, line.value->call, 0, at)}))
      return kExitInvalid;
    ordered_json shown = DecisionJson(decision, line.value->call);
    shown["results"] = ordered_json::array();
    for (const CheckResult& result : ResultsOf(decision, line.value->call, *guard.guard))
      shown["results"].push_back(ResultJson(result));
    std::cout << Dump(shown) << std::endl;
    worst.Add(ExitOf(decision));
  }
  // Where the lines ended early, the same error again, or what follows a line that is too long.
  const Input rest = ReadStandardInput();
  if (!rest.error.empty() || !rest.text.empty()) {
    Complain("standard input", rest.error.empty() ? "a line is too long" : rest.error);
    return kExitFile;
  }
  return worst.code();
}

// Adds the tools of --config and --tools to `to`.
ExitCode ReadTools(const GuardCommandOptions& options, std::vector<KnownTool>& to) {
  if (!options.config.empty()) {
    ToolConfig config;
    if (const ExitCode code = ReadTools(options.config, config); code != kExitOk) return code;
    std::vector<std::string> labels;
    for (const ToolCommand& tool : config.tools) labels.push_back(tool.name);
    to = KnownToolsOf(config.guard, labels);
  }
  if (options.tools.empty()) return kExitOk;
  Input input = ReadFile(options.tools);
  if (!input.error.empty()) {
    Complain(options.tools, input.error);
    return kExitFile;
  }
  Sources sources;
  Diagnostics found;
  const std::uint32_t list = sources.Add(options.tools, std::move(input.text));
  for (KnownTool& tool : ReadKnownTools(sources, list, found)) to.push_back(std::move(tool));
  PrintDiagnostics(found.all(), sources, std::cerr);
  return found.has_errors() ? kExitInvalid : kExitOk;
}

// What ends a command of a shell's line, starts one within another, writes a file, or names one in
// another folder.
constexpr std::string_view kShellMarks = ";&|`(<>\n$~/";

// A rule that allows shell commands by a part of their text lets another command or any file
// follow, unless it excludes each of the marks by which one could: by `not`, as one of the
// conditions that all hold.
bool AllowsByPart(const GuardRule& rule) {
  static constexpr std::string_view kCommandPaths[] = {"command", "cmd", "command_line", "script"};
  using Op = ToolArgLeaf::Op;
  if (rule.effect != Effect::kAllow) return false;
  std::set<std::string_view> by_part;  // paths
  std::set<std::pair<std::string_view, std::string>>
      without;  // paths, and what they do not contain
  std::vector<const ConditionNode*> around;
  for (std::size_t i = 0; i < rule.condition.size(); ++i) {
    const ConditionNode& node = rule.condition[i];
    while (!around.empty() && around.back()->end <= i) around.pop_back();
    if (const auto* leaf = node.As<ToolArgLeaf>();
        leaf != nullptr && std::ranges::count(kCommandPaths, leaf->path) != 0) {
      const auto denial = std::ranges::find_if_not(
          around, [](const ConditionNode* n) { return n->As<AndParts>() != nullptr; });
      const bool excludes = leaf->op == Op::kContains && denial != around.end() &&
                            (*denial)->As<NotPart>() &&
                            std::all_of(denial + 1, around.end(),
                                        [](const ConditionNode* n) { return n->As<OrParts>(); });
      const auto denials = std::ranges::count_if(
          around, [](const ConditionNode* n) { return n->As<NotPart>() != nullptr; });
      if (excludes) without.emplace(leaf->path, leaf->value.get<std::string>());
      else if (denials % 2 == 0 && (leaf->op == Op::kStartsWith || leaf->op == Op::kContains ||
                                    leaf->op == Op::kEndsWith))
        by_part.insert(leaf->path);
    }
    around.push_back(&node);
  }
  return std::ranges::any_of(by_part, [&](std::string_view path) {
    return std::ranges::any_of(kShellMarks, [&](char mark) {
      return !without.contains({path, std::string(1, mark)});
    });
  });
}

int CheckPolicy(const GuardCommandOptions& options) {
  const PolicyFile file = ReadPolicyFile(options.file);
  if (!file.policy) return file.code;
  for (const GuardRule& rule : file.policy->rules)
    if (AllowsByPart(rule))
      std::cerr << fmt::format(
          "warning: {}: the rule `{}` allows a shell command by a part of its text, and so "
          "also one with `&&`, `;`, `|` or `$(…)` and another command, or with `/etc/shadow`\n"
          "help: compare whole commands, with `eq` or `in`, or exclude each of "
          "`;`, `&`, `|`, `` ` ``, `(`, `<`, `>`, `$`, `~`, `/` and a line end; "
          "a protocol reads each command of a line: `std#decides(?c), std#runs(?c, ?program, _) -> "
          "known(?program)` (docs/bind.md)\n",
          PrintableLine(options.file), PrintableLine(rule.id));
  if (!options.tools.empty() || !options.config.empty()) {
    std::vector<KnownTool> tools;
    if (const ExitCode code = ReadTools(options, tools); code != kExitOk) return code;
    Sources sources;
    Diagnostics found;
    CheckTools(sources, sources.Add(options.file, file.text), tools, found);
    found.Sort();
    PrintDiagnostics(found.all(), sources, std::cerr);
    if (!found.all().empty()) return kExitNo;
  }
  const std::size_t rules = file.policy->rules.size();
  std::cerr << fmt::format("{}: {} rule{}\n", PrintableLine(options.file), rules,
                           rules == 1 ? "" : "s");
  return kExitOk;
}

// The sources of a decision that only explains: the answers of people are read, and noted by the
// rule; nothing is asked for, stored or spent.
class ExplainedSources : public LineSources {
 public:
  using LineSources::LineSources;

  Sourced<Review> FindReview(const ReviewRequest& request) override {
    Sourced<Review> known = LineSources::FindReview(request);
    if (known.value) reviews[request.rule] = known.value->state;
    return known;
  }
  Sourced<Review> AskForReview(const ReviewRequest&) override {
    return {Review{Review::State::kPending, "", ""}, ""};
  }
  Sourced<bool> SpendReview(const Review&) override { return {true, ""}; }

  std::map<std::string, Review::State> reviews;
};

// The facts about the call in --call.
ExitCode PrintCall(const GuardCommandOptions& options, StandaloneGuard& guard) {
  const Input input = ReadFile(options.file);
  if (!input.error.empty()) {
    Complain(options.file, input.error);
    return kExitFile;
  }
  const Moment now = guard.Now();
  const Sourced<GuardLine> line = ReadGuardText(input.text, guard.config, now);
  if (!line.value) {
    Complain(options.file, line.why);
    return kExitInvalid;
  }
  History history;
  AddHistory(*line.value, now, history);
  const Moment at = line.value->now.value_or(now);
  ExplainedSources sources(*line.value, guard.config, guard.store, guard.run, "", "", at);
  const Decision decision = guard.guard->Decide(line.value->call, history, sources, at);
  if (decision.cause == Decision::Cause::kFailure) {
    Complain(guard.store.path(), decision.message);
    return kExitFile;
  }
  std::cout << "\n-- the call\n"
            << Printable(FactsOfCall(*guard.guard, line.value->call, history, at, decision,
                                     sources.reviews));
  return kExitOk;
}

int ExplainRule(const GuardCommandOptions& options) {
  if (options.guard.policy.empty()) return NoPolicy();
  StandaloneGuard guard;
  if (const ExitCode code = ReadStandaloneGuard(options, guard); code != kExitOk) return code;
  if (!std::filesystem::exists(guard.store.path())) guard.store = GuardStore();  // makes none
  const std::string text = PolicyAsRpl(*guard.guard, options.rule);
  if (text.empty()) {
    Complain(options.guard.policy, "there is no rule `" + options.rule + "`");
    return kExitInvalid;
  }
  std::cout << Printable(text);
  return options.file.empty() ? kExitOk : PrintCall(options, guard);
}

int CheckLog(const GuardCommandOptions& options) {
  const AuditChain chain = CheckAuditLog(options.file);
  if (!chain.error.empty()) {
    Complain(options.file, chain.error);
    return kExitFile;
  }
  if (chain.broken != 0) {
    Complain(fmt::format("{}:{}", options.file, chain.broken),
             "this line does not follow the one before it",
             "an event was changed, removed, added or moved here");
    return kExitNo;
  }
  std::cout << chain.hash << '\n';
  std::cerr << fmt::format("{} event{}, unchanged", chain.events, chain.events == 1 ? "" : "s")
            << (chain.cut_off == 0 ? "" : fmt::format("; {} cut off", chain.cut_off)) << '\n';
  return kExitOk;
}

}  // namespace

Moment MomentFor(const std::string& now) {
  for (const std::string& each : {now, now + "Z", now + ":00Z"})
    if (const auto moment = ParseInstant(each)) return *moment;
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(since).count();
}

ExitCode ReadStandaloneGuard(const GuardCommandOptions& options, StandaloneGuard& to) {
  // Where the store, not the input, has the history.
  const bool reads_store = options.what == GuardCommandOptions::What::kHook ||
                           options.what == GuardCommandOptions::What::kMcp;
  std::string folder = ".";
  if (!options.config.empty()) {
    GuardConfigFile config = ReadGuardConfigFile(options.config);
    if (!config.config) return config.code;
    to.config = std::move(*config.config);
    folder = FolderOf(options.config);
  }
  GuardAgent agent = AgentFor(options.guard, to.config);
  if (!IsClosed(options)) agent.unmatched = EffectOfAnswer(options.unmatched);
  to.store = GuardStore(StorePath(options.guard, agent.slug), agent.slug,
                        std::chrono::milliseconds(options.timeout_ms / 2));
  to.store.RecordAnswersIn(options.guard.audit);
  PolicyFile file;
  if (options.guard.policy.empty() && !options.protocol.empty()) file.policy.emplace();
  else if (reads_store) file = ReadPolicyFile(options.guard.policy, to.store);
  else file = ReadPolicyFile(options.guard.policy);
  if (!file.policy) return file.code;
  to.guard = std::make_unique<Guard>(std::move(*file.policy), std::move(agent));
  to.audit = options.guard.audit;
  to.audit_required = options.guard.audit_required;
  to.now = options.now;
  // The user who names a configuration here approves its commands.
  to.run = [folder](const GuardCommand& command, const ordered_json& input) {
    return RunGuardCommand(command, folder, input);
  };
  return kExitOk;
}

bool StandaloneGuard::Audit(const std::vector<ordered_json>& events) const {
  if (audit.empty()) return true;
  const std::string error = AppendEvents(audit, events);
  if (error.empty()) return true;
  std::cerr << (audit_required ? "rpl: " : "warning: ") << "the audit log `"
            << PrintableLine(Shortened(audit, kToldBytes))
            << "` cannot be written: " << PrintableLine(error) << '\n';
  return !audit_required;
}

void StandaloneGuard::EndReviews(const GuardCall& call) {
  const std::string error = store.Made(guard->ReviewsBefore(call));
  if (!error.empty())
    std::cerr << "warning: the reviews cannot be kept: " << PrintableLine(error) << '\n';
}

int CommandGuard(const GuardCommandOptions& options) {
  using What = GuardCommandOptions::What;
  switch (options.what) {
    case What::kDecide: return Decide(options);
    case What::kCheck: return CheckPolicy(options);
    case What::kExplain: return ExplainRule(options);
    case What::kPending: return ListReviews(options);
    case What::kApprove:
    case What::kDeny: return AnswerReview(options);
    case What::kSecret: return SetReviewSecret(options);
    case What::kHook: return GuardHook(options);
    case What::kMcp: return GuardMcp(options);
    case What::kAudit: return CheckLog(options);
    case What::kStatus: return ShowBoundRun(options);
    case What::kWhy: return ExplainDenial(options);
    case What::kAnswer: return AnswerBoundRun(options);
    case What::kAccept: return AcceptProtocol(options);
    case What::kEnd: return EndBoundRun(options);
    case What::kInstall: return InstallHooks(options);
    case What::kDoctor: return ExamineHooks(options);
  }
  return kExitBug;
}

}  // namespace rpl
