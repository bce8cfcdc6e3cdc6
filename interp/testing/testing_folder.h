// SPDX-License-Identifier: Apache-2.0
//
// A folder for one unit test, below the system's folder for temporary files: its own, empty
// at first, and removed with all that is in it at the end of the test.
#ifndef RPL_INTERP_TESTING_TESTING_FOLDER_H_
#define RPL_INTERP_TESTING_TESTING_FOLDER_H_

#include <cstdlib>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <system_error>

namespace rpl::testing {

class Folder {
 public:
  Folder() : path_((std::filesystem::temp_directory_path() / "rpl-unit-XXXXXX").string()) {
    REQUIRE(mkdtemp(path_.data()) != nullptr);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }

  /// The path of what is named so in it.
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace rpl::testing

#endif  // RPL_INTERP_TESTING_TESTING_FOLDER_H_
