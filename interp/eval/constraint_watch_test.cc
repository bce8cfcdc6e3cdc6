// SPDX-License-Identifier: Apache-2.0
//
// Constraints from one timestep to the next tell what checking all of them whole tells.
#include "interp/eval/constraint_watch.h"

#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "interp/testing/testing.h"

namespace rpl {
namespace {

using testing::Engine;

/// Told instances as a run takes them: violated ones each time, those that hold once.
class Told {
 public:
  explicit Told(const Pool& pool) : pool_(pool) {}

  void Begin() { text_.clear(); }
  void Take(const Constraint& c, const std::vector<Value>& slots, Solver::Judgement verdict) {
    std::string text = c.text + " :";
    for (std::size_t i = 0; i < slots.size(); ++i)
      if (!slots[i].is_none()) text += " " + c.slots[i] + "=" + Text(pool_, slots[i]);
    if (verdict == Solver::Judgement::kViolated) text_ += "violated " + text + "\n";
    if (verdict == Solver::Judgement::kHolds && held_.insert(text).second)
      text_ += "holds " + text + "\n";
    if (verdict == Solver::Judgement::kUndecided) text_ += "undecided " + text + "\n";
  }
  const std::string& text() const { return text_; }

 private:
  const Pool& pool_;
  std::string text_;
  std::set<std::string> held_;
};

/// One run whose constraints are watched, and checked whole beside that.
struct WatchedRun {
  void Take(const std::string& text) {
    engine.Take(text);
    engine.Quiesce();
  }
  /// "" or how the two differ.
  std::string Difference() {
    whole.Begin();
    watched.Begin();
    for (const Constraint& c : engine.program.constraints()) {
      engine.solver.CheckConstraint(
          c, [&](const auto& slots, Solver::Judgement v) { whole.Take(c, slots, v); });
      watch.Check(c, [&](const auto& slots, Solver::Judgement v) { watched.Take(c, slots, v); });
    }
    if (whole.text() == watched.text()) return "";
    return "whole:\n" + whole.text() + "watched:\n" + watched.text();
  }
  std::string Now() {
    const std::string difference = Difference();
    return difference.empty() ? watched.text() : difference;
  }

  Engine engine;
  ConstraintWatch watch{engine.store, engine.analysis, engine.solver};
  Told whole{engine.pool}, watched{engine.pool};
};

TEST_CASE("what stands violated is told again, and nothing is read for it") {
  WatchedRun run;
  run.Take("a(?x), b(?x) -> false\na(1)\na(2)\nb(2)\nc(6)\n");
  const std::string violated = "violated a(?x), b(?x) -> false : x=2\n";
  CHECK(run.Now() == violated);
  run.Take("c(7)\n");
  CHECK(run.Now() == violated);
  CHECK(run.watch.counts().whole == 1);
  CHECK(run.watch.counts().unchanged == 1);
  CHECK(run.watch.counts().judged == 1);
}

TEST_CASE("new rows are joined with the others, in the order of the whole check") {
  WatchedRun run;
  run.Take("a(?x), b(?y) -> false\na(1)\na(2)\nb(3)\n");
  run.Now();
  run.Take("b(4)\n");
  CHECK(run.Now() ==
        "violated a(?x), b(?y) -> false : x=1 y=3\nviolated a(?x), b(?y) -> false : x=1 y=4\n"
        "violated a(?x), b(?y) -> false : x=2 y=3\nviolated a(?x), b(?y) -> false : x=2 y=4\n");
  CHECK(run.watch.counts().whole == 1);
  CHECK(run.watch.counts().judged == 4);
}

TEST_CASE("an instance that is violated holds once its right side does") {
  WatchedRun run;
  run.Take("a(?x) -> b(?x)\na(1)\na(2)\nb(1)\n");
  CHECK(run.Now() == "holds a(?x) -> b(?x) : x=1\nviolated a(?x) -> b(?x) : x=2\n");
  run.Take("a(3)\n");
  CHECK(run.Now() == "violated a(?x) -> b(?x) : x=2\nviolated a(?x) -> b(?x) : x=3\n");
  run.Take("b(2)\n");
  CHECK(run.Now() == "holds a(?x) -> b(?x) : x=2\nviolated a(?x) -> b(?x) : x=3\n");
  CHECK(run.watch.counts().whole == 1);
  run.Take("b(2) -> false\n");
  CHECK(run.Now() == "violated a(?x) -> b(?x) : x=2\nviolated a(?x) -> b(?x) : x=3\n");
  CHECK(run.watch.counts().whole == 2);
}

TEST_CASE("one new row costs the same whatever was there") {
  std::size_t judged[2];
  for (const int size : {100, 10'000}) {
    WatchedRun run;
    std::string text = "a(?x), b(?x) -> false\na(?x) -> c(?x)\n";
    for (int i = 0; i < size; ++i)
      text += "a(" + std::to_string(i) + ")\nc(" + std::to_string(i) + ")\n";
    run.Take(text);
    CHECK(run.Difference() == "");
    const std::size_t before = run.watch.counts().judged;
    run.Take("a(" + std::to_string(size) + ")\nb(7)\n");
    CHECK(run.Now() == "violated a(?x), b(?x) -> false : x=7\nviolated a(?x) -> c(?x) : x=" +
                           std::to_string(size) + "\n");
    judged[size > 100] = run.watch.counts().judged - before;
  }
  CHECK(judged[0] == 2);
  CHECK(judged[1] == 2);
}

TEST_CASE("very many new rows, and very many violations, are checked whole") {
  const auto many = [](const std::string& relation) {
    std::string out;
    for (int i = 0; i < 70'000; ++i) out += relation + "(" + std::to_string(i) + ")\n";
    return out;
  };
  WatchedRun run;
  run.Take("a(?x), b(?x) -> false\na(0)\nb(0)\n");
  CHECK(run.Difference() == "");
  run.Take(many("a"));
  CHECK(run.Difference() == "");
  CHECK(run.watch.counts().whole == 2);
  run.Take("b(9)\n");
  CHECK(run.Difference() == "");
  CHECK(run.watch.counts().whole == 2);
  run.Take(many("b"));
  CHECK(run.Difference() == "");
  CHECK(run.watch.counts().whole == 3);
  run.Take("a(-1)\n");
  CHECK(run.Difference() == "");
  CHECK(run.watch.counts().whole == 4);
}

TEST_CASE("what a constraint forbids by absence is checked whole") {
  WatchedRun run;
  run.Take("a(?x), not b(?x) -> false\na(1)\na(2)\n");
  CHECK(run.Now() ==
        "violated a(?x), not b(?x) -> false : x=1\n"
        "violated a(?x), not b(?x) -> false : x=2\n");
  run.Take("b(1)\n");
  CHECK(run.Now() == "violated a(?x), not b(?x) -> false : x=2\n");
  CHECK(run.watch.counts().whole == 2);
  run.Take("a(3)\n");
  CHECK(run.Now() ==
        "violated a(?x), not b(?x) -> false : x=2\n"
        "violated a(?x), not b(?x) -> false : x=3\n");
  CHECK(run.watch.counts().whole == 2);
}

// --- random constraints over random changes ----------------------------------------------

class Random {
 public:
  explicit Random(unsigned seed) : random_(seed) {}

  std::string Facts(int count) {
    std::string out;
    for (int i = 0; i < count; ++i) {
      std::string fact = Fact();
      facts_.push_back(fact);
      out += fact + "\n";
    }
    return out;
  }
  /// Takes back some of what was asserted.
  std::string Retractions(int count) {
    std::string out;
    for (int i = 0; i < count && !facts_.empty(); ++i) {
      const std::size_t at = Below(static_cast<int>(facts_.size()));
      out += facts_[at] + " -> false\n";
      facts_.erase(facts_.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return out;
  }
  std::string Constraint() {
    std::string out = Atom();
    for (int more = static_cast<int>(Below(3)); more > 0; --more) out += ", " + Clause();
    switch (Below(4)) {
      case 0: return out + " -> false\n";
      case 1: return out + " -> " + Atom() + ", " + Clause() + "\n";
      default: return out + " -> " + Clause() + "\n";
    }
  }
  std::size_t Below(int n) { return random_() % static_cast<unsigned>(n); }

 private:
  std::string Number() { return std::to_string(Below(4)); }
  std::string Fact() {
    if (Below(20) == 0) return "e(#{0 " + std::to_string(1 + Below(3)) + "}, " + Number() + ")";
    switch (Below(3)) {
      case 0: return "e(" + Number() + ", " + Number() + ")";
      case 1: return "f(" + Number() + ", " + Number() + ")";
      default: return "g(" + Number() + ")";
    }
  }
  std::string Argument() {
    static const char* const kNames[] = {"?x", "?y", "?z"};
    if (Below(6) == 0) return "_";
    return Below(8) == 0 ? Number() : kNames[Below(3)];
  }
  std::string Atom() {
    static const char* const kUnary[] = {"g", "n"};
    static const char* const kBinary[] = {"e", "f", "d", "t"};
    if (Below(3) == 0) return std::string(kUnary[Below(2)]) + "(" + Argument() + ")";
    return std::string(kBinary[Below(4)]) + "(" + Argument() + ", " + Argument() + ")";
  }
  std::string Clause() {
    switch (Below(10)) {
      case 0: return "not " + Atom();
      case 1: return "?x < 2";
      case 2: return "?x != ?y";
      case 3: return "(" + Atom() + " | " + Atom() + ")";
      case 4: return "?n = |" + Atom() + "|";
      case 5: return "e(#{& ?s}, ?y)";
      default: return Atom();
    }
  }

  std::mt19937 random_;
  std::vector<std::string> facts_;
};

TEST_CASE("several timesteps of random changes tell what whole checks tell") {
  std::size_t from_new_rows = 0, unchanged = 0;
  for (unsigned seed = 0; seed < 1500; ++seed) {
    Random random(seed);
    WatchedRun run;
    std::string program =
        "e(0, 0)\nf(0, 0)\ng(0)\n"
        "d(?x, ?z) <- e(?x, ?y), f(?y, ?z)\n"
        "t(?x, ?y) <- f(?x, ?y)\nt(?x, ?z) <- t(?x, ?y), f(?y, ?z)\n"
        "n(?x) <- g(?x), not e(?x, ?x)\n";
    for (int i = 0; i < 4; ++i) program += random.Constraint();
    run.Take(program + random.Facts(5));
    std::string story = program;
    for (int step = 0; step < 8; ++step) {
      const std::string difference = run.Difference();
      INFO("seed " << seed << "\n" << story << difference);
      REQUIRE(difference == "");
      std::string change;
      switch (random.Below(5)) {
        case 0: break;
        case 1: change = random.Retractions(1 + static_cast<int>(random.Below(2))); break;
        case 2: change = random.Retractions(1) + random.Facts(1); break;
        default: change = random.Facts(1 + static_cast<int>(random.Below(2)));
      }
      story += "then\n" + change;
      run.Take(change);
    }
    from_new_rows += run.watch.counts().from_new_rows;
    unchanged += run.watch.counts().unchanged;
  }
  CHECK(from_new_rows > 2000);
  CHECK(unchanged > 2000);
}

}  // namespace
}  // namespace rpl
