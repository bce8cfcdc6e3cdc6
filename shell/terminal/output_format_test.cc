// SPDX-License-Identifier: Apache-2.0
#include "shell/terminal/output_format.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace rpl {
namespace {

std::string FormatIn(std::vector<const char*> words) {
  words.insert(words.begin(), "rpl");
  const OutputFormat* const format = DataFormatOf(static_cast<int>(words.size()), words.data());
  return format == nullptr ? "" : format->name;
}

TEST_CASE("the first format is text, and each other one writes whole lines") {
  CHECK(kOutputFormats[0].IsText());
  for (const OutputFormat& format : kOutputFormats) {
    CHECK(format.answers().text == format.IsText());
    CHECK(format.answers().json == !format.IsText());
    if (format.IsText()) continue;
    std::ostringstream out;
    format.write(out, {{"schema", "rpl.reply/1"}, {"reason", "a\nb \x1b[1m"}});
    CHECK(out.str().ends_with('\n'));
    CHECK(out.str().find('\x1b') == std::string::npos);
  }
}

TEST_CASE("JSON is one line") {
  std::ostringstream out;
  WriteJson(out, {{"reason", "a\nb"}});
  CHECK(out.str() == "{\"reason\":\"a\\nb\"}\n");
}

TEST_CASE("the format of data that a command line names") {
  CHECK(FormatIn({"run", "--format", "json", "a.md"}) == "json");
  CHECK(FormatIn({"run", "a.md", "--format=json"}) == "json");
  CHECK(FormatIn({"run", "--format", "text", "--format", "json"}) == "json");
  CHECK(FormatIn({"run", "a.md"}).empty());
  CHECK(FormatIn({"run", "--format", "text"}).empty());
  CHECK(FormatIn({"run", "--format"}).empty());
  CHECK(FormatIn({"run", "--formats", "json"}).empty());
  CHECK(FormatIn({"run", "--format=", "json"}).empty());
  CHECK(FormatIn({"run", "--", "--format", "json"}).empty());
}

}  // namespace
}  // namespace rpl
