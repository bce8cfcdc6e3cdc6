// SPDX-License-Identifier: Apache-2.0
//
// The rules of `.gitignore` files (gitignore(5)): patterns of names and paths, `**`, `!` and
// patterns that end in `/`, for folders alone. The last pattern that fits decides.
#ifndef RPL_FORMATS_IGNORE_RULES_H_
#define RPL_FORMATS_IGNORE_RULES_H_

#include <string>
#include <string_view>
#include <vector>

namespace rpl {

class IgnoreRules {
 public:
  /// Takes the patterns of the `.gitignore` in a folder; those of an outer folder come first.
  void Add(const std::string& folder, std::string_view text);
  /// Whether a path is left out. Whoever walks a tree leaves a folder out with all that is in it.
  bool Ignores(const std::string& path, bool is_folder) const;

 private:
  struct Rule {
    std::string folder;              // with `/` at its end
    std::vector<std::string> parts;  // of the pattern, between `/`
    bool anchored = false;           // from the folder on, else a name anywhere below it
    bool includes = false;           // with `!`
    bool of_folders = false;
  };
  std::vector<Rule> rules_;
};

}  // namespace rpl

#endif  // RPL_FORMATS_IGNORE_RULES_H_
