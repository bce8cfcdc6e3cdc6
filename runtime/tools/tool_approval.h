// SPDX-License-Identifier: Apache-2.0
//
// Which commands their user has approved: a project cannot approve itself.
//
// A command is known by a hash over all that decides what runs: its words, its folder, the
// names of the environment variables it gets, and the content of those of its words that
// are files of the project. A change of any asks for approval again.
//
// Approvals are remembered in a file, one a line: the hash, then a comment for people. The
// file is its user's alone (mode 0600) and replaced as a whole.
#ifndef RPL_RUNTIME_TOOLS_TOOL_APPROVAL_H_
#define RPL_RUNTIME_TOOLS_TOOL_APPROVAL_H_

#include <set>
#include <string>

#include "runtime/tools/tool_config.h"

namespace rpl {

/// 64 hexadecimal digits. Reads the files of the project that the command names.
std::string CommandHash(const ToolCommand& command);

class Approvals {
 public:
  /// Reads the file, which need not exist. With an empty path nothing is remembered.
  explicit Approvals(std::string path);

  bool Has(const std::string& hash) const { return known_.contains(hash); }

  /// Remembers a hash, here and in the file; `comment` becomes one line. Returns why the
  /// file could not be written, or "".
  [[nodiscard]] std::string Add(const std::string& hash, const std::string& comment);

 private:
  std::string path_;
  std::set<std::string> known_;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_TOOLS_TOOL_APPROVAL_H_
