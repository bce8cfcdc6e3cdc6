// SPDX-License-Identifier: Apache-2.0
#include "formats/decimal.h"

#include <catch2/catch.hpp>
#include <vector>

namespace rpl {
namespace {

TEST_CASE("numbers are compared by their digits") {
  // The numbers of a line are equal, and less than those of the lines below.
  const std::vector<std::vector<std::string>> ascending = {
      {"-1e999999999999999999", "-2e9999999999999999999"},
      {"-9007199254740993"},
      {"-9007199254740992", "-9007199254740992.000"},
      {"-10", "-1e1", "-1E+1", "-0.1e2"},
      {"-9.5"},
      {"-0.001", "-1e-3"},
      {"0", "-0", "+0", "0.0", ".0", "0e5", "-0.000e-9"},
      {"1e-999999999999999999"},
      {"0.1", ".1", "00.10", "1e-1"},
      {"0.10000000000000000000000001"},
      {"5", "5.", "+5", "005", "0.5e1"},
      {"10", "1e1"},
      {"9007199254740992"},
      {"9007199254740993"},
      {"123456789012345678901234567890"},
  };
  for (std::size_t i = 0; i < ascending.size(); ++i)
    for (const std::string& text : ascending[i])
      for (std::size_t j = 0; j < ascending.size(); ++j)
        for (const std::string& other : ascending[j]) {
          INFO(text << " " << other);
          if (i == 0 && j == 0) continue;  // beyond the largest exponent
          CHECK((*ReadDecimal(text) <=> *ReadDecimal(other)) == (i <=> j));
          CHECK((*ReadDecimal(text) == *ReadDecimal(other)) == (i == j));
        }
}

TEST_CASE("what is no number") {
  for (const std::string text : {"", " 1", "1 ", "42px", "0x1F", "inf", "nan", "1e", "e5", ".", "-",
                                 "1.2.3", "--1", "1_000", "true", "\xD9\xA1"})
    CHECK_FALSE(ReadDecimal(text));
}

}  // namespace
}  // namespace rpl
