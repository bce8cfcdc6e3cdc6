// SPDX-License-Identifier: Apache-2.0
//
// Feeds the text before a line `====` as a rulespec and the text after it as an envelope.
//
// Both are read or refused, with places inside the text. What is read is evaluated: there is a
// record for each predicate, with a message; the Datalog file is one that a stock engine reads,
// and it says of each predicate what the engine said. The same input gives the same texts.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>

#include "checks/verify/plain_souffle.h"
#include "checks/verify/rulespec_report.h"
#include "checks/verify/rulespec_run.h"
#include "fuzz/require.h"
#include "interp/explain/explain_print.h"

namespace rpl::fuzz {
namespace {

Limits LowLimits() {
  Limits limits;
  limits.max_rows = 100'000;
  limits.max_rounds = 100;
  limits.max_depth = 100;
  return limits;
}

void RequirePlaces(const Diagnostics& found, const Sources& sources) {
  for (const Diagnostic& d : found.all()) {
    Require(d.span.begin <= d.span.end && d.span.end <= sources.at(d.span.file).text.size(),
            "a finding lies in its text", d.message);
    Require(!Render(d, sources).empty(), "a finding can be shown");
  }
}

// The Datalog file, or "" when the input is refused.
std::string Evaluate(const std::string& rulespec_text, const std::string& envelope_text) {
  Sources sources;
  Diagnostics found;
  const auto rulespec = ReadRulespec(sources, sources.Add("r.yaml", rulespec_text), found);
  const auto envelope = Envelope::Read(sources, sources.Add("e.yaml", envelope_text), found);
  RequirePlaces(found, sources);
  if (!rulespec || !envelope) return "";
  RulespecRun run(*rulespec, *envelope, sources, LowLimits());
  if (!run.problem().empty()) return "";
  Require(run.results().size() == rulespec->predicates.size(), "a record for each predicate");
  const std::string file = ProgramAsSouffle(*rulespec, run.program());
  plain::SouffleResult plain;
  try {
    plain = plain::RunSouffle(file);
  } catch (const std::exception& e) {
    Require(false, "the Datalog file reads", e.what());
  }
  for (std::size_t i = 0; i < run.results().size(); ++i) {
    const CheckResult& result = run.results()[i];
    const plain::SouffleRow id = {"n" + std::to_string(i)};
    Require(!result.message.empty(), "a record has a message");
    Require(plain.relations["predicate_pass"].contains(id) == result.passed &&
                plain.relations["predicate_fail"].contains(id) != result.passed,
            "the Datalog file says what the engine says", result.message + "\n" + file);
  }
  if (!run.results().empty())
    Require(!ExplanationText(run.Explain(0), sources).empty(), "a predicate can be explained");
  return file + EvaluationReport(*rulespec, run.results(), run.program().extracted);
}

}  // namespace
}  // namespace rpl::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string input(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = std::min(input.find("====\n"), input.size());
  const std::string envelope = cut == input.size() ? "" : input.substr(cut + 5);
  const std::string first = rpl::fuzz::Evaluate(input.substr(0, cut), envelope);
  rpl::fuzz::Require(first == rpl::fuzz::Evaluate(input.substr(0, cut), envelope),
                     "the same input gives the same texts");
  return 0;
}
