// SPDX-License-Identifier: Apache-2.0
//
// Pages of the documentation that unit tests run.
#ifndef RPL_INTERP_TESTING_TESTING_PAGE_H_
#define RPL_INTERP_TESTING_TESTING_PAGE_H_

#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <string>

namespace rpl::testing {

/// The contents of the fences of this kind, by the heading of level 3 above them.
inline std::map<std::string, std::string> Examples(const char* path, const std::string& kind) {
  std::ifstream page(path);
  REQUIRE(page);
  std::map<std::string, std::string> examples;
  std::string heading;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("### ")) heading = line.substr(4);
    if (line == "```") inside = false;
    if (inside) examples[heading] += line + "\n";
    if (line == "```" + kind) inside = true;
  }
  return examples;
}

}  // namespace rpl::testing

#endif  // RPL_INTERP_TESTING_TESTING_PAGE_H_
