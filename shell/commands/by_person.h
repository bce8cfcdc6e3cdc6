// SPDX-License-Identifier: Apache-2.0
//
// Confirmation by a person: at a terminal, where they type a word or the secret that was set, or
// elsewhere with a file that holds the secret. A secret belongs to a store of the guard.
#ifndef RPL_SHELL_COMMANDS_BY_PERSON_H_
#define RPL_SHELL_COMMANDS_BY_PERSON_H_

#include <optional>
#include <string>

#include "shell/terminal/report.h"

namespace rpl {

struct ByPerson {
  std::string store;        // with the secret
  std::string secret_file;  // --secret-file, or ""
  std::string command;      // as in `guard approve`, for messages
  std::string word;         // to be typed where no secret is set, as in `approve`
  std::string shown;        // what is confirmed: lines
};

/// Who confirms it: the account, and where. nullopt, after a message, if that is nobody who may.
std::optional<std::string> ConfirmedBy(const ByPerson& act);

/// Sets the secret of a store, a new one's at once, another's at a terminal by a person who knows
/// the secret that it replaces: that in the file or, with "", one that is typed.
ExitCode SetSecretOf(const std::string& store, const std::string& secret_file);

}  // namespace rpl

#endif  // RPL_SHELL_COMMANDS_BY_PERSON_H_
