// SPDX-License-Identifier: Apache-2.0
//
// The coverage of protocols by tests as a page: for each file its figures, the parts that did
// nothing, and its source with the lines of parts marked.
#ifndef RPL_SHELL_PAGES_COVERAGE_PAGE_H_
#define RPL_SHELL_PAGES_COVERAGE_PAGE_H_

#include <cstdint>
#include <string>
#include <vector>

namespace rpl {

/// A rule, heading, branch or constraint of a file.
struct CoveragePart {
  std::uint32_t line;  // from 1
  std::string lacks;   // what it never did, "rule without a result: p(?x) <- …"; "" if covered
};

struct CoverageFile {
  std::string name;
  std::string text;                  // "" if it cannot be read any more
  std::vector<std::string> tallies;  // "rules 3/4"
  double percent;
  std::vector<CoveragePart> parts;  // by line
};

/// `percent`: of all files.
std::string CoveragePage(const std::vector<CoverageFile>& files, double percent);

}  // namespace rpl

#endif  // RPL_SHELL_PAGES_COVERAGE_PAGE_H_
