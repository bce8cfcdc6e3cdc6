// SPDX-License-Identifier: Apache-2.0
#include "shell/commands/by_person.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "checks/guard/review_secret.h"
#include "shell/program/program_files.h"
#include "shell/terminal/controlling_terminal.h"
#include "shell/terminal/input.h"

namespace rpl {
namespace {

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

}  // namespace

std::optional<std::string> ConfirmedBy(const ByPerson& act) {
  std::string error;
  std::optional<ReviewSecret> secret;  // nullopt: there is no store, and none is made
  if (IsThere(act.store)) secret.emplace(act.store, error);
  if (!error.empty()) {
    Complain(act.store, error);
    return std::nullopt;
  }
  const bool is_set = secret && secret->IsSet();
  std::optional<std::string> given;
  if (!act.secret_file.empty()) {
    given = SecretIn(act.secret_file);
    if (!given) return std::nullopt;
    if (is_set && secret->Is(*given)) return Reviewer("by the secret of the store");
    Complain(act.secret_file,
             is_set ? "this is not the secret of the store" : "the store has no secret");
    return std::nullopt;
  }
  ControllingTerminal terminal;
  if (!terminal.IsOpen()) {
    Complain(act.command, "a person does this, and there is no terminal",
             is_set ? "at a terminal, or with --secret-file FILE"
                    : "at a terminal; `rpl guard secret` sets a secret for other places");
    return std::nullopt;
  }
  given = is_set
              ? terminal.Ask(fmt::format("{}The secret, to {} this: ", act.shown, act.word), true)
              : terminal.Ask(fmt::format("{}Type `{}` to do it: ", act.shown, act.word), false);
  if (given && (is_set ? secret->Is(*given) : *given == act.word)) {
    const std::string name = terminal.Name();
    return Reviewer("at " + (name.empty() ? "a terminal" : name));
  }
  Complain(act.command,
           given && is_set ? "this is not the secret of the store" : "nothing was confirmed");
  return std::nullopt;
}

ExitCode SetSecretOf(const std::string& store, const std::string& secret_file) {
  const bool is_new = !IsThere(store);
  ControllingTerminal terminal;
  if (!is_new && !terminal.IsOpen()) {
    Complain(store, "there is such a store, and there is no terminal",
             "the secret of a store is set before its first use, or at a terminal");
    return kExitInvalid;
  }
  std::string error;
  ReviewSecret secret(store, error);
  if (!error.empty()) {
    Complain(store, error);
    return kExitFile;
  }
  if (secret.IsSet()) {
    const std::optional<std::string> old = terminal.Ask("The present secret: ", true);
    if (!old || !secret.Is(*old)) {
      Complain(store, "this is not the secret of the store");
      return kExitInvalid;
    }
  }
  std::optional<std::string> chosen;
  if (!secret_file.empty()) chosen = SecretIn(secret_file);
  else {
    chosen = terminal.Ask("A secret: ", true);
    if (chosen && terminal.Ask("The same again: ", true) != chosen) {
      Complain(store, "the two are not the same");
      return kExitInvalid;
    }
  }
  const std::string why = chosen ? secret.Set(*chosen) : "there is no secret";
  if (!why.empty()) {
    Complain(store, why, terminal.IsOpen() ? "" : "--secret-file FILE");
    return kExitInvalid;
  }
  std::cerr << "the secret is set: " << PrintableLine(store) << '\n';
  return kExitOk;
}

}  // namespace rpl
