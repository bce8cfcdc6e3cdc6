// SPDX-License-Identifier: Apache-2.0
#include "interp/plan/query_needs.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <utility>

#include "interp/testing/random_program.h"
#include "interp/testing/testing.h"
#include "runtime/run/session.h"

namespace rpl {
namespace {

using testing::Silent;

constexpr const char* kClosure = R"(
e(1, 2)
e(2, 3)
e(7, 8)
t(?x, ?y) <- e(?x, ?y)
t(?x, ?z) <- t(?x, ?y), e(?y, ?z)
via(?x, ?y) <- t(?x, ?y)
other(?x) <- t(?x, _)
)";

// The program after a query, with nothing asked but that.
struct Queried {
  explicit Queried(const std::string& program) : session(agent, Settings()) {
    for (const Diagnostic& d : session.Load("x.rpl", program)) UNSCOPED_INFO(d.message);
  }
  static SessionOptions Settings() {
    SessionOptions out;
    out.answers_only = true;
    return out;
  }
  std::string Ask(const std::string& query) {
    const Outcome outcome = session.Say("q", query + "\n");
    return testing::Join(outcome.answers, " ");
  }
  std::string Derived(const std::string& name, std::uint32_t arity) {
    const Store& store = session.store();
    return testing::Rows(store, store.Find(Space::kRelation, name, arity));
  }

  Silent agent;
  Session session;
};

TEST_CASE("what a query does not rest on is not derived") {
  Queried run(kClosure);
  CHECK(run.Ask("%q(?y) <- e(1, ?y)") == "2");
  CHECK(run.Derived("t", 2) == "");
  CHECK(run.Ask("%q(?x) <- other(?x)") == "1 2 7");
  CHECK(run.Derived("t", 2) == "(1, 2) (2, 3) (7, 8) (1, 3)");
}

TEST_CASE("a value that every recursive call passes on selects the rows") {
  Queried run(kClosure);
  CHECK(run.Ask("%q(?y) <- t(1, ?y)") == "2 3");
  CHECK(run.Derived("t", 2) == "(1, 2) (1, 3)");
  CHECK(run.Ask("%q(?y) <- via(7, ?y)") == "8");
  CHECK(run.Derived("t", 2) == "(7, 8)");
  CHECK(run.Ask("%q(?x) <- t(?x, 3)") == "2 1");
  CHECK(run.Ask("%q(?y) <- t(1, ?y), t(7, _)") == "2 3");
}

TEST_CASE("nothing is selected where somebody reads more") {
  const std::string program = kClosure;
  for (const char* more :
       {"other(?x) -> ?x < 10\n", "not t(3, 1)\n", "|t(?x, _)| = ?n -> ?n < 9\n"}) {
    Queried run(program + more);
    CHECK(run.Ask("%q(?y) <- t(1, ?y)") == "2 3");
    CHECK(run.Derived("t", 2) == "(1, 2) (2, 3) (7, 8) (1, 3)");
  }
}

TEST_CASE("constraints and rules of %fail are evaluated as ever") {
  for (const char* more : {"t(?x, ?z) -> ?z != 8\n", "%fail(\"no\", \"8\") <- t(_, 8)\n"}) {
    Queried run(std::string(kClosure) + more);
    CHECK(run.session.Say("q", "%q(?y) <- e(1, ?y)\n").status == Status::kFailed);
  }
}

// The answers to a query as sorted rows, by a session that derives all, or only what it needs.
struct Asked {
  Status status = Status::kNothing;
  std::vector<std::string> answers;
  std::vector<std::vector<std::string>> cells;  // RPL text

  Asked(const std::string& program, const std::string& query, bool answers_only) {
    Silent agent;
    SessionOptions options;
    options.answers_only = answers_only;
    Session session(agent, options);
    session.Load("x.rpl", program);
    const Outcome outcome = session.Say("q", query + "\n");
    status = outcome.status;
    answers = outcome.answers;
    std::ranges::sort(answers);
    for (std::size_t i = 0; i < outcome.cells.size(); ++i) {
      if (i % outcome.columns.size() == 0) cells.emplace_back();
      cells.back().push_back(Text(session.pool(), outcome.cells[i]));
    }
  }
};

TEST_CASE("a query has the same answers when nothing else is derived") {
  const std::uint32_t programs = Setting("RPL_RANDOM_PROGRAMS", 60);
  const std::uint32_t first = Setting("RPL_RANDOM_SEED", 1);
  for (std::uint32_t seed = first; seed < first + programs; ++seed) {
    const RandomProgram program = MakeProgram(seed);
    const std::string text = program.Text();
    INFO("seed " << seed << "\n" << text);
    for (const RandomRelation& r : program.relations) {
      if (r.columns.empty()) continue;
      std::vector<std::string> args;
      for (std::size_t i = 0; i < r.columns.size(); ++i) args.push_back("?v" + std::to_string(i));
      const auto query = [&] { return "% <- " + r.name + "(" + testing::Join(args, ", ") + ")"; };
      const Asked all(text, query(), false), only(text, query(), true);
      INFO(query());
      REQUIRE(only.status == all.status);
      REQUIRE(only.answers == all.answers);
      if (all.cells.empty()) continue;
      const std::vector<std::string>& row = all.cells[seed % all.cells.size()];
      for (std::size_t i = 0; i < std::min(row.size(), args.size()); ++i) {
        const std::string before = std::exchange(args[i], row[i]);
        const Asked one(text, query(), false), selected(text, query(), true);
        INFO(query());
        REQUIRE(selected.status == one.status);
        REQUIRE(selected.answers == one.answers);
        args[i] = before;
      }
    }
  }
}

}  // namespace
}  // namespace rpl
