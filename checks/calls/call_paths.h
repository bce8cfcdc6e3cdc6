// SPDX-License-Identifier: Apache-2.0
//
// Paths of a call: where a relative path leads, and how rows name files.
#ifndef RPL_CHECKS_CALLS_CALL_PATHS_H_
#define RPL_CHECKS_CALLS_CALL_PATHS_H_

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "checks/calls/shell_word.h"

namespace rpl {

/// The place in which a call is made. All three are absolute paths; a folder that is empty or not
/// absolute is unknown.
struct CallPlace {
  std::string project;
  std::string folder;  // the working folder of the call
  std::string home;
  /// Whether an earlier call of the run may have written the file of that name, as rows name it;
  /// null: that is not known.
  std::function<bool(const std::string& name)> written = nullptr;
};

/// The folders in which a command may run; one if it is certain, none if any.
using Folders = std::vector<std::string>;
inline const Folders kAnyFolder;

/// Either of two sets of folders. More than four are any.
Folders UnionOf(const Folders& a, const Folders& b);

class CallPaths {
 public:
  explicit CallPaths(const CallPlace& place);

  /// The folder of the call.
  const Folders& folder() const { return folder_; }
  const std::string& home() const { return home_; }

  /// Whether the folders are the project's, for certain.
  bool IsProject(const Folders& folders) const;

  bool has_history() const { return written_ != nullptr; }
  bool MayBeWritten(const std::string& name) const { return written_(name); }

  /// The absolute paths, not resolved, that a word stands for; none if they are not known.
  std::vector<std::string> PathsOf(const ShellWord& word, const Folders& folders) const;

  /// How rows name a file, from an absolute path: links and `..` resolved, relative to the
  /// project. "" if the path leads through folders of /proc or of descriptors, which are those of
  /// another process.
  std::string NameOf(const std::string& path) const;

  /// The literal start of what a pattern matches within its folder; "" if links there lead
  /// elsewhere.
  std::string PatternStart(const std::string& path) const;

  /// The folders after `cd` to a path: links as `cd` follows them, and as `cd -P` does.
  Folders FoldersAt(const std::vector<std::string>& paths) const;

 private:
  std::string project_;  // resolved
  Folders folder_;
  std::string home_;
  std::function<bool(const std::string& name)> written_;
};

/// Whether a path is a device whose writing changes no file: /dev/null, the terminal, descriptors.
bool IsStreamDevice(std::string_view path);

}  // namespace rpl

#endif  // RPL_CHECKS_CALLS_CALL_PATHS_H_
