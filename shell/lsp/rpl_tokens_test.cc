// SPDX-License-Identifier: Apache-2.0
#include "shell/lsp/rpl_tokens.h"

#include <catch2/catch.hpp>
#include <string>

#include "grammar/testing_random.h"

namespace rpl::lsp {
namespace {

// Each token with the letter of its kind.
std::string Told(const std::string& text) {
  constexpr std::string_view kLetters = "-srn:?$tg(yw@o[";
  std::string out;
  for (const Token& token : TokensOf(text, 0, static_cast<std::uint32_t>(text.size())))
    out += std::string(out.empty() ? "" : " ") + kLetters[static_cast<std::size_t>(token.kind)] +
           std::string(token.In(text));
  return out;
}

TEST_CASE("each kind of token") {
  CHECK(Told("far(?x) <- b.md#edge(-1, ?x), not %g, $t(?x) -- why") ==
        "(far [( ??x [) o<- (b.md#edge [( n-1 ??x [) wnot g%g t$t [( ??x [) --- why");
  CHECK(Told("$a = :key, ?x ~ /a\\/(?<b>)/, x-1 3-2 1.5e-3 #?t #{std a} |p(_)|") ==
        "$$a o= ::key ??x o~ r/a\\/(?<b>)/ yx-1 n3 o- n2 n1.5e-3 o# ??t o# [{ ystd ya [} o| (p [( "
        "y_ [) o|");
  CHECK(Told("@when(%) \"a\\\"b\" 'c") == "@@when [( g% [) s\"a\\\"b\" s'c");
  CHECK(Told("\"open") == "s\"open");
  CHECK(Told("?x ~ /open\nq") == "??x o~ r/open yq");
  CHECK(Told("a\u2028 é") == "ya o\u2028 oé");  // whole characters
}

TEST_CASE("tokens of any text are in order, disjoint and inside it") {
  CHECK(rc::check([] {
    std::string text;
    for (int i = rpl::testing::Pick(60); i > 0; --i)
      text += rpl::testing::Of({"?",  "%", "$", "#", "a", "-",    "--", "\"", "\\", "/", "~",
                                "\n", "1", ".", "(", "é", "\xff", ":",  "@",  " ",  "e"});
    std::uint32_t at = 0;
    for (const Token& token : TokensOf(text, 0, static_cast<std::uint32_t>(text.size()))) {
      RC_ASSERT(token.begin >= at);
      RC_ASSERT(token.end > token.begin);
      RC_ASSERT(token.end <= text.size());
      at = token.end;
    }
  }));
}

}  // namespace
}  // namespace rpl::lsp
