// SPDX-License-Identifier: Apache-2.0
#include "grammar/signature_text.h"

#include <catch2/catch.hpp>
#include <string>

#include "formats/character.h"

namespace rpl {
namespace {

// What a signature may be in a heading with this text.
std::vector<std::string> SignaturesIn(const std::string& heading) {
  std::vector<std::string> out;
  const Span whole{0, 0, static_cast<std::uint32_t>(heading.size())};
  for (const SignatureCandidate& c : SignatureCandidates(whole, heading))
    out.push_back(heading.substr(c.begin));
  return out;
}

TEST_CASE("a signature begins behind a delimiter of a heading, like a call") {
  using Texts = std::vector<std::string>;
  CHECK(SignaturesIn("Trip - trip(?to)") == Texts{"trip(?to)"});
  CHECK(SignaturesIn("Trip-trip(?to)").empty());
  CHECK(SignaturesIn("Before - after").empty());
  CHECK(SignaturesIn("Rest - rest(?n) <- n(?a), ?n = ?a - one(?b)") ==
        Texts{"rest(?n) <- n(?a), ?n = ?a - one(?b)", "one(?b)"});
}

TEST_CASE("a paragraph that begins with a connective continues the heading above it") {
  Sources sources;
  const std::string text = "# Edit - edit(?d)\n\n<- draft(?d)\nText.\n\n# Other\n\nMore.\n";
  const std::uint32_t file = sources.Add("t.md", text);
  const DocumentText document(sources, file, text.size());
  const std::vector<Block> blocks = ReadBlocks(sources, file);
  HeadingContinuations continuations(document, blocks);
  REQUIRE(blocks.size() == 4);
  const std::size_t below = continuations.ContinuationOf(0);
  CHECK(below == text.find("<-"));
  CHECK_FALSE(continuations.IsRightBelow(blocks[0], below));
  CHECK(continuations.ContinuationOf(2) == kNowhere);
  const std::size_t end =
      continuations.ContinuationEnd(text.find("edit("), below, blocks[1].span.end);
  CHECK(text.substr(below, end - below) == "<- draft(?d)");
  CHECK(continuations.TextFor(0).substr(0, 32) == "# Edit - edit(?d)  <- draft(?d)\n");
}

}  // namespace
}  // namespace rpl
