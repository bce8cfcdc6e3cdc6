// SPDX-License-Identifier: Apache-2.0
//
// The programs of the spec tests, for tests of all text that there is.
#ifndef RPL_GRAMMAR_TESTING_PROGRAMS_H_
#define RPL_GRAMMAR_TESTING_PROGRAMS_H_

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace rpl::testing {

inline std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The bodies of the directives of all `rpl-test` fences.
inline std::vector<std::string> ProgramsIn(const std::string& text) {
  std::vector<std::string> programs;
  std::istringstream lines(text);
  std::string line;
  std::string fence;
  while (std::getline(lines, line)) {
    const std::size_t marks = std::min(line.find_first_not_of('`'), line.size());
    if (fence.empty() && marks >= 3 && line.substr(marks) == "rpl-test") {
      fence = line.substr(0, marks);
      programs.emplace_back();
    } else if (line == fence) {
      fence.clear();
    } else if (!fence.empty() && line.find(':') != line.npos && line[0] >= 'A' && line[0] <= 'Z') {
      programs.emplace_back();
    } else if (!fence.empty()) {
      programs.back() += line + '\n';
    }
  }
  return programs;
}

}  // namespace rpl::testing

#endif  // RPL_GRAMMAR_TESTING_PROGRAMS_H_
