// SPDX-License-Identifier: Apache-2.0
#include "shell/script/junit_report.h"

#include <catch2/catch.hpp>

#include "shell/script/markup.h"

namespace rpl {
namespace {

TEST_CASE("a report has a suite for each file and a case for each heading") {
  CHECK(JunitReport({{"One", "a.md", 3, "", false, 0.25},
                     {"Two & <three>", "a.md", 9, "line 11: got\n  | \"x\"\n", false, 0.5},
                     {"Four", "b.md", 1, "line 2: no directive\n", true, 0}}) ==
        R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="rpl test" tests="3" failures="1" errors="1" time="0.750">
  <testsuite name="a.md" tests="2" failures="1" errors="0" skipped="0" time="0.750">
    <testcase classname="a.md" name="One" file="a.md" line="3" time="0.250"/>
    <testcase classname="a.md" name="Two &amp; &lt;three&gt;" file="a.md" line="9" time="0.500">
      <failure message="line 11: got">line 11: got
  | &quot;x&quot;
</failure>
    </testcase>
  </testsuite>
  <testsuite name="b.md" tests="1" failures="0" errors="1" skipped="0" time="0.000">
    <testcase classname="b.md" name="Four" file="b.md" line="1" time="0.000">
      <error message="line 2: no directive">line 2: no directive
</error>
    </testcase>
  </testsuite>
</testsuites>
)");
  CHECK(JunitReport({}) ==
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"rpl test\" tests=\"0\" "
        "failures=\"0\" errors=\"0\" time=\"0.000\">\n</testsuites>\n");
}

TEST_CASE("markup has no character that XML lacks") {
  CHECK(MarkupText("a\tb\nc\r'\"&") == "a\tb\nc&#13;&#39;&quot;&amp;");
  CHECK(MarkupText("\x1b[1m \xff ü\xC3") == "\xEF\xBF\xBD[1m \xEF\xBF\xBD ü\xEF\xBF\xBD");
  CHECK(MarkupText("\xEF\xBF\xBE.\xEF\xBF\xBF") == "\xEF\xBF\xBD.\xEF\xBF\xBD");
  CHECK(MarkupText(std::string("a\0b", 3)) ==
        "a\xEF\xBF\xBD"
        "b");
}

}  // namespace
}  // namespace rpl
