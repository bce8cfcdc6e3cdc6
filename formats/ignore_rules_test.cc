// SPDX-License-Identifier: Apache-2.0
#include "formats/ignore_rules.h"

#include <catch2/catch.hpp>

namespace rpl {
namespace {

bool Ignores(const std::string& pattern, const std::string& path, bool is_folder = false) {
  IgnoreRules rules;
  rules.Add("/w", pattern);
  return rules.Ignores("/w/" + path, is_folder);
}

TEST_CASE("patterns of .gitignore leave out what git leaves out") {
  CHECK(Ignores("*.md", "a.md"));
  CHECK(Ignores("*.md", "x/y/a.md"));
  CHECK_FALSE(Ignores("*.md", "a.rpl"));
  CHECK(Ignores("a?[bc].md", "x/adb.md"));
  CHECK(Ignores("build/", "x/build", true));
  CHECK_FALSE(Ignores("build/", "build"));
  CHECK(Ignores("/build", "build", true));
  CHECK_FALSE(Ignores("/build", "x/build", true));
  CHECK(Ignores("x/*.md", "x/a.md"));
  CHECK_FALSE(Ignores("x/*.md", "x/y/a.md"));
  CHECK(Ignores("**/gen/*.md", "a/b/gen/c.md"));
  CHECK(Ignores("**/gen/*.md", "gen/c.md"));
  CHECK(Ignores("x/**", "x/y/a.md"));
  CHECK_FALSE(Ignores("x/**", "x", true));
  CHECK(Ignores("x/**/z", "x/z"));
  CHECK(Ignores("x/**/z", "x/a/b/z"));
  CHECK_FALSE(Ignores("# a.md", "a.md"));
  CHECK(Ignores("\\#a", "#a"));
  CHECK(Ignores("a.md  ", "a.md"));
  CHECK_FALSE(Ignores("\n\r\n/\n", "a.md"));
}

TEST_CASE("the last pattern of .gitignore that fits decides, and inner folders come last") {
  CHECK_FALSE(Ignores("*.md\n!a.md\n", "a.md"));
  CHECK(Ignores("!a.md\r\n*.md\r\n", "a.md"));
  IgnoreRules rules;
  rules.Add("/w", "*.md");
  rules.Add("/w/docs", "!*.md\nprivate");
  CHECK(rules.Ignores("/w/a.md", false));
  CHECK_FALSE(rules.Ignores("/w/docs/a.md", false));
  CHECK(rules.Ignores("/w/docs/x/private", true));
  CHECK_FALSE(rules.Ignores("/w/private", true));
}

}  // namespace
}  // namespace rpl
