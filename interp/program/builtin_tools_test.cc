// SPDX-License-Identifier: Apache-2.0
//
// The page that has to agree with the table of built-in tools.
#include "interp/program/builtin_tools.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace rpl {
namespace {

TEST_CASE("docs/tools.md has a row for each built-in tool") {
  constexpr std::string_view kRow = "| `$";
  std::vector<std::string> rows, tools;
  std::ifstream page(RPL_TOOLS_PAGE);
  for (std::string line; std::getline(page, line);)
    if (line.starts_with(kRow))
      rows.push_back(line.substr(kRow.size() - 1, line.find("` |") - kRow.size() + 1));
  for (const BuiltinTool& tool : kBuiltinTools) tools.emplace_back(tool.form);
  CHECK(rows == tools);
}

}  // namespace
}  // namespace rpl
