// SPDX-License-Identifier: Apache-2.0
//
// A table as text, for people.
//
//    ?from    | ?km
//   ----------+-----
//    "Lucca"  |  23
//    "Pisa…   |   4
//
// Numbers stand at the right of their column. A table that is too wide has its widest
// columns cut, each cell with `…`; when even that does not do, each row becomes lines
// `?from = "Lucca"`, parted by empty lines.
#ifndef RPL_SHELL_HOST_TABLE_H_
#define RPL_SHELL_HOST_TABLE_H_

#include <cstddef>
#include <string>
#include <vector>

namespace rpl {

struct TableCell {
  std::string text;  // one line, no control characters
  bool number = false;
};

/// Lines with their line ends, at most `width` columns wide where that is possible. Each row
/// has as many cells as there are columns. `header_on` and `header_off` stand around the header
/// line: marks of bold text.
std::string TableText(const std::vector<std::string>& columns,
                      const std::vector<std::vector<TableCell>>& rows, std::size_t width,
                      const std::string& header_on = "", const std::string& header_off = "");

}  // namespace rpl

#endif  // RPL_SHELL_HOST_TABLE_H_
