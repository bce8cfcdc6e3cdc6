// SPDX-License-Identifier: Apache-2.0
//
// `rpl test --update`: new expectations in the text of a test.
//
// Only the body of an expectation, or the text after its colon, is replaced; all other bytes stay.
// Lines get the line end of the directive above them.
#ifndef RPL_SHELL_SCRIPT_SCRIPT_UPDATE_H_
#define RPL_SHELL_SCRIPT_SCRIPT_UPDATE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shell/script/test_script.h"

namespace rpl {

/// What a step should expect.
struct NewExpectation {
  std::uint32_t line = 0;  // of the step's directive
  bool argument = false;   // `lines` has one line, the text after the colon; else they are the body
  std::vector<std::string> lines;
};

/// The text of the test `path` with new expectations of the steps of `test`, its case number
/// `number`. nullopt if the text could not be read back so: a line looks like a directive or ends
/// the fence, or the last line is empty.
std::optional<std::string> WithExpectations(const std::string& path, std::string_view text,
                                            const TestCase& test, std::size_t number,
                                            const std::vector<NewExpectation>& expected);

}  // namespace rpl

#endif  // RPL_SHELL_SCRIPT_SCRIPT_UPDATE_H_
