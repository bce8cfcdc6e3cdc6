// SPDX-License-Identifier: Apache-2.0
//
// Tokens of texts, and for all sentences of the spec tests: what the parser reads begins and ends
// where a token does; a text that is cut off has the same tokens as far as it goes.
#include "grammar/lexer.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>
#include <string>

#include "formats/character.h"
#include "grammar/document.h"
#include "grammar/sentences.h"
#include "grammar/testing_programs.h"
#include "grammar/testing_random.h"

namespace rpl {
namespace {

std::vector<Token> AllTokens(std::string_view text) {
  return TokensOf(text, 0, static_cast<std::uint32_t>(text.size()));
}

// Each token with the letter of its kind, and `…` if it is not closed.
std::string TokenText(const std::string& text) {
  constexpr std::string_view kLetters = "-srn:?$TgRywao,|I(A[]u";
  std::string out;
  for (const Token& token : AllTokens(text))
    out += std::string(out.empty() ? "" : " ") + kLetters[static_cast<std::size_t>(token.kind)] +
           std::string(token.In(text)) + (token.closed ? "" : "…");
  return out;
}

TEST_CASE("each kind of token") {
  CHECK(TokenText("far(?x) <- b.md#edge(-1, ?x), not %g, $t(?x) -- why") ==
        "Rfar A( ??x ]) o<- Rb.md#edge A( n-1 ,, ??x ]) ,, wnot g%g ,, T$t A( ??x ]) --- why");
  CHECK(
      TokenText("$a = :key, ?x ~ /a\\/(?<b>)/, x-1 3-2 1.5e-3 #?t #{std a/b} |p(_)|") ==
      "$$a o= ::key ,, ??x o~ r/a\\/(?<b>)/ ,, yx-1 n3 o- n2 n1.5e-3 o# ??t [#{ ystd ya/b ]} o| Rp "
      "A( ?_ ]) o|");
  CHECK(TokenText("@when (%) \"a\\\"b\" 'c") == "a@when A( g% ]) s\"a\\\"b\" s'c…");
  CHECK(TokenText("?x ~ /open\nq") == "??x o~ r/open… yq");
  CHECK(TokenText("p(1N, 2.5e3M, 1e, 12ab, 1.2.3)") ==
        "Rp A( n1N ,, n2.5e3M ,, n1e… ,, n12ab… ,, n1.2.3… ])");
  CHECK(TokenText("[1N2] $->") == "[[ n1N n2 ]] u$ o->");
  CHECK(TokenText("a\u2028 é \u2190 ? # $ : @ %") == "ya u\u2028 ué o\u2190 u? u# u$ u: u@ g%");
}

TEST_CASE("a token depends on those before it") {
  CHECK(TokenText("[1 -1 in] ?x -1, f(1 -1 not), -?x") ==
        "[[ n1 n-1 yin ]] ??x o- n1 ,, Rf A( n1 o- n1 wnot ]) ,, o- ??x");
  CHECK(TokenText("?x not  in ?y, in(1), not (in), f(not)") ==
        "??x wnot win ??y ,, Rin A( n1 ]) ,, wnot (( yin ]) ,, Rf A( ynot ])");
  CHECK(TokenText("p(_) | |q(_)| > 1") == "Rp A( ?_ ]) o| || Rq A( ?_ ]) I| o> n1");
  CHECK(TokenText("?x->p(?x-y, a-b->c) ?x<-1") ==
        "??x o-> Rp A( ??x-y ,, ya-b o-> yc ]) ??x o<- n1");
  CHECK(TokenText("p()^in -1^true ^:k in ^^of -1 ^{:a 1}") ==
        "Rp A( ]) o^ yin n-1 o^ ytrue o^ ::k yin o^^ yof n-1 o^ [{ ::a n1 ]}");
  CHECK(TokenText("?x / 2, ?x ~ -- why\n /2/") == "??x o/ n2 ,, ??x o~ --- why r/2/");
  CHECK(TokenText("p() -> %-- it's\n%->") == "Rp A( ]) o-> g% --- it's g% o->");
  CHECK(TokenText("[a.b] a.b#c a.b.c#?x %a.b") ==
        "[[ ya o. yb ]] ya.b#c ya o. yb o. yc o# ??x g%a o. yb");
}

TEST_CASE("what is open in a sentence ends with it") {
  CHECK(TokenText("p(\"a)\nbefore(|x|)") == "Rp A( s\"a)… Rbefore A( || yx I| ])");
  CHECK(TokenText("p([\n\nq(1 -1)") == "Rp A( [[ Rq A( n1 o- n1 ])");
}

// The borders of the parts of a tree.
void CollectBorders(const Node& node, std::set<std::uint32_t>& begins,
                    std::set<std::uint32_t>& ends) {
  begins.insert(node.span.begin);
  ends.insert(node.span.end);
  ForEachChild(node, [&](const Node& child) { CollectBorders(child, begins, ends); });
}

// What the parser takes for a part and the tokens do not; "" if they agree.
std::string Disagreement(std::string_view text, const Sentence& sentence) {
  std::set<std::uint32_t> begins{sentence.span.begin}, ends{sentence.span.end};
  ForEachChild(sentence.rule, [&](const Node& node) { CollectBorders(node, begins, ends); });
  Lexer lexer(text.substr(0, sentence.span.end));
  std::uint32_t at = sentence.span.begin;
  while (const std::optional<Token> token = lexer.Next(at)) {
    at = token->end;
    begins.erase(token->begin);
    ends.erase(token->end);
    const bool whole = token->kind != TokenKind::kOther && token->closed;
    if (!whole) return std::string(token->In(text)) + " is no token";
  }
  if (lexer.levels().size() > 1) return "a bracket is open";
  if (!begins.empty()) return "nothing begins at " + std::string(text.substr(*begins.begin(), 20));
  return ends.empty() ? "" : "nothing ends at " + std::string(text.substr(*ends.begin(), 20));
}

// The number of sentences of a file, each of which is compared with its tokens.
int CompareTokens(const std::string& name, const std::string& program) {
  Sources sources;
  Diagnostics ignored;
  const std::uint32_t file = sources.Add(name, program);
  const std::string_view text = sources.at(file).text;
  const Document document = ReadDocument(sources, file, ignored);
  for (const PlacedSentence& placed : document.sentences) {
    const std::string_view whole = sources.Text(placed.sentence.span);
    INFO(std::string(whole));
    CHECK(Disagreement(text, placed.sentence) == "");
    // Cut off, it has the same tokens but for the last one.
    const std::vector<Token> tokens = AllTokens(whole);
    const auto half = static_cast<std::uint32_t>(whole.size() / 2);
    Lexer lexer(whole.substr(0, half));
    std::uint32_t at = 0;
    for (std::size_t i = 0; const std::optional<Token> token = lexer.Next(at); ++i) {
      at = token->end;
      REQUIRE(i < tokens.size());
      if (tokens[i].end >= half) break;
      CHECK(token->begin == tokens[i].begin);
      CHECK(token->end == tokens[i].end);
      CHECK(token->kind == tokens[i].kind);
    }
  }
  return static_cast<int>(document.sentences.size());
}

TEST_CASE("what the parser reads begins and ends with tokens") {
  int sentences = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(RPL_SPEC_TESTS)) {
    if (entry.path().extension() != ".md") continue;
    INFO(entry.path().string());
    const std::string text = testing::ReadAll(entry.path());
    sentences += CompareTokens("t.md", text);
    for (const std::string& program : testing::ProgramsIn(text))
      sentences += CompareTokens("t.md", program) + CompareTokens("t.rpl", program);
  }
  CHECK(sentences > 1000);
}

TEST_CASE("the tokens of any text are in order, and only blanks stand between them") {
  CHECK(rc::check([] {
    std::string text;
    for (int i = testing::Pick(60); i > 0; --i)
      text += testing::Of({"?", "%", "$", "#", "a", "-", "--", "\"", "\\",   "/", "~", "\n", "1",
                           ".", "(", "]", "é", ":", "@", " ",  "e",  "\xff", "|", "^", "not"});
    std::uint32_t at = 0;
    const auto blank = [&](std::uint32_t end) { return IsAllSpace(text.substr(at, end - at)); };
    for (const Token& token : AllTokens(text)) {
      RC_ASSERT(token.begin >= at && token.end > token.begin && token.end <= text.size());
      RC_ASSERT(blank(token.begin));
      at = token.end;
    }
    RC_ASSERT(blank(static_cast<std::uint32_t>(text.size())));
  }));
}

}  // namespace
}  // namespace rpl
