// SPDX-License-Identifier: Apache-2.0
//
// The coverage of protocols by test scripts: the parts of the files that scripts LOAD
// (interp/eval/coverage.h), added up over all scripts, and reports of it.
//
// A script runs in a process of its own and sends what it found as JSON. Programs that stand in a
// script, and those that its commands run, are not counted. A part is known by its file, its place
// and its text.
#ifndef RPL_SHELL_SCRIPT_SCRIPT_COVERAGE_H_
#define RPL_SHELL_SCRIPT_SCRIPT_COVERAGE_H_

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "interp/eval/coverage.h"

namespace rpl {

struct CoverageFile;

/// The parts of a session's program that stand in `files`, as JSON for ScriptCoverage::Add.
nlohmann::ordered_json CoverageJson(const Program& program, const Profile& profile,
                                    const std::set<std::string>& files);

class ScriptCoverage {
 public:
  /// How many of the parts of a kind did something.
  struct Tally {
    std::uint64_t covered = 0;
    std::uint64_t parts = 0;
  };

  /// Adds what a script found. REQUIRES: `found` is from CoverageJson.
  void Add(const nlohmann::ordered_json& found);

  /// The covered parts in percent, rounded down to a tenth; 100 if there are none.
  double Percent() const;

  /// A line for each file with its tallies, below it the parts that did nothing, and the total.
  /// Printable.
  std::string Text() const;
  /// The same for a page (shell/pages/coverage_page.h), without the texts of the files.
  std::vector<CoverageFile> Files() const;
  /// The tracefile format of lcov: DA for the lines of rules, headings and constraints, BRDA for
  /// branches.
  std::string Lcov() const;
  /// {"percent", "files": [{"file", "parts": [{"kind", "line", "text", "count"}]}]}
  nlohmann::ordered_json Json() const;

 private:
  struct Key {
    std::uint32_t line;
    std::uint32_t begin;
    PartKind kind;
    std::string text;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  using Parts = std::map<Key, std::uint64_t>;  // the counts
  static Tally TallyOf(const Parts& parts, const PartKind* kind = nullptr);

  std::map<std::string, Parts> files_;
};

}  // namespace rpl

#endif  // RPL_SHELL_SCRIPT_SCRIPT_COVERAGE_H_
