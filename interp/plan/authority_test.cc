// SPDX-License-Identifier: Apache-2.0
#include "interp/plan/authority.h"

#include <catch2/catch.hpp>

#include "interp/testing/testing.h"

namespace rpl {
namespace {

constexpr Parties kPerson = PartyBit(By::kPerson);
constexpr Parties kModel = PartyBit(By::kModel);

struct OneProgram {
  explicit OneProgram(const std::string& text, const std::string& name = "p.rpl") {
    engine.Take(text, name);
  }
  RelationId Tool(const char* label, std::uint32_t arity) {
    return engine.store.Find(Space::kTool, label, arity);
  }
  Authority::Entry Of(const char* label, std::uint32_t arity) {
    return authority.Of(engine.store.Find(Space::kRelation, label, arity));
  }
  testing::Engine engine;
  Authority authority{engine.program, engine.store, false};
};

TEST_CASE("a question is answered by those whom its readers admit, by its text") {
  OneProgram p(
      "a(?o) <- o(?o), $ask(\"Approve {?o}?\") ^ ~ {:result \"yes\", :by :person}\n"
      "b(?t) <- $ask(\"Which title?\") ^ ~ {:result ?t}\n"
      "c(?t) <- $ask(\"Who?\") ^ ~ {:result ?t, :by ?by}, ?by in #{:person :host}\n");
  const RelationId ask = p.Tool("ask", 1);
  const auto admits = [&](const char* text) {
    const Value args[] = {p.engine.pool.String(text)};
    return p.authority.AnswersTo(ask, args);
  };
  CHECK((admits("Approve 7?") & kModel) == 0);
  CHECK((admits("Approve 7?") & kPerson) != 0);
  CHECK((admits("Which title?") & kModel) != 0);
  CHECK((admits("Who?") & kModel) == 0);
}

TEST_CASE("what a negation reads is no gate, what a negated condition reads is one") {
  OneProgram p(
      "s(?x) <- a(?x), not b(?x) ^ ~ {:by :person}\n"
      "c(?x), not d(?x) ^ ~ {:by :person} -> false\n"
      "e(?x) ^ ~ {:by :model}, f(?x) -> false\n"
      "# A - a(?x)\n# B - b(?x)\n# D - d(?x)\n# E - e(?x)\n",
      "p.md");
  CHECK(p.authority.Unanswerable().empty());
}

TEST_CASE("readings that admit different parties leave a heading to nobody") {
  OneProgram p(
      "# P - p(?x) <- w(?x) ^ ~ {:by :person}\n\n# M - m(?x) <- w(?x) ^ ~ {:by :model}\n\n"
      "# W - w(?x)\n\nWho?\n",
      "p.md");
  REQUIRE(p.authority.Unanswerable().size() == 1);
  CHECK(p.Of("w", 1).state == 0);
}

TEST_CASE("guards close what they read through chains of rules and goals, by the sign of it") {
  OneProgram p(
      "$t(?x), not a(?x) -> false\n"
      "a(?x) <- b(?x), not c(?x)\n"
      "c(?x) <- d(?x), |e(?x, _)| > 0, not f(?x)\n"
      "g(?x) <- b(?x)\n");
  CHECK(p.Of("b", 1).state != Authority::kOutside);  // one more row lets a call pass
  CHECK(p.Of("b", 1).take_back == Authority::kOutside);
  CHECK(p.Of("d", 1).state == Authority::kOutside);
  CHECK(p.Of("d", 1).take_back != Authority::kOutside);
  CHECK(p.Of("e", 2).state != Authority::kOutside);  // counted: either
  CHECK(p.Of("e", 2).take_back != Authority::kOutside);
  CHECK(p.Of("f", 1).state != Authority::kOutside);
  CHECK(p.Of("g", 1).kind == Authority::Kind::kRules);
}

TEST_CASE("parties as a text") {
  CHECK(PartiesText(0) == "nobody");
  CHECK(PartiesText(kModel) == "a model");
  CHECK(PartiesText(kPerson | kModel) == "a person or a model");
  CHECK(PartiesText(Authority::kOutside) == "a person, a host, a model, a tool or a source");
}

}  // namespace
}  // namespace rpl
