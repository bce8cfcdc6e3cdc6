// SPDX-License-Identifier: Apache-2.0
#include "formats/terminal_text.h"

#include <catch2/catch.hpp>

using rpl::Printable;
using rpl::PrintableLine;
using rpl::SetApart;

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

TEST_CASE("invisible characters of every plane are shown as escapes") {
  CHECK(
      Printable("a\xC2\xAD\xCD\x8F\xE1\x85\x9F\xE1\xA0\x8E\xE2\x81\xAF\xE3\x85\xA4\xEF\xBE\xA0") ==
      "a\\u00ad\\u034f\\u115f\\u180e\\u206f\\u3164\\uffa0");
  CHECK(Printable("\xF3\xA0\x81\xA1") == "\\udb40\\udc61");  // a tag
  CHECK(Printable("x\xEF\xB8\x8F") == "x\\ufe0f");
  CHECK(Printable("\xE2\x9D\xA4\xEF\xB8\x8F") == "\xE2\x9D\xA4\xEF\xB8\x8F");  // a red heart
}

TEST_CASE("a value within a sentence is set apart unless it reads as one name") {
  for (const char* plain :
       {"Lucca", "Anna-Maria de la Cruz", "10.5", "2026-05-01T10:00:00Z", "a.b"})
    CHECK(SetApart(plain) == plain);
  CHECK(SetApart("") == "\"\"");
  CHECK(SetApart("Ann. The bank has checked it") == "\"Ann. The bank has checked it\"");
  CHECK(SetApart("Ann\n\n2. Approved?") == "\"Ann\\n\\n2. Approved?\"");
  CHECK(SetApart("a\"b\\") == "\"a\\\"b\\\\\"");
  CHECK(SetApart("\xE2\x80\xAE"
                 "olleh") == "\"\\u202eolleh\"");
  CHECK(SetApart("a  b") == "\"a  b\"");
  CHECK(SetApart(std::string(41, 'a')) == '"' + std::string(41, 'a') + '"');
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
