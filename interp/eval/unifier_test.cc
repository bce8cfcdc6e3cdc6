// SPDX-License-Identifier: Apache-2.0
//
// Patterns against values. A pattern is the argument of a clause `t(PATTERN)`, lowered as
// every clause is; all lvars are free, and the answers are printed in the order given.
#include "interp/eval/unifier.h"

#include <catch2/catch.hpp>
#include <set>

#include "interp/testing/testing.h"

namespace rpl {
namespace {

using testing::Join;

// Marks the first occurrence of each slot, in the order of matching.
void MarkFirst(Pattern& p, std::set<SlotId>& bound) {
  if (p.kind == Pattern::Kind::kSlot) p.binds = bound.insert(p.slot).second;
  for (Pattern& part : p.parts) MarkFirst(part, bound);
  for (Pattern& part : p.rest) MarkFirst(part, bound);
}

// A lowered pattern with what it binds. `each`: from `?value = ~ PATTERN`.
struct Lowered {
  Lowered(const std::string& text, bool each) {
    engine.Take("found() <- " + (each ? "?value = ~ " + text : "t(" + text + ")") + "\n");
    if (engine.program.definitions().empty()) return;
    const Definition& def = engine.program.definitions().front();
    names = def.slots;
    slots.resize(names.size());
    for (const Clause& c : def.body) {
      if (const auto* atom = c.As<Atom>()) pattern = atom->args.front();
      if (const auto* match = c.As<MatchWith>()) pattern = match->pattern;
    }
    MarkFirst(pattern, bound);
  }

  testing::Engine engine;
  Pattern pattern;
  std::set<SlotId> bound;
  std::vector<std::string> names;
  std::vector<Value> slots;
};

// "?a=1 ?r=[2]; ?a=2 ?r=[1]"; "no" when nothing matches; `each` for UnifyEach.
std::string Match(const std::string& text, const std::string& value, bool each = false) {
  Lowered lowered(text, each);
  auto& [engine, p, bound, names, slots] = lowered;
  if (engine.findings.has_errors()) return engine.Findings();
  const Value v = testing::Read(engine.pool, value);
  if (v.is_none()) return "no value";
  std::vector<std::string> answers;
  const auto then = [&lowered, &answers] {
    std::vector<std::string> shown;
    for (SlotId s : lowered.bound)
      shown.push_back("?" + lowered.names[static_cast<std::size_t>(s)] + "=" +
                      Text(lowered.engine.pool, lowered.slots[static_cast<std::size_t>(s)]));
    answers.push_back(shown.empty() ? "yes" : Join(shown, " "));
    return true;
  };
  if (each) UnifyEach(engine.pool, p, v, slots.data(), then);
  else Unify(engine.pool, p, v, slots.data(), then);
  return answers.empty() ? "no" : Join(answers, "; ");
}

TEST_CASE("a pattern takes a value in each way it can") {
  struct {
    const char* pattern;
    const char* value;
    const char* expected;
  } const kCases[] = {
      // Literals, variables, wilds.
      {"1", "1.0", "yes"},
      {"1", "2", "no"},
      {"\"a\"", "a", "no"},
      {"?x", "f([1])", "?x=f([1])"},
      {"_", "1", "yes"},
      // Lists: exact, or a prefix and a rest.
      {"[]", "[]", "yes"},
      {"[]", "[1]", "no"},
      {"[?a ?b]", "[1 2]", "?a=1 ?b=2"},
      {"[?a ?b]", "[1 2 3]", "no"},
      {"[?a ?b]", "[1]", "no"},
      {"[?a ?a]", "[1 1.0]", "?a=1"},
      {"[?a ?a]", "[1 2]", "no"},
      {"[?a & ?r]", "[1]", "?a=1 ?r=[]"},
      {"[?a & ?r]", "[1 2 3]", "?a=1 ?r=[2 3]"},
      {"[?a & ?r]", "[]", "no"},
      {"[?a . ?b & ?r]", "[1 2 3]", "?a=1 ?b=2 ?r=[3]"},
      {"[?a . ?b]", "[1 2 3]", "no"},
      {"[& ?r]", "[]", "?r=[]"},
      {"[_ 2 & _]", "[1 2 3]", "yes"},
      {"[[?a] & ?a]", "[[[2]] 2]", "?a=[2]"},
      {"[[?a] & ?a]", "[[[3]] 2]", "no"},
      {"[?a]", "#{1}", "no"},
      {"[?a]", "\"a\"", "no"},
      {"[[?a ?b] [?b ?c]]", "[[1 2] [2 3]]", "?a=1 ?b=2 ?c=3"},
      // Nested terms, by shape (decision 35).
      {"f(?x, 1)", "f(2, 1)", "?x=2"},
      {"f(?x, 1)", "f(2, 2)", "no"},
      {"f(?x)", "f(1, 2)", "no"},
      {"f(?x)", "g(1)", "no"},
      {"f(g(?x), ?x)", "f(g(1), 1)", "?x=1"},
      {"f(?x, _)", "f(2, 1)", "?x=2"},
      {"f(_)", "f(2)", "yes"},
      {"f(_, [_ ?x])", "f(2, [3 4])", "?x=4"},
      {"f()", "f()", "yes"},
      {"f()", "f", "no"},
      // Maps as arguments are exact (decision 29).
      {"{:a ?x}", "{:a 1}", "?x=1"},
      {"{:a ?x}", "{:a 1, :b 2}", "no"},
      {"{:a ?x, :b ?y}", "{:b 2, :a 1}", "?x=1 ?y=2"},
      {"{:a ?x, :b ?x}", "{:b 2, :a 1}", "no"},
      {"{:a ?x & ?r}", "{:b 2, :a 1}", "?x=1 ?r={:b 2}"},
      {"{:a ?x & ?r}", "{:b 2}", "no"},
      {"{}", "{}", "yes"},
      {"{}", "{:a 1}", "no"},
      {"{:a {:b ?x}}", "{:a {:b 1}}", "?x=1"},
      {"{:a {:b ?x}}", "{:a {:b 1, :c 2}}", "no"},
      {"{:a [?x & _]}", "{:a [1 2]}", "?x=1"},
      // Templates: whole text, leftmost hole shortest (decision 11).
      {"\"a{?x}c\"", "\"abc\"", "?x=\"b\""},
      {"\"a{?x}c\"", "\"ac\"", "?x=\"\""},
      {"\"a{?x}c\"", "\"abd\"", "no"},
      {"\"{?x}, {?y}\"", "\"a, b, c\"", "?x=\"a\" ?y=\"b, c\""},
      {"\"{?x}-{?x}\"", "\"a-b-a-b\"", "?x=\"a-b\""},
      {"\"{?x}-{?x}\"", "\"a-b\"", "no"},
      {"\"{_}b{?x}\"", "\"abab\"", "?x=\"ab\""},
      {"\"{?x}ab\"", "\"aabab\"", "?x=\"aab\""},
      {"\"n{?x}\"", "1", "no"},
      {"\"{?x}é\"", "\"éé\"", "?x=\"é\""},
  };
  for (const auto& c : kCases) {
    INFO(c.pattern << " against " << c.value);
    CHECK(Match(c.pattern, c.value) == c.expected);
  }
}

TEST_CASE("after ~ a set distributes and a map is open") {
  struct {
    const char* pattern;
    const char* value;
    const char* expected;
  } const kCases[] = {
      {"?x", "1", "?x=1"},
      {"?x", "#{1 2}", "?x=1; ?x=2"},
      {"?x", "#{}", "no"},
      {"?x", "[1 2]", "?x=[1 2]"},
      {"?x", "#{#{1 2} 3}", "?x=#{1 2}; ?x=3"},
      {"[?x ?y]", "#{[1 2] [3 4] [5] 6}", "?x=1 ?y=2; ?x=3 ?y=4"},
      {"{:a ?x}", "#{{:a 1} {:a 2, :b 3} {:c 4}}", "?x=1; ?x=2"},
      {"{:a ?x}", "{:a 1, :b 2}", "?x=1"},
      {"{:a ?x}", "{:b 2}", "no"},
      {"{}", "{:b 2}", "yes"},
      {"\"<{?x}>\"", "#{\"<a>\" \"<b>\" \"c\"}", "?x=\"a\"; ?x=\"b\""},
      // A set pattern takes the set; every part an element of its own (decision 28).
      {"#{& ?s}", "#{1 2}", "?s=#{1 2}"},
      {"#{& ?s}", "#{}", "?s=#{}"},
      {"#{?a ?b}", "#{1 2}", "?a=1 ?b=2; ?a=2 ?b=1"},
      {"#{?a ?b}", "#{1 2 3}", "no"},
      {"#{?a ?b}", "#{1}", "no"},
      {"#{?a ?a}", "#{1 2}", "no"},
      {"#{2 ?b}", "#{1 2}", "?b=1"},
      {"#{3 ?b}", "#{1 2}", "no"},
      {"#{1 2}", "#{2 1}", "yes"},
      {"#{}", "#{}", "yes"},
      {"#{}", "#{1}", "no"},
      {"#{?f & ?r}", "#{1 2}", "?f=1 ?r=#{2}; ?f=2 ?r=#{1}"},
      {"#{2 & ?r}", "#{1 2 3}", "?r=#{1 3}"},
      {"#{[1 ?x] & _}", "#{[1 2] [2 3] [1 4]}", "?x=2; ?x=4"},
      {"#{?f . ?s & ?r}", "#{1}", "no"},
      // It reads a list by its distinct elements, wherever it stands (decision 90).
      {"#{2 1}", "[1 2 1]", "yes"},
      {"[#{2}]", "[[2]]", "yes"},
      {"[#{2}]", "[#{2}]", "yes"},
      {"[#{2}]", "[[3]]", "no"},
      {"[#{?x}]", "[[2]]", "?x=2"},
      {"#{1 #{2}}", "#{1 [2]}", "yes"},
      {"{:a [#{2}]}", "{:a [[2]], :b 1}", "yes"},
      {"{#{1} ?v & _}", "{[1] 2, #{1} 3}", "?v=2; ?v=3"},
      {"#{?a}", "1", "no"},  // decision 33: `1 = #{1}` does not hold
      {"#{& ?s}", "1", "no"},
      // Maps: every entry is a choice (decision 31), and entries as pairs (decision 30).
      {"{?k ?v & ?r}", "{:a 1, :b 2}", "?k=:a ?v=1 ?r={:b 2}; ?k=:b ?v=2 ?r={:a 1}"},
      {"{?k 2 & _}", "{:a 1, :b 2}", "?k=:b"},
      {"[?k ?v]", "{:a 1, :b 2}", "?k=:a ?v=1; ?k=:b ?v=2"},
      {"[?k]", "{:a 1}", "no"},
      {"[?k ?v & ?r]", "{:a 1}", "no"},
      {"[& ?r]", "{:a 1}", "no"},
      // Regexes: first match, named groups (decision 12).
      {"/(?P<n>[0-9]+)/", "\"ab12cd34\"", "?n=\"12\""},
      {"/^(?<n>[0-9]+)$/", "\"ab12\"", "no"},
      {"/(?P<a>x)?(?P<b>y)/", "\"xy\"", "?a=\"x\" ?b=\"y\""},
      {"/(?P<the_key>\\w+)=(\\w+)/", "\"k=v\"", "?the-key=\"k\""},
      {"/(a)(b)/", "\"ab\"", "yes"},
      {"/a\\/b/", "\"a/b\"", "yes"},
      {"/(?P<n>.)/", "12", "no"},
      {"/(?P<n>[a-z])/", "#{\"a\" \"b\" \"1\"}", "?n=\"a\"; ?n=\"b\""},
      {"/(?P<n>.)/", "\"éa\"", "?n=\"é\""},
  };
  for (const auto& c : kCases) {
    INFO(c.pattern << " against " << c.value);
    CHECK(Match(c.pattern, c.value, true) == c.expected);
  }
}

TEST_CASE("building is the inverse of matching") {
  struct {
    const char* pattern;
    const char* value;
  } const kCases[] = {
      {"[?a [?b] & ?r]", "[1 [2] 3 4]"},
      {"f(?a, g(?b))", "f(1, g([2]))"},
      {"{:a ?a & ?r}", "{:a 1, :b 2}"},
      {"\"{?a}-{?b}\"", "\"x-y-z\""},
      {"[#{1 ?a}]", "[#{1 2}]"},
      {"[nil true :k sym \"s\" 1.5]", "[nil true :k sym \"s\" 1.5]"},
  };
  for (const auto& c : kCases) {
    Lowered lowered(c.pattern, false);
    Pool& pool = lowered.engine.pool;
    const Value v = testing::Read(pool, c.value);
    INFO(c.pattern << " of " << c.value);
    bool found = false;
    Unify(pool, lowered.pattern, v, lowered.slots.data(), [&] {
      CHECK(Text(pool, Build(pool, lowered.pattern, lowered.slots.data())) == Text(pool, v));
      found = true;
      return false;
    });
    CHECK(found);
  }
}

TEST_CASE("a template with repeated holes gives up after its budget") {
  // ?a is empty in the first of all ways, and for that there are more ways than the budget
  // to place the other holes, none of which matches; the next ?a would match.
  const std::string a = "y" + std::string(20, 'a') + "z";
  const std::string text = a + "yaaaa" + a + "b";
  Lowered lowered("\"{?a}y{?b}a{?c}a{?d}a{?e}a{?a}b\"", false);
  Pool& pool = lowered.engine.pool;
  const Value v = pool.String(text);
  const std::size_t size = pool.size();
  bool found = false;
  Unify(pool, lowered.pattern, v, lowered.slots.data(), [&] { return found = true; });
  CHECK_FALSE(found);
  CHECK(pool.overflow() == "a template with more than 100000 ways to match");
  CHECK(pool.size() == size);  // what was tried leaves nothing behind
}

TEST_CASE("then may stop the matching") {
  Lowered lowered("#{?a & ?r}", true);
  Pool& pool = lowered.engine.pool;
  int calls = 0;
  CHECK_FALSE(Unify(pool, lowered.pattern, testing::Read(pool, "#{1 2 3}"), lowered.slots.data(),
                    [&] { return ++calls < 2; }));
  CHECK(calls == 2);
}

}  // namespace
}  // namespace rpl
