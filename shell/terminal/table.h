// SPDX-License-Identifier: Apache-2.0
//
// A table as text, for people.
//
//    ?from    | ?km
//   ----------+-----
//    "Lucca"  |  23
//    "Pisa…   |   4
//
// Columns of numbers are right-aligned. If a table is too wide, its widest columns are narrowed and
// their cells cut with `…`; if that is not enough, each row becomes lines `?from = "Lucca"`,
// separated by empty lines.
#ifndef RPL_SHELL_TERMINAL_TABLE_H_
#define RPL_SHELL_TERMINAL_TABLE_H_

#include <cstddef>
#include <string>
#include <vector>

namespace rpl {

/// A cell.
struct TableCell {
  std::string text;  // one line, no control characters
  bool number = false;
};

/// The lines of the table with their line ends, at most `width` columns wide if possible.
/// `header_on` and `header_off` surround the header line: marks of bold text. REQUIRES: one cell
/// per column in each row.
std::string TableText(const std::vector<std::string>& columns,
                      const std::vector<std::vector<TableCell>>& rows, std::size_t width,
                      const std::string& header_on = "", const std::string& header_off = "");

}  // namespace rpl

#endif  // RPL_SHELL_TERMINAL_TABLE_H_
