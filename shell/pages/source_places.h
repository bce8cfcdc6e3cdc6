// SPDX-License-Identifier: Apache-2.0
//
// Where in the sources of a program that stands which a text of its run speaks of: a rule or
// a constraint as printed, a fact, or a row, call or goal, which leads to where its name is
// defined, or for a tool, first called.
#ifndef RPL_SHELL_PAGES_SOURCE_PLACES_H_
#define RPL_SHELL_PAGES_SOURCE_PLACES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/diagnostic.h"
#include "interp/program/program.h"

namespace rpl {

class SourcePlaces {
 public:
  /// Reads the program and the first `files` of its sources. The sources are borrowed.
  SourcePlaces(const Program& program, const Sources& sources, std::uint32_t files);

  /// The place of a sentence of the trace, a row, a rule; nullopt when nothing fits.
  std::optional<Span> Of(std::string_view text) const;
  /// What "name:line:column" names.
  std::optional<Span> At(std::string_view place) const;

 private:
  struct Rule {
    std::vector<std::string> names;  // that its body reads, sorted
    Span span;
  };
  void AddClauses(const Program& program, const Clauses& clauses);

  const Sources& sources_;
  std::uint32_t files_;
  std::map<std::string, Span, std::less<>> texts_;
  std::map<std::string, std::vector<Rule>, std::less<>> rules_;  // by the head's name
  std::map<std::string, Span, std::less<>> names_;
};

}  // namespace rpl

#endif  // RPL_SHELL_PAGES_SOURCE_PLACES_H_
