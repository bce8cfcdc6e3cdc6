// SPDX-License-Identifier: Apache-2.0
//
// The parser of shell text as callers see it, so that tests and resident processes can supply
// another.
#ifndef RPL_CHECKS_CALLS_SHELL_READER_H_
#define RPL_CHECKS_CALLS_SHELL_READER_H_

#include <string>
#include <string_view>

namespace rpl {

/// A text as a syntax tree, or why there is none.
struct ShellTree {
  std::string json;  // as `shfmt --to-json -ln bash`, version 3.6, prints it
  std::string why;   // for people, with the remedy; "" if there is a tree
};

class ShellReader {
 public:
  virtual ~ShellReader() = default;
  /// Parses a text of bash. Does not throw.
  virtual ShellTree Read(std::string_view text) = 0;
};

}  // namespace rpl

#endif  // RPL_CHECKS_CALLS_SHELL_READER_H_
