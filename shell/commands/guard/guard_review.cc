// SPDX-License-Identifier: Apache-2.0
#include "shell/commands/guard/guard_review.h"

#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <optional>
#include <string>

#include "checks/guard/audit.h"
#include "checks/guard/audit_log.h"
#include "checks/guard/guard_store.h"
#include "formats/data/json_fields.h"
#include "formats/data/json_text.h"
#include "formats/shorten.h"
#include "formats/terminal_text.h"
#include "interp/store/value.h"
#include "shell/commands/by_person.h"
#include "shell/commands/guard/guard_hook.h"
#include "shell/guard/bound_place.h"
#include "shell/program/guard_setup.h"
#include "shell/terminal/input.h"
#include "shell/terminal/report.h"

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
  Complain(where.empty() ? "guard" : where,
           "there is no request `" + Shortened(options.id, kToldBytes) + "`",
           "`rpl guard pending` lists them");
  code = kExitInvalid;
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
      if (options.format->IsText()) {
        std::cout << RequestText(known.request);
        continue;
      }
      ordered_json shown = {{"schema", "rpl.review/1"}};
      shown.update(known.request);
      options.format->write(std::cout, shown);
    }
  }
  if (options.format->IsText())
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
  const std::string word = options.what == GuardCommandOptions::What::kApprove ? "approve" : "deny";
  const std::optional<std::string> by = ConfirmedBy(
      {named->store, options.secret_file, "guard " + word, word, RequestText(named->request)});
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
  if (options.protocol.empty())
    return SetSecretOf(StorePath(options.guard, options.guard.agent), options.secret_file);
  const std::string store =
      SecretStoreOf(FindBoundPlace(options.protocol, options.project, options.sessions));
  MakeFolderOf(store);
  return SetSecretOf(store, options.secret_file);
}

}  // namespace rpl
