// SPDX-License-Identifier: Apache-2.0
//
// The order in which the clauses of a tail run, as text: `kind clause` per step, `by` the
// columns that are known (from 0), `old` and `delta` for the rows that are seen.
#include "interp/plan/plan.h"

#include <catch2/catch.hpp>

#include "interp/plan/join_plan.h"
#include "interp/plan/plain_rule.h"
#include "interp/testing/random_program.h"
#include "interp/testing/testing.h"

namespace rpl {
namespace {

using testing::Engine;

std::string Show(const Step* step) {
  static const char* const kNames[] = {
      "atom",        "compare",    "bind",      "match",      "member", "temporal", "count",
      "count-value", "count-form", "not",       "branch",     "expand", "metadata", "aggregate",
      "read",        "show",       "read-text", "goal-false", "first",  "loop",     "distinct",
      "check",       "truth",      "emit",      "found",      "stuck"};
  std::string out;
  for (; step != nullptr; step = step->next) {
    if (!out.empty()) out += " > ";
    if (step->range == Range::kOld) out += "old ";
    if (step->range == Range::kDelta) out += "delta ";
    out += kNames[static_cast<std::size_t>(step->kind)];
    if (step->kind == Step::Kind::kStuck) return out + ": " + step->problem;
    if (step->kind == Step::Kind::kEmit || step->kind == Step::Kind::kFound) continue;
    if (step->kind == Step::Kind::kBranch) {
      for (const Step* branch : step->branches) out += " {" + Show(branch) + "}";
      continue;
    }
    if (step->clause != nullptr) out += " " + step->clause->text;
    if (step->all_bound) {
      out += " by all";
    } else if (step->probe != 0) {
      out += " by";
      for (std::uint32_t c = 0; c < kMaxArity; ++c)
        if (step->probe >> c & 1) out += " " + std::to_string(c);
    }
  }
  return out;
}

// The plan of the only rule of a text. `bound`: names of slots that the caller knows.
std::string PlanOf(const std::string& rule, Mode mode = Mode::kDerive, int delta = -1,
                   const std::vector<std::string>& known = {}) {
  Engine engine;
  engine.Take(rule + "\n");
  if (engine.program.definitions().empty()) return engine.Findings();
  const Definition& def = engine.program.definitions().front();
  std::vector<bool> bound(def.slots.size());
  for (std::size_t s = 0; s < bound.size(); ++s)
    bound[s] = std::find(known.begin(), known.end(), def.slots[s]) != known.end();
  const std::unique_ptr<Plan> plan =
      Planner(engine.analysis, engine.store, mode)
          .Make(ClausesOf(def), bound, HeadSlots(def), def.slots, def.avar, delta);
  if (plan->problem) return "refused: " + *plan->problem;
  return Show(plan->first);
}

TEST_CASE("clauses keep the author's order; those that cannot run yet wait, tests run early") {
  struct {
    const char* rule;
    const char* plan;
  } const kCases[] = {
      {"q(?x, ?z) <- a(?x, ?y), b(?y, ?z)", "atom a(?x, ?y) > atom b(?y, ?z) by 0 > emit"},
      {"q(?x, ?z) <- b(?y, ?z), a(?x, ?y)", "atom b(?y, ?z) > atom a(?x, ?y) by 1 > emit"},
      {"q(?x) <- a(?x, ?x)", "atom a(?x, ?x) > emit"},
      {"q(?x) <- a(?x), b(?x)", "atom a(?x) > atom b(?x) by all > emit"},
      {"q(?x) <- a(?x, 1, _)", "atom a(?x, 1, _) by 1 > emit"},
      {"q(?x) <- a(?x, ?y), b(?y, ?z), ?x < 3",
       "atom a(?x, ?y) > compare ?x < 3 > atom b(?y, ?z) by 0 > emit"},
      {"q(?x) <- ?x < 3, a(?x)", "atom a(?x) > compare ?x < 3 > emit"},
      {"q(?y) <- ?y = ?x + 1, a(?x)", "atom a(?x) > bind ?y = ?x + 1 > emit"},
      {"q(?z) <- ?z = ?y + 1, ?y = ?x + 1, a(?x)",
       "atom a(?x) > bind ?y = ?x + 1 > bind ?z = ?y + 1 > emit"},
      {"q(?x) <- ?x = 1, a(?x)", "bind ?x = 1 > atom a(?x) by all > emit"},
      {"q(?x) <- a(?x), ?x = 1", "bind ?x = 1 > atom a(?x) by all > emit"},
      {"q(?x) <- not b(?x), a(?x)", "atom a(?x) > not not b(?x) > emit"},
      {"q(?x) <- not b(?z), a(?x)", "not not b(?z) > atom a(?x) > emit"},
      {"q(?x) <- not b(?x, ?z), c(?z), a(?x)",
       "atom c(?z) > atom a(?x) > not not b(?x, ?z) > emit"},
      {"q(?x) <- ?x in ?l, a(?l)", "atom a(?l) > member ?x in ?l > emit"},
      {"q(?x) <- a(?x), b(?l), ?x not in ?l",
       "atom a(?x) > atom b(?l) > member ?x not in ?l > emit"},
      {"q(?n) <- a(?x), ?n = |b(?x, _)|",
       "atom a(?x) > count |b(?x, _)| > bind ?n = |b(?x, _)| > emit"},
      {"q(?n) <- ?n = |b(?x, _)|, a(?x)",
       "atom a(?x) > count |b(?x, _)| > bind ?n = |b(?x, _)| > emit"},
      {"q(?g, ?n) <- ?n = |b(?g, _)|", "count |b(?g, _)| > bind ?n = |b(?g, _)| > emit"},
      {"q(?n) <- a(?l), ?n = |?l|", "atom a(?l) > count-value |?l| > bind ?n = |?l| > emit"},
      {"q(?x) <- a(?m), ?m = ~ {:k ?x}", "atom a(?m) > match ?m = ~ {:k ?x} > emit"},
      {"q(?x) <- a(f(?x, ?y)), b(?y)", "atom a(f(?x, ?y)) > atom b(?y) by all > emit"},
      {"q(?x) <- b(?y), a(f(?y), ?x)", "atom b(?y) > atom a(f(?y), ?x) by 0 > emit"},
      {"q(?x) <- b(?y), a([#{?y}], ?x)", "atom b(?y) > atom a([#{?y}], ?x) by 0 > emit"},
      {"q(?x) <- b(?y), a([~ #{?y}], ?x)", "atom b(?y) > atom a([~ #{?y}], ?x) > emit"},
      {"q(?x) <- a([~ #{1}], ?x)", "atom a([~ #{1}], ?x) > emit"},
      {"q(?x) <- ?x = [~ #{?y}], b(?y), a(?x)",
       "atom b(?y) > atom a(?x) > bind ?x = [~ #{?y}] > emit"},
  };
  for (const auto& c : kCases) {
    INFO(c.rule);
    CHECK(PlanOf(c.rule) == c.plan);
  }
}

// The steps of the join that the only rule of a text is; "none" if it is none.
std::string JoinOf(const std::string& rule) {
  Engine engine;
  engine.Take(rule + "\n");
  const Definition& def = engine.program.definitions().front();
  const std::unique_ptr<Plan> plan = Planner(engine.analysis, engine.store, Mode::kDerive)
                                         .Make(ClausesOf(def), std::vector<bool>(def.slots.size()),
                                               HeadSlots(def), def.slots, def.avar);
  const std::unique_ptr<const Join> join = Join::Of(*plan, def, engine.store);
  if (join == nullptr) return "none";
  std::string out;
  for (const JoinStep& step : join->steps) {
    static const char* const kNames[] = {"", "not ", "compare", "compute"};
    out += (out.empty() ? "" : " > ") + std::string(kNames[static_cast<std::size_t>(step.kind)]);
    if (!step.ReadsRows()) continue;
    out += engine.store.at(step.relation).name();
    for (std::uint32_t c = 0; c < kMaxArity; ++c)
      if (step.probe >> c & 1) out += " " + std::to_string(c);
  }
  return out;
}

TEST_CASE("equalities are steps of a join only if they test or compute something") {
  struct {
    const char* rule;
    const char* join;
  } const kCases[] = {
      {"q(?x, ?y) <- a(?x, ?b), c(?b2, ?y), ?b2 = ?b", "a > c 0"},
      {"q(?x, ?y) <- ?b2 = ?b, c(?b2, ?y), a(?x, ?b)", "c > a 1"},
      {"q(?x, ?y) <- ?b = ?c, ?c = ?d, e(?x, ?b), e(?d, ?y)", "e > e 0"},
      {"q(?b2) <- a(?x, ?b), ?b2 = ?b, not d(?b2)", "a > not d 0"},
      {"q(?x, ?k) <- a(?x), ?k = 3", "a"},
      {"q(?x) <- a(?x, ?k), ?k = 3", "a 1"},
      {"q(?x) <- a(?x, ?y), ?x = ?y", "a > compare"},
      {"q(?x) <- a(?x), ?k = 3, ?k = 4", "a > compare"},
      {"q(?k) <- a(?l), ?k = ?l + 1", "a > compute"},
      {"q(?k) <- a(?l), b(?k), ?k = ?l * 2 + 1", "a > compute > compute > b 0"},
      {"q(?k) <- b(?k), a(?l), ?k = ?l + 1", "b > a > compute > compare"},
      {"q(?x) <- a(?x, ?y), ?x + 1 < ?y", "a > compute > compare"},
      {"q(?x) <- ?k = 3, not b(?k), a(?x)", "a > not b 0"},
      {"q(?x) <- a(?x), ?k = 1 + 2, b(?k)", "none"},
      {"q(?x, ?k) <- a(?x), ?k = #{1 2}", "none"},
      {"q(?k) <- a(?x), ?k = ?x union #{1}", "none"},
      {"q(?k) <- ?k = 3", "none"},
  };
  for (const auto& c : kCases) {
    INFO(c.rule);
    CHECK(JoinOf(c.rule) == c.join);
  }
}

TEST_CASE("an equality that is taken apart leaves the other clauses waiting") {
  // Two parts, no part, and what can only run when the parts have.
  CHECK(PlanOf("q(?x) <- a(?x), [?y ?z] = [1 ?x], ?u < 1", Mode::kSolve) ==
        "atom a(?x) > bind [?y ?z] = [1 ?x] > stuck: ?u is never bound in `?u < 1`");
  CHECK(PlanOf("q(?x) <- a(?x), [?y 2] = [1 ?z], ?u < 1", Mode::kSolve) ==
        "atom a(?x) > bind [?y 2] = [1 ?z] > bind [?y 2] = [1 ?z] > "
        "stuck: ?u is never bound in `?u < 1`");
  CHECK(PlanOf("q(?x) <- a(?x), [?y ?w] = [?v 2], ?u < 1", Mode::kSolve) ==
        "atom a(?x) > bind [?y ?w] = [?v 2] > stuck: ?u is never bound in `?u < 1`");
  CHECK(PlanOf("q(?x) <- f(_) = f(?y), ?u < 1, a(?x)", Mode::kSolve) ==
        "atom a(?x) > stuck: ?u is never bound in `?u < 1`");
  CHECK(PlanOf("q(?x) <- f(_) = f(?y), a(?x); @distinct(?x, a(?x))") ==
        "atom a(?x) > atom a(?x) by all > distinct @distinct(?x, a(?x)) > emit");
}

TEST_CASE("each branch of a disjunction goes on with its own copy of the rest") {
  CHECK(PlanOf("q(?x) <- (a(?x) | b(?x, ?y)), c(?x)") ==
        "branch {atom a(?x) > atom c(?x) by all > emit} "
        "{atom b(?x, ?y) > atom c(?x) by all > emit}");
}

TEST_CASE("a plan that starts from a delta") {
  const char* const kRule = "t(?x, ?z) <- t(?x, ?y), t(?y, ?z), ?x != ?z";
  CHECK(PlanOf(kRule, Mode::kDerive, 0) ==
        "delta atom t(?x, ?y) > atom t(?y, ?z) by 0 > compare ?x != ?z > emit");
  CHECK(PlanOf(kRule, Mode::kDerive, 1) ==
        "delta atom t(?y, ?z) > old atom t(?x, ?y) by 1 > compare ?x != ?z > emit");
}

TEST_CASE("what the caller knows is bound from the start") {
  CHECK(PlanOf("q(?x, ?y) <- a(?x, ?y)", Mode::kSolve, -1, {"x"}) == "atom a(?x, ?y) by 0 > emit");
  CHECK(PlanOf("q(?x, ?y) <- a(?x, ?y)", Mode::kSolve, -1, {"x", "y"}) ==
        "atom a(?x, ?y) by all > emit");
  CHECK(PlanOf("q(?x, ?n) <- ?n = |?x|", Mode::kSolve, -1, {"x"}) ==
        "count-value |?x| > bind ?n = |?x| > emit");
}

TEST_CASE("clauses that reach outside never pass each other") {
  CHECK(PlanOf("%g <- $ask(?p), a(?p), $tell(?q), b(?q), ?p != \"x\"", Mode::kSolve) ==
        "atom a(?p) > compare ?p != \"x\" > atom $ask(?p) by all > atom b(?q) > "
        "atom $tell(?q) by all > emit");
  CHECK(PlanOf("% <- $json(?x), a(?x), b(?x)", Mode::kSolve) ==
        "atom a(?x) > atom b(?x) by all > show $json(?x) > emit");
}

TEST_CASE("a clause that can never run is named with its lvar") {
  struct {
    const char* rule;
    const char* named;
  } const kCases[] = {
      {"q(?x) <- ?x < 3", "?x"},
      {"q(?x) <- a(?x), ?x < ?limit", "?limit"},
      {"q(?x, ?y) <- a(?x)", "?y"},
      {"q(?x) <- a(?x), ?z = ?w + 1", "?w"},
      {"q(?x) <- a(?x), not b(?y), ?y != ?x", "?y"},
      {"q(?x) <- a(?x), ?x in ?list", "?list"},
      {"q(?n) <- ?n = |?list|", "?list"},
      {"q(\"<{?x}>\") <- a(?y)", "?x"},
      {"q(?x) <- a(?x), ?t before now", "?t"},
  };
  for (const auto& c : kCases) {
    INFO(c.rule);
    const std::string refused = PlanOf(c.rule);
    CHECK(refused.starts_with("refused: "));
    CHECK(refused.find(c.named) != std::string::npos);
    const std::string stuck = PlanOf(c.rule, Mode::kSolve);
    CHECK(stuck.find("stuck: ") != std::string::npos);
    CHECK(stuck.find(c.named, stuck.find("stuck: ")) != std::string::npos);
  }
}

TEST_CASE("the plans of a plain rule run, whatever its caller knows, and read rows") {
  std::size_t plain = 0;
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    INFO("seed " << seed);
    Engine engine;
    engine.Take(MakeProgram(seed).Text());
    for (const Definition& def : engine.program.definitions()) {
      if (!IsPlain(def, engine.analysis, engine.store)) continue;
      ++plain;
      INFO(def.text);
      for (const Mode mode : {Mode::kDerive, Mode::kSolve})
        for (const bool known : {false, true}) {
          if (mode == Mode::kDerive && known) continue;
          const std::vector<bool> head = HeadSlots(def);
          const std::unique_ptr<Plan> plan =
              Planner(engine.analysis, engine.store, mode)
                  .Make(ClausesOf(def), known ? head : std::vector<bool>(def.slots.size()), head,
                        def.slots, def.avar);
          CHECK(!plan->problem);
          for (const Step& step : plan->steps) {
            CHECK(step.kind != Step::Kind::kStuck);
            CHECK(!step.open_input);
            CHECK(step.access == Access::kRows);
          }
        }
    }
  }
  CHECK(plain > 100);
}

}  // namespace
}  // namespace rpl
