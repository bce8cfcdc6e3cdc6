// SPDX-License-Identifier: Apache-2.0
//
// Plain facts take a short path into the store (grammar/facts.h). Here both paths read the
// same text and must leave the same store, the same places and the same findings.
#include <rapidcheck.h>

#include <catch2/catch.hpp>

#include "interp/testing/testing.h"

namespace rpl {
namespace {

using testing::Engine;

// Everything that loading `text` leaves behind.
std::string LoadedFrom(const std::string& text, const std::string& name, FactForm form) {
  Engine engine;
  engine.form = form;
  engine.Take(text, name);
  std::string out = engine.Findings();
  for (RelationId id = 0; id < engine.store.size(); ++id) {
    const Relation& relation = engine.store.at(id);
    for (RowId row = 0; row < relation.size(); ++row) {
      out += relation.name() + "(";
      for (const Value v : relation.Cells(row)) out += Text(engine.pool, v) + " ";
      out += ")";
      if (const auto at = relation.Origin(row)) out += " at " + engine.sources.Where(*at);
      out += "\n";
    }
  }
  return out;
}

std::size_t PlainOf(const std::string& text, const std::string& name = "x.rpl") {
  Sources sources;
  Diagnostics findings;
  return ReadDocument(sources, sources.Add(name, text), findings, FactForm::kPlain)
      .facts.facts.size();
}

// Pieces that lie near the border of what is plain.
const std::vector<std::string> kPieces = {"p(1)",
                                          "p(1, 2)",
                                          "q(\"a\", 'b')",
                                          "q(:k, sym)",
                                          "p(-3.50)",
                                          "p(true, nil)",
                                          "p(1.0)",
                                          "p(007)",
                                          "q(\"{x}\")",
                                          "q(\"it's\")",
                                          "q('\\n')",
                                          "p(1N)",
                                          "p(now)",
                                          "in(1)",
                                          "p(a--b)",
                                          "p(a-)",
                                          "p(-a)",
                                          "p(camelCase)",
                                          "P(1)",
                                          "p()",
                                          "p( 1 ,2 )",
                                          "p(1,)",
                                          "p(1 2)",
                                          "p(?x)",
                                          "p([1 2])",
                                          "p(f(1))",
                                          "p(1) -> true",
                                          "p(1) -> false",
                                          "p(1) ^ {:a 1}",
                                          "p(1), q(2)",
                                          "p(1) <- q(1)",
                                          "<- r(1)",
                                          "^ {:b 2}",
                                          ", r(2)",
                                          "-> false",
                                          "%g(1)",
                                          "$t(1)",
                                          "ns#p(1)",
                                          "p(1)p(2)",
                                          "p(\"open",
                                          "p((1",
                                          "p(123456789012345)",
                                          "p(1234567890123456789)",
                                          "p(99999999999999999999)",
                                          "true(1)",
                                          "not p(1)",
                                          "p(1.)",
                                          "p(.5)",
                                          "p(1e3)",
                                          "p(\"a\nb\")",
                                          "# T - p(?x)",
                                          "--",
                                          "-- p(3)",
                                          "prose",
                                          "```",
                                          "```rpl",
                                          "union",
                                          "q(\"é\")",
                                          "p(a/b)",
                                          "p(a_b)",
                                          "p(+1)",
                                          "p(#{1 2})"};

TEST_CASE("plain facts and sentences load alike") {
  const auto compare = [](const std::string& name) {
    const bool same = rc::check(name, [&] {
      const auto pieces = *rc::gen::container<std::vector<std::size_t>>(
          rc::gen::inRange<std::size_t>(0, kPieces.size()));
      std::string text;
      for (const std::size_t piece : pieces) {
        text += kPieces[piece];
        text += *rc::gen::element<std::string>("\n", "\n", "\n", "\n\n", " ", "\r\n", " -- c\n");
      }
      RC_LOG(text);
      RC_ASSERT(LoadedFrom(text, name, FactForm::kPlain) ==
                LoadedFrom(text, name, FactForm::kSentences));
    });
    CHECK(same);
  };
  compare("x.rpl");
  compare("x.md");
}

TEST_CASE("facts in the common spellings are plain") {
  CHECK(PlainOf("edge(1, 2)\nedge(2,3)  \n\n  edge( 3 , 4 )\r\nedge(4, 5)") == 4);
  CHECK(PlainOf("p(\"a b\", 'it', :key, a-symbol, true, nil, -1.5)") == 1);
  CHECK(PlainOf("# T\n\n```rpl\np(1)\nq(2) -- why\n\np(3)\n```\n", "x.md") == 2);
}

TEST_CASE("the end of a string is found wherever it is") {
  for (std::size_t size = 0; size < 20; ++size) {
    const std::string letters(size, 'x');
    CHECK(PlainOf("p(\"" + letters + "\")") == 1);
    CHECK(PlainOf("p('" + letters + "')") == 1);
    for (std::size_t at = 0; at < size; ++at)
      for (const std::string_view odd : {"'", "\"", "\\n", "{", "\n", "\x01", "\xC3\xA9"}) {
        const std::string inner = letters.substr(0, at) + std::string(odd) + letters.substr(at);
        const std::string text = "p(\"" + inner + "\")\nq('" + inner + "')\nr(1)";
        INFO(text);
        CHECK(LoadedFrom(text, "x.rpl", FactForm::kPlain) ==
              LoadedFrom(text, "x.rpl", FactForm::kSentences));
        CHECK(PlainOf("p(\"" + inner + "\")") ==
              (odd == "'" || odd == "\x01" || odd == "\xC3\xA9"));
      }
  }
}

TEST_CASE("what is not plain is left to the parser") {
  for (const std::string text :
       {"p(1) <- q(1)", "p(1)\n<- q(1)", "p(1)\n  , q(1)", "p(1) ^ {:a 1}", "p(\"a\\n\")",
        "p(\"{?x}\")", "p([1])", "p(1e3)", "p(12345678901234567)", "p(aB)", "p(now)", "p(1) p(2)"})
    CHECK(PlainOf(text) == 0);
}

}  // namespace
}  // namespace rpl
