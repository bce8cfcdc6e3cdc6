// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "checks/guard/audit.h"
#include "checks/guard/guard_results.h"
#include "formats/json_fields.h"
#include "formats/json_lines.h"
#include "formats/json_text.h"
#include "formats/shorten.h"
#include "formats/terminal_text.h"
#include "interp/program/operators.h"
#include "shell/commands/commands.h"
#include "shell/commands/guard_hook.h"
#include "shell/host/guard_line.h"
#include "shell/host/guard_setup.h"
#include "shell/host/input.h"
#include "shell/host/report.h"
#include "shell/host/tool_setup.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

std::string ReviewsOf(const GuardOptions& options) {
  return options.approvals.empty() ? ReviewsPath() : options.approvals;
}

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

int NoPolicy() {
  Complain("guard", "expected a policy", "--policy FILE");
  return kExitInvalid;
}

int Decide(const GuardCommandOptions& options) {
  if (options.guard.policy.empty()) return NoPolicy();
  StandaloneGuard guard;
  if (const ExitCode code = ReadStandaloneGuard(options, guard); code != kExitOk) return code;
  const Input input = ReadStandardInput();
  if (!input.error.empty()) {
    Complain("standard input", input.error);
    return kExitFile;
  }
  JsonLines earlier;
  if (!options.history.empty()) {
    earlier = ReadJsonLines(options.history);
    if (!earlier.error.empty()) {
      Complain(options.history, earlier.error);
      return kExitFile;
    }
  }
  const std::string run =
      fmt::format("guard-{}", std::chrono::system_clock::now().time_since_epoch().count());
  Worst worst;
  std::size_t step = 0;
  for (std::size_t begin = 0; begin < input.text.size();) {
    const std::size_t end = std::min(input.text.find('\n', begin), input.text.size());
    const std::string_view text = std::string_view(input.text).substr(begin, end - begin);
    begin = end + 1;
    if (text.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const Moment now = guard.Now();
    const JsonText parsed = ParseJson(text);
    Sourced<GuardLine> line{std::nullopt, parsed.error};
    if (parsed.error.empty()) line = ReadGuardLine(parsed.json, guard.config, now);
    if (!line.value) {  // no decision, so the call must not proceed
      std::cout << Dump({{"schema", "rpl.decision/1"},
                         {"effect", "block"},
                         {"enforced", true},
                         {"error", line.why}})
                << '\n';
      worst.Add(kExitInvalid);
      continue;
    }
    History history;
    ReadHistory(earlier.objects, "", guard.guard->agent().slug, false, history);
    for (const auto& [past, this_run] : line.value->history) history.Add(past, this_run);
    const Moment at = line.value->now.value_or(now);
    if (line.value->call.phase == CallPhase::kAfter) guard.EndReviews(line.value->call, at);
    LineSources sources(*line.value, guard.config, guard.reviews, guard.run, run, at);
    const Decision decision = guard.guard->Decide(line.value->call, history, sources, at);
    const std::optional<EndUser>& user = line.value->call.user;
    AuditRun audit(run, user ? user->id : std::nullopt);
    if (!guard.Audit(audit.Decided(step++, decision, line.value->call, 0, at))) return kExitInvalid;
    ordered_json shown = DecisionJson(decision, line.value->call);
    shown["results"] = ordered_json::array();
    for (const CheckResult& result : ResultsOf(decision, line.value->call, *guard.guard))
      shown["results"].push_back(ResultJson(result));
    std::cout << Dump(shown) << std::endl;
    worst.Add(ExitOf(decision));
  }
  return worst.code();
}

int CheckPolicy(const GuardCommandOptions& options) {
  const PolicyFile file = ReadPolicyFile(options.file);
  if (!file.policy) return file.code;
  const std::size_t rules = file.policy->rules.size();
  std::cerr << fmt::format("{}: {} rule{}\n", PrintableLine(options.file), rules,
                           rules == 1 ? "" : "s");
  std::vector<std::string> counting;
  for (const GuardRule& rule : file.policy->rules)
    if (ReadsHistory(rule.condition)) counting.push_back("`" + PrintableLine(rule.name) + "`");
  if (!counting.empty())
    std::cerr << "note: a hook needs --audit FILE, for earlier calls matter to "
              << FirstOf(counting, 3, [](const std::string& name) { return name; }) << '\n';
  return kExitOk;
}

int ExplainRule(const GuardCommandOptions& options) {
  if (options.guard.policy.empty()) return NoPolicy();
  PolicyFile file = ReadPolicyFile(options.guard.policy);
  if (!file.policy) return file.code;
  const Guard guard(std::move(*file.policy), {});
  const GuardRule* rule = guard.Find(options.rule);
  if (rule == nullptr) {
    Complain(options.guard.policy, "there is no rule `" + options.rule + "`");
    return kExitInvalid;
  }
  std::cout << Printable(RuleAsRpl(*rule));
  return kExitOk;
}

int Unreadable(const std::string& path, const std::string& error) {
  Complain(path, error);
  return kExitFile;
}

// A request for people. The contents of the call are the agent's, and are shown on one line.
void PrintRequest(const ordered_json& request) {
  const auto text = [&](const char* field) { return PrintableLine(TextAt(request, field)); };
  const auto args = request.find("args");
  const std::string user = text("user").empty() ? "" : " for the user `" + text("user") + "`";
  std::cout << text("id") << "\n    " << text("tool") << ' '
            << PrintableLine(args == request.end() ? "" : Dump(*args)) << "\n    held by `"
            << text("rule") << "`" << user << " since " << text("createdAt") << ": "
            << text("message") << '\n';
}

int Pending(const GuardCommandOptions& options) {
  const std::string path = ReviewsOf(options.guard);
  ReviewLog::All all = ReviewLog(path).Read();
  if (!all.error.empty()) return Unreadable(path, all.error);
  std::size_t count = 0;
  for (KnownReview& known : all.reviews) {
    if (known.review.state != Review::State::kPending) continue;
    ++count;
    if (!options.json) {
      PrintRequest(known.request);
      continue;
    }
    ordered_json shown = {{"schema", "rpl.review/1"}};
    known.request.erase("type");
    shown.update(known.request);
    std::cout << Dump(shown) << '\n';
  }
  if (!options.json)
    std::cerr << (count == 0 ? "nothing waits for a review\n"
                             : "help: `rpl guard approve ID` lets a call pass, `rpl guard deny ID` "
                               "refuses it\n");
  return kExitOk;
}

int AnswerReview(const GuardCommandOptions& options) {
  const std::string path = ReviewsOf(options.guard);
  ReviewLog log(path);
  const ReviewLog::All all = log.Read();
  if (!all.error.empty()) return Unreadable(path, all.error);
  const bool known = std::any_of(all.reviews.begin(), all.reviews.end(), [&](const auto& review) {
    return review.review.id == options.id;
  });
  if (!known) {
    Complain(path, "there is no request `" + options.id + "`", "`rpl guard pending` lists them");
    return kExitInvalid;
  }
  const char* user = std::getenv("USER");
  const bool yes = options.what == GuardCommandOptions::What::kApprove;
  const std::string error = log.Answer(options.id, yes, options.reason, user != nullptr ? user : "",
                                       MomentFor(options.now));
  if (!error.empty()) return Unreadable(path, error);
  std::cerr << (yes ? "approved: " : "denied: ") << PrintableLine(options.id) << '\n';
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
  const bool is_hook = options.what == GuardCommandOptions::What::kHook;
  PolicyFile file = ReadPolicyFile(options.guard.policy, !is_hook || !options.guard.audit.empty());
  if (!file.policy) return file.code;
  std::string folder = ".";
  if (!options.config.empty()) {
    GuardConfigFile config = ReadGuardConfigFile(options.config);
    if (!config.config) return config.code;
    to.config = std::move(*config.config);
    folder = FolderOf(options.config);
  }
  GuardAgent agent = to.config.agent;
  if (!options.guard.agent.empty()) agent.slug = options.guard.agent;
  if (!options.guard.organisation_zone.empty())
    agent.organisation_zone = options.guard.organisation_zone;
  to.guard = std::make_unique<Guard>(std::move(*file.policy), std::move(agent));
  const std::string reviews = ReviewsOf(options.guard);
  if (options.guard.approvals.empty() && !reviews.empty()) {
    std::error_code ignored;
    std::filesystem::create_directories(std::filesystem::path(reviews).parent_path(), ignored);
  }
  to.reviews = ReviewLog(reviews);
  to.audit = options.guard.audit;
  to.audit_required = options.guard.audit_required;
  to.now = options.now;
  // The user who names a configuration here approves its commands.
  to.run = [folder](const GuardCommand& command, const ordered_json& input) {
    return RunGuardCommand(command, folder, input);
  };
  return kExitOk;
}

bool StandaloneGuard::Audit(const ordered_json& event) const {
  if (audit.empty()) return true;
  const std::string error = AppendJsonLine(audit, event);
  if (error.empty()) return true;
  std::cerr << (audit_required ? "rpl: " : "warning: ") << "the audit log `" << PrintableLine(audit)
            << "` cannot be written: " << PrintableLine(error) << '\n';
  return !audit_required;
}

void StandaloneGuard::EndReviews(const GuardCall& call, Moment at) {
  const std::string error = reviews.Made(guard->ReviewsBefore(call), at);
  if (!error.empty())
    std::cerr << "warning: the reviews cannot be kept: " << PrintableLine(error) << '\n';
}

int CommandGuard(const GuardCommandOptions& options) {
  using What = GuardCommandOptions::What;
  switch (options.what) {
    case What::kDecide: return Decide(options);
    case What::kCheck: return CheckPolicy(options);
    case What::kExplain: return ExplainRule(options);
    case What::kPending: return Pending(options);
    case What::kApprove:
    case What::kDeny: return AnswerReview(options);
    case What::kHook: return GuardHook(options);
  }
  return kExitBug;
}

}  // namespace rpl
