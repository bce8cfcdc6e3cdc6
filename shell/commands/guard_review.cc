// SPDX-License-Identifier: Apache-2.0
#include "shell/commands/guard_review.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <optional>
#include <string>

#include "checks/guard/audit.h"
#include "checks/guard/audit_log.h"
#include "checks/guard/guard_store.h"
#include "checks/guard/review_secret.h"
#include "formats/json_fields.h"
#include "formats/json_text.h"
#include "formats/terminal_text.h"
#include "shell/commands/guard_hook.h"
#include "shell/host/controlling_terminal.h"
#include "shell/host/guard_setup.h"
#include "shell/host/input.h"
#include "shell/host/report.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

int Unreadable(const std::string& path, const std::string& error) {
  Complain(path, error);
  return kExitFile;
}

// A request for people. The contents of the call are the agent's, and are shown on one line.
std::string RequestText(const ordered_json& request) {
  const auto text = [&](const char* field) { return PrintableLine(TextAt(request, field)); };
  const auto args = request.find("args");
  const std::string user = text("user").empty() ? "" : " for the user `" + text("user") + "`";
  return fmt::format("{}\n    {} {}\n    held by `{}`{} since {}: {}\n", text("id"), text("tool"),
                     PrintableLine(args == request.end() ? "" : Dump(*args)), text("rule"), user,
                     text("createdAt"), text("message"));
}

// Who runs this program: the account, and where they are.
std::string Reviewer(const std::string& where) {
  const passwd* account = getpwuid(getuid());
  const std::string name = account != nullptr ? account->pw_name : fmt::format("{}", getuid());
  return name + ", " + where;
}

// The secret in a file: its first line.
std::optional<std::string> SecretIn(const std::string& path) {
  Input input = ReadFile(path);
  if (!input.error.empty()) {
    Complain(path, input.error);
    return std::nullopt;
  }
  input.text.resize(std::min(input.text.size(), input.text.find_first_of("\r\n")));
  return input.text;
}

// The store and the request that an id names.
struct Named {
  std::string store;
  ordered_json request;
};

std::optional<Named> FindRequest(const GuardCommandOptions& options, ExitCode& code) {
  std::string where = options.guard.store;
  for (const std::string& path : StorePaths(options.guard)) {
    if (where.empty()) where = path;
    Sourced<std::vector<KnownReview>> all = GuardStore(path).Reviews();
    if (!all.value) {
      Complain(path, all.why);
      code = kExitFile;
      return std::nullopt;
    }
    for (KnownReview& known : *all.value)
      if (TextAt(known.request, "id") == options.id) return Named{path, std::move(known.request)};
  }
  Complain(where.empty() ? "guard" : where, "there is no request `" + options.id + "`",
           "`rpl guard pending` lists them");
  code = kExitInvalid;
  return std::nullopt;
}

// Who answers the request; nullopt, after a message, if that is nobody who may.
std::optional<std::string> Confirm(const GuardCommandOptions& options, const Named& named) {
  std::string error;
  const ReviewSecret secret(named.store, error);
  if (!error.empty()) {
    Complain(named.store, error);
    return std::nullopt;
  }
  const bool approves = options.what == GuardCommandOptions::What::kApprove;
  const std::string what = approves ? "approve" : "deny";
  std::optional<std::string> given;
  if (!options.secret_file.empty()) {
    given = SecretIn(options.secret_file);
    if (!given) return std::nullopt;
    if (secret.Is(*given)) return Reviewer("by the secret of the store");
    Complain(options.secret_file,
             secret.IsSet() ? "this is not the secret of the store" : "the store has no secret");
    return std::nullopt;
  }
  ControllingTerminal terminal;
  if (!terminal.IsOpen()) {
    Complain("guard " + what, "a review is answered by a person, and there is no terminal",
             secret.IsSet() ? "at a terminal, or with --secret-file FILE"
                            : "at a terminal; `rpl guard secret` sets a secret for other places");
    return std::nullopt;
  }
  const std::string shown = RequestText(named.request);
  given = secret.IsSet()
              ? terminal.Ask(fmt::format("{}The secret, to {} this: ", shown, what), true)
              : terminal.Ask(fmt::format("{}Type `{}` to {} this: ", shown, what, what), false);
  if (given && (secret.IsSet() ? secret.Is(*given) : *given == what)) {
    const std::string name = terminal.Name();
    return Reviewer("at " + (name.empty() ? "a terminal" : name));
  }
  Complain("guard " + what, given && secret.IsSet() ? "this is not the secret of the store"
                                                    : "nothing was confirmed");
  return std::nullopt;
}

}  // namespace

int ListReviews(const GuardCommandOptions& options) {
  std::size_t count = 0;
  for (const std::string& path : StorePaths(options.guard)) {
    Sourced<std::vector<KnownReview>> all = GuardStore(path).Reviews();
    if (!all.value) return Unreadable(path, all.why);
    for (KnownReview& known : *all.value) {
      if (known.review.state != Review::State::kPending) continue;
      ++count;
      if (!options.json) {
        std::cout << RequestText(known.request);
        continue;
      }
      ordered_json shown = {{"schema", "rpl.review/1"}};
      shown.update(known.request);
      std::cout << Dump(shown) << '\n';
    }
  }
  if (!options.json)
    std::cerr << (count == 0 ? "nothing waits for a review\n"
                             : fmt::format("help: `rpl guard approve ID{0}` lets a call pass, `rpl "
                                           "guard deny ID{0}` refuses it\n",
                                           StoreOption(options.guard)));
  return kExitOk;
}

int AnswerReview(const GuardCommandOptions& options) {
  ExitCode code = kExitOk;
  const std::optional<Named> named = FindRequest(options, code);
  if (!named) return code;
  const std::optional<std::string> by = Confirm(options, *named);
  if (!by) return kExitInvalid;
  ReviewAnswer answer;
  answer.approved = options.what == GuardCommandOptions::What::kApprove;
  answer.reason = options.reason;
  answer.by = *by;
  answer.at = MomentFor(options.now);
  answer.expires = answer.at + options.hours * 3600 * kSecond;
  answer.calls = options.calls;
  if (const std::string log = TextAt(named->request, "audit"); !log.empty()) {
    const std::string user = TextAt(named->request, "user");
    AuditRun audit(TextAt(named->request, "executionId"),
                   user.empty() ? std::nullopt : std::optional(user));
    if (const std::string why = AppendEvents(log, {audit.Reviewed(named->request, answer)});
        !why.empty())
      return Unreadable(log, "the audit log cannot be written: " + why);
  }
  if (const std::string why = GuardStore(named->store).Answer(options.id, answer); !why.empty())
    return Unreadable(named->store, why);
  std::cerr << (answer.approved ? "approved: " : "denied: ") << PrintableLine(options.id) << '\n';
  return kExitOk;
}

int SetReviewSecret(const GuardCommandOptions& options) {
  const std::string path = StorePath(options.guard, options.guard.agent);
  const bool is_new = !std::filesystem::exists(path);
  ControllingTerminal terminal;
  if (!is_new && !terminal.IsOpen()) {
    Complain(path, "there is such a store, and there is no terminal",
             "the secret of a store is set before its first use, or at a terminal");
    return kExitInvalid;
  }
  std::string error;
  ReviewSecret secret(path, error);
  if (!error.empty()) return Unreadable(path, error);
  if (secret.IsSet()) {
    const std::optional<std::string> old = terminal.Ask("The present secret: ", true);
    if (!old || !secret.Is(*old)) {
      Complain(path, "this is not the secret of the store");
      return kExitInvalid;
    }
  }
  std::optional<std::string> chosen;
  if (!options.secret_file.empty()) chosen = SecretIn(options.secret_file);
  else {
    chosen = terminal.Ask("A secret for reviews: ", true);
    if (chosen && terminal.Ask("The same again: ", true) != chosen) {
      Complain(path, "the two are not the same");
      return kExitInvalid;
    }
  }
  const std::string why = chosen ? secret.Set(*chosen) : "there is no secret";
  if (!why.empty()) {
    Complain(path, why, terminal.IsOpen() ? "" : "--secret-file FILE");
    return kExitInvalid;
  }
  std::cerr << "the secret is set: " << PrintableLine(path) << '\n';
  return kExitOk;
}

}  // namespace rpl
