// SPDX-License-Identifier: Apache-2.0
#include "grammar/string_pieces.h"

#include <catch2/catch.hpp>

#include "grammar/node_stack.h"

namespace rpl {
namespace {

// A string token that is read, whole.
struct StringRead {
  explicit StringRead(const char* token) : text(token), source(text, 0), pieces(source) {
    source.Start(static_cast<std::uint32_t>(text.size()));
  }
  std::string_view At(std::size_t begin, std::size_t size) const {
    return text.substr(begin, size);
  }

  std::string_view text;
  SentenceText source;
  StringPieces pieces;
};

TEST_CASE("the pieces of a string are a template if it has holes, and are then gone") {
  StringRead read(R"("a{?x}b\n")");
  read.pieces.Text(read.At(1, 1));
  read.pieces.Hole(read.At(2, 4));
  read.pieces.Text(read.At(6, 1));
  read.pieces.Escape(read.At(7, 2));
  REQUIRE(read.pieces.has_holes());
  const Template made = read.pieces.TakeTemplate();
  CHECK(made.texts == std::vector<std::string>{"a", "b\n"});
  CHECK(made.holes == std::vector<std::string>{"x"});
  CHECK_FALSE(read.pieces.has_holes());
  CHECK(read.pieces.TakeString().text.empty());
  CHECK(read.source.lints().empty());
}

TEST_CASE("a brace that resembles a hole gives a lint, half of a surrogate pair is an error") {
  StringRead brace(R"("{name}")");
  brace.pieces.Brace(brace.At(1, 1));
  REQUIRE(brace.source.lints().size() == 1);
  CHECK(brace.source.lints().front().code == Code::kBraceInString);
  CHECK(brace.pieces.TakeString().text == "{");
  StringRead half(R"("\ud800")");
  CHECK_THROWS_AS(half.pieces.Escape(half.At(1, 6)), Diagnostic);
}

TEST_CASE("a stack of nodes gives the depth of what it pops, and refuses what nests too deep") {
  NodeStack stack;
  stack.Push({Nil{}, {}}, 3);
  stack.Push({Boolean{true}, {}}, 1);
  CHECK(stack.Top(1).As<Nil>() != nullptr);
  stack.Deepen(2);
  CHECK(stack.TopDepth() == 2);
  int depth = 0;
  CHECK(stack.PopFrom(0, depth).size() == 2);
  CHECK(depth == 3);
  CHECK(stack.empty());
  CHECK(stack.PopFrom(0, depth).empty());
  CHECK(depth == 0);
  stack.Push({Nil{}, {}}, kMaxNesting);
  CHECK_THROWS_AS(stack.Push({Nil{}, {}}, kMaxNesting + 1), Diagnostic);
}

}  // namespace
}  // namespace rpl
