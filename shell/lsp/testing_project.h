// SPDX-License-Identifier: Apache-2.0
//
// A project with open documents and no files, for tests.
#ifndef RPL_SHELL_LSP_TESTING_PROJECT_H_
#define RPL_SHELL_LSP_TESTING_PROJECT_H_

#include <string>
#include <vector>

#include "shell/lsp/project.h"

namespace rpl::lsp::testing {

/// Documents in a folder that does not exist.
struct OpenProject {
  Project project;

  static std::string Uri(const std::string& name) { return "file:///nowhere/at/all/" + name; }

  File Open(const std::string& name, std::string text) {
    project.files.Open(Uri(name), 1, std::move(text));
    return project.files.Find(Uri(name));
  }
  File Get(const std::string& name) { return project.files.Find(Uri(name)); }

  /// The parameters of a request about the first `piece` in a document, `skip` bytes behind it.
  Json At(const std::string& name, const std::string& piece, std::size_t skip = 0) {
    const File file = Get(name);
    const auto at = static_cast<std::uint32_t>(file->text.find(piece) + skip);
    return {{"textDocument", {{"uri", Uri(name)}}},
            {"position", PositionJson(file->lines.PositionOf(at, project.client.encoding))}};
  }
};

}  // namespace rpl::lsp::testing

#endif  // RPL_SHELL_LSP_TESTING_PROJECT_H_
