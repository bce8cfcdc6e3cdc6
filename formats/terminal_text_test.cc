// SPDX-License-Identifier: Apache-2.0
#include "formats/terminal_text.h"

#include <catch2/catch.hpp>

using rpl::Printable;
using rpl::PrintableLine;

TEST_CASE("text cannot drive a terminal") {
  CHECK(Printable("red \x1b[31m, bell \x07, erased\x7f, back\r") ==
        "red \\u001b[31m, bell \\u0007, erased\\u007f, back\\r");
  CHECK(Printable("\xC2\x9B"
                  "31m \xC2\xA0") == "\\u009b31m \xC2\xA0");
  CHECK(Printable("a\nb\tc") == "a\nb\tc");
  CHECK(PrintableLine("a\nb\tc") == "a\\nb c");
}

TEST_CASE("text cannot be reordered or hidden") {
  CHECK(Printable("\xE2\x80\xAA|\xE2\x80\xAE|\xE2\x81\xA6|\xE2\x81\xA9|\xE2\x80\x8E|\xE2\x80\x8F|"
                  "\xD8\x9C") == "\\u202a|\\u202e|\\u2066|\\u2069|\\u200e|\\u200f|\\u061c");
  CHECK(Printable("p\xE2\x80\x8B\xEF\xBB\xBF(1)") == "p\\u200b\\ufeff(1)");
}

TEST_CASE("joiners are shown where scripts use them, and told where they hide") {
  const std::string family = "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7";
  CHECK(Printable(family) == family);
  CHECK(Printable("pay\xE2\x80\x8Dpal") == "pay\\u200dpal");
}

TEST_CASE("bytes that are not UTF-8 are shown as bytes") {
  CHECK(Printable("a\xff\xC0\x80\xE2\x80") == "a\\xff\\xc0\\x80\\xe2\\x80");
  CHECK(Printable("\xED\xA0\x80") == "\\xed\\xa0\\x80");
}
