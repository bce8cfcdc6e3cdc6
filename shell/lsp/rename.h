// SPDX-License-Identifier: Apache-2.0
//
// Renaming: the edits that give a name another label everywhere, and the reasons why not.
//
// A relation, goal or tool is renamed in signatures of headings, rules, facts, and in the files
// beside its own that name it (`file.md#rel`); a variable in its group, with the spans of prose,
// the holes of templates and the groups of patterns that name it. A renamed program means the same.
// A rename that could change the meaning is refused with a sentence: to a name that is taken, of
// what is defined outside the workspace, where text that does not parse contains the name, and of a
// variable that a binding pattern (`^^`) reads by name.
#ifndef RPL_SHELL_LSP_RENAME_H_
#define RPL_SHELL_LSP_RENAME_H_

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "grammar/formatter.h"
#include "shell/lsp/project.h"

namespace rpl::lsp {

/// Edits by file, in order and disjoint.
using FileEdits = std::vector<std::pair<File, std::vector<Edit>>>;
/// Why a name cannot be renamed.
struct Refusal {
  std::string reason;
};

/// The edits for the name at `place`.
std::variant<FileEdits, Refusal> Rename(Project& project, const Place& place, std::string to);

/// Why the name cannot be renamed, whatever the new one is; "" if it can.
std::string RefusalOf(Project& project, const Place& place);

}  // namespace rpl::lsp

#endif  // RPL_SHELL_LSP_RENAME_H_
