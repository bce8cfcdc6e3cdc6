// SPDX-License-Identifier: Apache-2.0
//
// The user's approvals of commands: a project cannot approve its own.
//
// A command is identified by a hash of everything that determines what runs: its words, its folder,
// the names of its environment variables, and the contents of those of its words that are files of
// the project. A change of any of these requires a new approval.
//
// Approvals are stored in a file, one a line: the hash, then a comment for people. The file has
// mode 0600 and is always replaced as a whole.
#ifndef RPL_RUNTIME_TOOLS_TOOL_APPROVAL_H_
#define RPL_RUNTIME_TOOLS_TOOL_APPROVAL_H_

#include <set>
#include <string>
#include <vector>

#include "runtime/tools/tool_config.h"

namespace rpl {

/// The hash of a command, 64 hexadecimal digits. Reads the project's files that the command names;
/// an unreadable one counts as such.
std::string CommandHash(const ToolCommand& command);

/// The approved hashes. Not synchronised with other processes: of two concurrent additions to the
/// file one may be lost.
class Approvals {
 public:
  /// Reads the file, which need not exist. With an empty path nothing is stored.
  explicit Approvals(std::string path);

  /// True if the hash is approved.
  bool Has(const std::string& hash) const { return known_.contains(hash); }

  /// Adds a hash, here and in the file; `comment` is reduced to one line. Returns the reason why
  /// the file could not be written, or "".
  [[nodiscard]] std::string Add(const std::string& hash, const std::string& comment);

 private:
  std::string path_;
  std::set<std::string> known_;
};

/// The definitions of tools of servers, as they were first used: a file of lines with the hash of
/// the server and the tool, that of the definition, and a comment. Like Approvals in all else.
class ToolPins {
 public:
  explicit ToolPins(std::string path);

  /// The hash of the definition of the tool, or "".
  std::string Find(const ToolCommand& command) const;
  /// Keeps a hash. Returns the reason why the file could not be written, or "".
  [[nodiscard]] std::string Set(const ToolCommand& command, const std::string& hash);

 private:
  struct Pin {
    std::string tool, definition, comment;
  };
  std::string path_;
  std::vector<Pin> pins_;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_TOOLS_TOOL_APPROVAL_H_
