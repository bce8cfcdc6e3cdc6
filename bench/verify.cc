// SPDX-License-Identifier: Apache-2.0
//
// usage: bench_verify
//
// What `rpl verify` does with a rulespec of 10,000 predicates over an envelope from which
// 100,000 facts are extracted: reading, evaluating, and the texts of its reports. Prints
// seconds a part, for an envelope in YAML and for the same one as JSON on one line.
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "checks/verify/rulespec_report.h"
#include "checks/verify/rulespec_run.h"

namespace {

using nlohmann::ordered_json;

constexpr int kGroups = 1000;  // of 100 facts and 10 predicates

ordered_json MakeFacts() {
  ordered_json facts = ordered_json::object();
  for (int i = 0; i < kGroups; ++i) {
    const std::string number = std::to_string(i);
    ordered_json group = {{"items", ordered_json::array()},
                          {"n", ordered_json::array()},
                          {"name", "name " + number},
                          {"count", i},
                          {"file", "src/f" + number + ".rs"}};
    for (int j = 0; j < 50; ++j) group["items"].push_back("v" + number + "-" + std::to_string(j));
    for (int j = 0; j < 45; ++j) group["n"].push_back(j);
    facts["k" + number] = std::move(group);
  }
  return facts;
}

std::string AsYaml(const ordered_json& facts) {
  std::string text = "facts:\n";
  for (const auto& [key, group] : facts.items()) {
    text += "  " + key + ":\n";
    for (const auto& [name, value] : group.items()) {
      text += "    " + name + ":";
      if (!value.is_array()) text += " " + value.dump();
      text += "\n";
      if (value.is_array())
        for (const ordered_json& item : value) text += "      - " + item.dump() + "\n";
    }
  }
  return text;
}

std::string MakeRulespec() {
  std::string claims = "claims:\n";
  std::string predicates = "predicates:\n";
  for (int i = 0; i < kGroups; ++i) {
    const std::string n = std::to_string(i);
    for (const std::string field : {"items", "n", "name", "count", "file"})
      claims += "  - {name: " + field + n + ", selector: k" + n + "." + field + "}\n";
    for (const std::string& keys :
         {"items" + n + ", rule: contains, value: v" + n + "-7",
          "items" + n + ", rule: min_length, value: 50",
          "items" + n + ", rule: not_contains, value: legacy",
          "n" + n + ", rule: less_than, value: 100", "n" + n + ", rule: any_of, value: [1, 2]",
          "name" + n + ", rule: equals, value: name " + n + ", when: {claim: count" + n +
              ", rule: exists}",
          "count" + n + ", rule: greater_than, value: 499",
          "file" + n + ", rule: matches, value: ^src/.*rs$", "file" + n + ", rule: exists",
          "name" + n + ", rule: max_length, value: 2"})
      predicates += "  - {claim: " + keys + ", source: memory}\n";
  }
  return claims + predicates;
}

class Clock {
 public:
  // Seconds since the last lap.
  double Lap() {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    total_ += seconds;
    return seconds;
  }
  double total() const { return total_; }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  double total_ = 0;
};

bool Measure(const char* name, const std::string& rulespec_text, const std::string& envelope_text) {
  rpl::Sources sources;
  rpl::Diagnostics found;
  Clock clock;
  const auto rulespec = rpl::ReadRulespec(sources, sources.Add("r.yaml", rulespec_text), found);
  const double read_rulespec = clock.Lap();
  const auto envelope = rpl::Envelope::Read(sources, sources.Add("e", envelope_text), found);
  const double read_envelope = clock.Lap();
  if (!rulespec || !envelope) return false;
  const rpl::RulespecRun run(*rulespec, *envelope, sources);
  const double evaluate = clock.Lap();
  const std::size_t written = rpl::ProgramAsSouffle(*rulespec, run.program()).size() +
                              rpl::EvaluationReport(*rulespec, run.results(), 0).size();
  const double write = clock.Lap();
  std::size_t passed = 0;
  for (const rpl::CheckResult& result : run.results()) passed += result.passed ? 1 : 0;
  std::printf(
      "%s: %zu predicates (%zu pass), %zu facts: read %.2f s and %.2f s, evaluate %.2f s, write "
      "%.2f s (%zu bytes), together %.2f s\n",
      name, run.results().size(), passed, run.program().extracted, read_rulespec, read_envelope,
      evaluate, write, written, clock.total());
  return run.results().size() == 10'000 && passed == 9'500 && run.program().extracted == 100'000;
}

}  // namespace

int main() {
  const ordered_json facts = MakeFacts();
  const std::string rulespec = MakeRulespec();
  const bool yaml = Measure("yaml", rulespec, AsYaml(facts));
  const bool json = Measure("json", rulespec, ordered_json{{"facts", facts}}.dump());
  if (!yaml || !json) std::fprintf(stderr, "not what was expected\n");
  return yaml && json ? 0 : 1;
}
