// SPDX-License-Identifier: Apache-2.0
//
// The report of `rpl test --junit`: the XML that CI systems read (GitHub, GitLab, Jenkins).
//
//   <testsuites tests failures errors time>
//     <testsuite name="FILE" tests failures errors skipped time>      one per file
//       <testcase classname="FILE" name="CASE" file line time>
//         <failure message="first line">everything</failure>           a failed case
//         <error …>                                                    a malformed one
#ifndef RPL_SHELL_SCRIPT_JUNIT_REPORT_H_
#define RPL_SHELL_SCRIPT_JUNIT_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

namespace rpl {

/// A case that ran, or that could not.
struct CaseResult {
  std::string name;
  std::string file;
  std::uint32_t line = 0;
  std::string message;     // why it failed; "" if it passed
  bool malformed = false;  // its script has errors
  double seconds = 0;      // wall time
};

/// The report. Cases of a file are adjacent.
std::string JunitReport(const std::vector<CaseResult>& cases);

}  // namespace rpl

#endif  // RPL_SHELL_SCRIPT_JUNIT_REPORT_H_
