// SPDX-License-Identifier: Apache-2.0
//
// The findings of `rpl check` about one document of the workspace, as the protocol shows them.
//
// A document is a program of its own, with the files that it names and the tools of the `rpl.yaml`
// beside it. An `rpl.yaml` is checked as a configuration. If it has an error, the documents beside
// it show the first one on their first line, and none of their tools counts as undeclared.
#ifndef RPL_SHELL_LSP_PROGRAM_CHECK_H_
#define RPL_SHELL_LSP_PROGRAM_CHECK_H_

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "interp/lint/checker.h"
#include "shell/lsp/project.h"

namespace rpl::lsp {

struct ProgramCheck {
  File file;
  Sources sources;
  std::uint32_t number = 0;  // of the document in `sources`
  std::vector<Finding> findings;
  std::set<std::string> named;  // files that were looked for beside it, `rpl.yaml` included
};

/// Reads and checks a document afresh. About linear in its size.
std::shared_ptr<const ProgramCheck> CheckProgram(Project& project, const File& file);

/// The `Diagnostic` of a finding, with related places: the definitions of the name at its place,
/// and the other places of the variable.
Json DiagnosticJson(Project& project, const ProgramCheck& check, const Finding& finding);

/// The parameters of `textDocument/publishDiagnostics`.
Json PublishJson(Project& project, const ProgramCheck& check);

/// The actions for the findings in a range: each fix, each hint, a suppression of each warning, and
/// all fixes at once.
Json CodeActionsOf(Project& project, const ProgramCheck& check, const Json& params);

/// The file as `rpl check --fix` leaves it.
std::string MendedText(Project& project, const File& file);

/// The edits of a file as a `WorkspaceEdit`.
Json WorkspaceEditOf(const Project& project,
                     const std::vector<std::pair<File, std::vector<Edit>>>& edits);
/// One replacement.
Json TextEditOf(const Project& project, const TextFile& file, const Edit& edit);

}  // namespace rpl::lsp

#endif  // RPL_SHELL_LSP_PROGRAM_CHECK_H_
