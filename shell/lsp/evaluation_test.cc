// SPDX-License-Identifier: Apache-2.0
#include "shell/lsp/evaluation.h"

#include <catch2/catch.hpp>

namespace rpl::lsp {
namespace {

Evaluation Of(const std::string& text, bool cancelled = false, EvaluationLimits limits = {}) {
  return Evaluation(std::make_shared<TextFile>("untitled:a.rpl", "", text, 1), nullptr,
                    std::make_shared<std::atomic<bool>>(cancelled), limits);
}

constexpr const char* kEndless = "n(0)\nn(?y) <- n(?x), ?y = ?x + 1\n%done <- n(-1)\n";

TEST_CASE("a proof, and the reason for its absence") {
  const std::string text = "edge(1, 2)\nfar(?x) <- edge(1, ?x)\n";
  CHECK(Of(text).Why("far(2)") ==
        "far(2)  untitled:a.rpl:2: far(?x) <- edge(1, ?x)\n  edge(1, 2)  untitled:a.rpl:1\n");
  CHECK(Of(text).Why("far(3)").find("edge(1, 3)") != std::string::npos);
  CHECK(Of(text).Answers("far(?x)") == "2\n");
  CHECK(Of(text + "%g(?x) <- far(?x)\n").Run("g") == "2\nsatisfied: %g\n");
  CHECK(Of(text + "%g(?x) <- far(?x)\n").Run("%g") == "2\nsatisfied: %g\n");
  CHECK(Of(text + "%g(?x) <- far(?x)\n").Run("%") == "2\nsatisfied: %g\n");
  CHECK(Of(text).Run("none") == "there is no goal `%none`");
  CHECK(Of(text).Run("%none") == "there is no goal `%none`");
}

TEST_CASE("a limit and a cancellation are not a no") {
  const EvaluationLimits brief = {.time = std::chrono::milliseconds(5)};
  for (const std::string& said :
       {Of(kEndless, false, brief).Why("n(-1)"), Of(kEndless, false, brief).Answers("n(-1)"),
        Of(kEndless, false, brief).Run("done")})
    CHECK(said == "not known: the evaluation takes longer than 5 ms, the limit in an editor");
  CHECK(Of(kEndless, true).Why("n(-1)") == "not known: cancelled");
  const EvaluationLimits few = {.time = std::chrono::seconds(60), .rows = 100};
  CHECK(Of(kEndless, false, few).Answers("n(-1)").starts_with("not known: "));
  CHECK(Of("p(1)\n", false, {.bytes = 2}).Why("p(1)").starts_with("not known: "));
}

TEST_CASE("the memory of an evaluation is what it takes beyond the editor's documents") {
#if defined(__SANITIZE_ADDRESS__)  // what is freed stays resident for a while
  constexpr std::size_t kMegabytes = 128;
#else
  constexpr std::size_t kMegabytes = 8;
#endif
  const EvaluationLimits small = {
      .time = std::chrono::minutes(1), .megabytes = kMegabytes, .rows = 50'000'000};
  const std::string count = "n(0)\nn(?y) <- n(?x), ?x < 50000, ?y = ?x + 1\n";
  CHECK(Of(count, false, small).Answers("n(50000)") == "true\n");
  CHECK(Of(count + "m(?x, ?y) <- n(?x), n(?y), ?y < 400\n", false, small)
            .Answers("m(-1, 0)")
            .find("MB of memory") != std::string::npos);
}

TEST_CASE("nobody is asked and no tool is called") {
  const std::string text = "% <- $ask(\"Well?\") ^ ~ {:result \"yes\"}, $stock(1)\n";
  CHECK(Of(text).Run("").find("Well?") != std::string::npos);
  CHECK(Of("p(\n").Run("").starts_with("not evaluated: the document has errors"));
}

}  // namespace
}  // namespace rpl::lsp
