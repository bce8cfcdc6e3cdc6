// SPDX-License-Identifier: Apache-2.0
//
// Fixtures of the tests: a project in a folder of its own, and what rows say of a pattern.
#ifndef RPL_CHECKS_CALLS_CALL_TEST_H_
#define RPL_CHECKS_CALLS_CALL_TEST_H_

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "checks/calls/call_views.h"
#include "checks/calls/shfmt_reader.h"

namespace rpl {

/// A project with `secret/key.txt`, `src/a.c`, and `link`, a link to `secret`.
class TestProject {
 public:
  TestProject() {
    std::string made = (std::filesystem::temp_directory_path() / "rpl-calls-XXXXXX").string();
    folder_ = std::filesystem::canonical(mkdtemp(made.data())).string();
    std::filesystem::create_directories(folder_ + "/secret");
    std::filesystem::create_directories(folder_ + "/src");
    std::ofstream(folder_ + "/secret/key.txt") << "key\n";
    std::ofstream(folder_ + "/src/a.c") << "a\n";
    std::filesystem::create_directory_symlink("secret", folder_ + "/link");
  }
  ~TestProject() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  TestProject(const TestProject&) = delete;
  TestProject& operator=(const TestProject&) = delete;

  const std::string& folder() const { return folder_; }

  CallViews Views(const std::string& tool, nlohmann::ordered_json arguments, bool is_own) {
    return ViewsOf({tool, std::move(arguments), std::nullopt, is_own},
                   {folder_, folder_, folder_ + "/home"}, reader_);
  }
  CallViews Views(const std::string& tool, nlohmann::ordered_json arguments) {
    return Views(tool, std::move(arguments), IsReadTool(tool));
  }
  CallViews Shell(const std::string& command) { return Views("Bash", {{"command", command}}); }

 private:
  std::string folder_;
  ShfmtReader reader_{"", std::getenv("PATH") == nullptr ? "/usr/bin" : std::getenv("PATH")};
};

/// What rows say of a pattern.
enum class Answer { kNo, kOpen, kYes };

/// Whether a program runs with arguments that begin with these words.
inline Answer Runs(const CallViews& views, const std::string& program,
                   const std::vector<std::string>& words) {
  const auto agrees = [&](const std::vector<std::string>& given) {
    const std::size_t count = std::min(given.size(), words.size());
    return std::equal(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(count),
                      words.begin());
  };
  for (const ProgramCall& run : views.runs)
    if (run.program == program && run.arguments.size() >= words.size() && agrees(run.arguments))
      return Answer::kYes;
  for (const OpenRun& run : views.open_runs)
    if ((!run.program || *run.program == program) && agrees(run.words)) return Answer::kOpen;
  return Answer::kNo;
}

/// Whether a path is in closed rows, or agrees with the start of an open one.
inline Answer Reaches(const std::vector<std::string>& closed, const std::vector<std::string>& open,
                      const std::string& path) {
  if (std::find(closed.begin(), closed.end(), path) != closed.end()) return Answer::kYes;
  for (const std::string& start : open)
    if (path.starts_with(start)) return Answer::kOpen;
  return Answer::kNo;
}

}  // namespace rpl

#endif  // RPL_CHECKS_CALLS_CALL_TEST_H_
