// SPDX-License-Identifier: Apache-2.0
//
// An index from texts of a run to places in the sources of its program: from a rule or constraint
// as printed, a fact, or a row, call or goal. The last three lead to the definition of their name
// or, for a tool, to its first call.
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

/// The index. Immutable after construction.
class SourcePlaces {
 public:
  /// Indexes the program and the first `files` of its sources. Borrows the sources.
  SourcePlaces(const Program& program, const Sources& sources, std::uint32_t files);

  /// The place of a trace entry, a row or a rule; nullopt if nothing matches. With several matches,
  /// the first in the sources.
  std::optional<Span> Of(std::string_view text) const;
  /// The beginning of the line that "name:line:column" names; nullopt if there is none.
  std::optional<Span> At(std::string_view place) const;

 private:
  /// A rule, for recognising its instances.
  struct Rule {
    std::vector<std::string> names;  // read by its body, sorted
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
