// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/titles.h"

#include <catch2/catch.hpp>

namespace rpl {
namespace {

TEST_CASE("a place stands under the headings above it, of which deeper ones end") {
  Sources sources;
  const std::string text =
      "before\n# Trip\nx\n## Where - where(?w)\ny\n````\n```\n# no heading\n````\n### Sub\n"
      "## When\n#no heading\nz\n ## To - and from - route(?r)\n\nr(1)\n\n--\n\ns(1)\n\n"
      "## only(?o)\n\n# End\n";
  const std::uint32_t file = sources.Add("p.md", text);
  Titles titles(sources);
  const auto above = [&](const char* at) {
    const auto begin = static_cast<std::uint32_t>(text.find(at));
    std::string out;
    for (const std::string& title : titles.Above({file, begin, begin + 1})) out += "/" + title;
    return out;
  };
  CHECK(above("before") == "");
  CHECK(above("x\n") == "/Trip");
  CHECK(above("## Where") == "/Trip/Where");
  CHECK(above("y\n") == "/Trip/Where");
  CHECK(above("### Sub") == "/Trip/Where/Sub");
  CHECK(above("z\n") == "/Trip/When");
  CHECK(above("r(1)") == "/Trip/To - and from");
  CHECK(above("s(1)") == "/Trip");
  CHECK(above("only") == "/Trip/only(?o)");
  CHECK(above("# End") == "/End");
}

}  // namespace
}  // namespace rpl
