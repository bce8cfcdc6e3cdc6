// SPDX-License-Identifier: Apache-2.0
//
// Feeds the first line of the input as a pattern, and the rest as the text that it meets:
// a regex, a template or any other pattern behind `~`, lowered as a program lowers it. The
// text is matched as a string and, when it reads as a term, as the value of that term; the
// pair is also given to the operators, as strings and as values.
//
// A match fills every lvar of the pattern. With these lvars bound, the pattern matches
// again, and what a template, list or term builds from them is the value it matched. A
// regex takes groups out of the text, for which RE2 finds the same. Operators answer or
// say why not; comparisons agree with one another; a duration or an instant survives.
#include <re2/re2.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/require.h"
#include "grammar/document.h"
#include "grammar/parser.h"
#include "grammar/shape.h"
#include "interp/eval/unifier.h"
#include "interp/program/operators.h"
#include "interp/program/program.h"
#include "interp/store/store.h"

namespace rpl::fuzz {
namespace {

constexpr int kMaxMatches = 50;  // of one pattern and value that are looked at

struct Engine {
  Sources sources;
  Diagnostics findings;
  Pool pool;
  Store store{pool};
  Program program{store, sources};

  /// The value of a ground term; kNone when `text` is none.
  Value Read(const std::string& text) {
    Diagnostics ignored;
    const std::uint32_t file = sources.Add("value", text);
    const std::optional<Node> node =
        ParseTerm(sources, {file, 0, static_cast<std::uint32_t>(text.size())}, ignored);
    return node ? GroundValue(pool, *node) : kNone;
  }
};

// Whether what the pattern builds says all of what it matches.
bool IsExact(const Pattern& p) {
  using Kind = Pattern::Kind;
  if (p.kind == Kind::kAny || p.kind == Kind::kRegex || p.kind == Kind::kEach || p.open || p.lists)
    return false;
  for (const Pattern& part : p.parts)
    if (!IsExact(part)) return false;
  for (const Pattern& part : p.rest)
    if (!IsExact(part)) return false;
  return true;
}

void Unbind(Pattern& p) {
  p.binds = false;
  for (Pattern& part : p.parts) Unbind(part);
  for (Pattern& part : p.rest) Unbind(part);
}

void Meet(Engine& engine, const Definition& def, const Pattern& lowered, Value value) {
  std::vector<bool> bound(def.slots.size());
  const Pattern pattern = WithBinds(lowered, bound);
  Pattern closed = pattern;
  Unbind(closed);
  std::vector<Value> slots(def.slots.size());
  int matches = 0;
  UnifyEach(engine.pool, pattern, value, slots.data(), [&] {
    const std::vector<Value> found = slots;
    for (std::size_t i = 0; i < found.size(); ++i)
      Require(!bound[i] || !found[i].is_none(), "a match fills every lvar", def.text);
    bool again = false;
    UnifyEach(engine.pool, closed, value, slots.data(), [&] {
      again = true;
      return false;
    });
    Require(again, "a pattern matches again with its lvars bound",
            def.text + "\n" + Text(engine.pool, value));
    slots = found;
    if (IsExact(pattern) && value.kind() != Kind::kSet && value.kind() != Kind::kMap) {
      const Value built = Build(engine.pool, pattern, slots.data());
      Require(built == value, "a pattern builds what it matched",
              def.text + "\n" + Text(engine.pool, value) + "\n" + Text(engine.pool, built));
    }
    return ++matches < kMaxMatches;
  });
}

void FeedPattern(const std::string& pattern, const std::string& text) {
  Engine engine;
  const std::string rule = "found() <- ?value = ~ " + pattern + "\n";
  const Document document =
      ReadDocument(engine.sources, engine.sources.Add("pattern.rpl", rule), engine.findings);
  engine.program.Load(document, engine.findings);
  if (engine.findings.has_errors()) return;
  const Value string = engine.pool.String(text);
  const Value value = engine.Read(text);
  for (const Definition& def : engine.program.definitions()) {
    for (const Clause& clause : def.body) {
      const auto* match = clause.As<MatchWith>();
      if (match == nullptr) continue;
      Meet(engine, def, match->pattern, string);
      if (!value.is_none()) Meet(engine, def, match->pattern, value);
    }
  }
}

void FeedRegex(const std::string& body, const std::string& text) {
  Engine engine;
  const re2::RE2 direct(Re2Pattern(body), re2::RE2::Quiet);
  if (!direct.ok()) return;
  Pattern pattern;
  pattern.kind = Pattern::Kind::kRegex;
  pattern.Set({.regex = std::make_shared<const re2::RE2>(direct.pattern(), re2::RE2::Quiet)});
  for (int i = 0; i < direct.NumberOfCapturingGroups(); ++i) {
    pattern.parts.push_back(Pattern::Slot(i));
    pattern.parts.back().binds = true;
  }
  std::vector<Value> slots(pattern.parts.size());
  bool found = false;
  Unify(engine.pool, pattern, engine.pool.String(text), slots.data(), [&] {
    found = true;
    for (const Value v : slots)
      Require(v == kNil || (v.kind() == Kind::kString &&
                            text.find(engine.pool.TextOf(v)) != std::string::npos),
              "a group is nil or a part of the text", body);
    return true;
  });
  Require(found == re2::RE2::PartialMatch(text, direct), "a regex holds where RE2 finds it", body);
}

void FeedOperators(Pool& pool, Value a, Value b) {
  std::string why;
  const auto holds = [&](Operator op, Value x, Value y) { return Holds(pool, op, x, y, why); };
  const std::string shown = Text(pool, a) + " and " + Text(pool, b);
  Require(holds(Operator::kEqual, a, b) == (a == b), "equal values are equal words", shown);
  Require(holds(Operator::kEqual, a, b) != holds(Operator::kNotEqual, a, b), "= or !=", shown);
  const bool less = holds(Operator::kLess, a, b);
  const bool more = holds(Operator::kGreater, a, b);
  Require(!(less && more), "not both < and >", shown);
  Require(less == holds(Operator::kGreater, b, a), "a < b is b > a", shown);
  why.clear();
  const bool at_most = holds(Operator::kLessEqual, a, b);
  if (why.empty()) {
    Require(at_most != more, "a <= b or a > b", shown);
    Require(less || more || a == b, "one of < = >", shown);
  }
  for (const Operator op :
       {Operator::kAdd, Operator::kSubtract, Operator::kMultiply, Operator::kDivide,
        Operator::kUnion, Operator::kIntersect, Operator::kDifference}) {
    why.clear();
    const Value result = Apply(pool, op, a, b, why);
    Require(result.is_none() != why.empty(), "an operator has a result or a reason", shown);
  }
  why.clear();
  IsMember(pool, a, b, why);
  why.clear();
  Require(SizeOf(pool, a, why).has_value() == why.empty(), "a size or a reason", shown);
  const Value three[] = {a, b, a};
  for (const auto kind : {Temporal::Kind::kBefore, Temporal::Kind::kAfter})
    TemporalHolds(pool, kind, {three, 2}, why);
  for (const auto kind : {Temporal::Kind::kWithin, Temporal::Kind::kBetween})
    TemporalHolds(pool, kind, three, why);
}

}  // namespace
}  // namespace rpl::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rpl;
  using namespace rpl::fuzz;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t newline = std::min(input.find('\n'), size);
  const std::string pattern(input.substr(0, newline));
  const std::string text(input.substr(std::min(newline + 1, size)));

  FeedPattern(pattern, text);
  FeedRegex(pattern, text);
  Engine engine;
  FeedOperators(engine.pool, engine.pool.String(pattern), engine.pool.String(text));
  const Value a = engine.Read(pattern);
  const Value b = engine.Read(text);
  if (!a.is_none() && !b.is_none()) FeedOperators(engine.pool, a, b);
  ParseInstant(text);
  ParseDuration(text);
  return 0;
}
