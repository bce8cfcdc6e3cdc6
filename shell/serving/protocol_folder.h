// SPDX-License-Identifier: Apache-2.0
//
// The protocols that a server offers: the files and folders that it was started with, by name.
//
// A name is a path relative to its folder, with `/`; of a file given by itself, the name of the
// file. With several folders, names begin with that of the folder. A client gives names, never
// paths: only names in the list are found, files whose names begin with a dot and links that lead
// out of a folder are not in it. The folders are read again for each list, so that a new file is a
// new protocol.
//
// Thread safe: it does not change after it was made.
#ifndef RPL_SHELL_SERVING_PROTOCOL_FOLDER_H_
#define RPL_SHELL_SERVING_PROTOCOL_FOLDER_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rpl {

class ProtocolFolder {
 public:
  /// The most protocols that are listed.
  static constexpr std::size_t kMost = 10'000;

  /// A name and the path of its file, absolute and with links resolved.
  struct Protocol {
    std::string name;
    std::string path;
  };

  /// The reason why the paths cannot be served, for people, or "".
  std::string Add(const std::vector<std::string>& paths);

  /// By name.
  std::vector<Protocol> List() const;
  /// The path for a name.
  std::optional<std::string> Find(const std::string& name) const;
  /// The name that is likely meant by one that Find does not know: without its folders or ending,
  /// or misspelt; else "".
  std::string NameLike(const std::string& name) const;
  /// The name for a path, or "".
  std::string NameOf(const std::string& path) const;

 private:
  struct Root {
    std::string path;    // absolute, with links resolved
    std::string prefix;  // of names: "" or "folder/"
    bool file = false;   // `prefix` is its name
  };
  std::vector<Root> roots_;
};

}  // namespace rpl

#endif  // RPL_SHELL_SERVING_PROTOCOL_FOLDER_H_
