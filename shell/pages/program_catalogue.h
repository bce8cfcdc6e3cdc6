// SPDX-License-Identifier: Apache-2.0
//
// The catalogue of a program: its relations, goals, tools and avars, each with its definitions, its
// description, and its uses in both directions. It is read from the program's normal form; nothing
// is derived or called.
#ifndef RPL_SHELL_PAGES_PROGRAM_CATALOGUE_H_
#define RPL_SHELL_PAGES_PROGRAM_CATALOGUE_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/diagnostic.h"
#include "runtime/record/journal.h"

namespace rpl {

/// A relation, goal, tool or avar.
struct CatalogueEntry {
  /// In the order of the catalogue.
  enum class Kind { kGoal, kRelation, kTool, kAvar };
  Kind kind = Kind::kRelation;
  std::string name;        // with its mark and namespace: "edge", "%a.md#trip", "$stock"
  std::string name_space;  // "" or "a.md" (§17.7)
  std::size_t arity = 0;   // for a goal: the number of its captures
  std::string prose;       // the first sentence below its heading, on one line
  std::string text;        // the whole prose below its heading
  std::string group;       // the title of the outermost heading around it
  std::vector<std::string> arguments;  // names, as in the heading or the first rule; "" for none
  std::size_t rules = 0;
  bool asked = false;                // a heading that asks a person
  bool asks = false;                 // a rule of it asks, as by $ask
  bool computed = false;             // by the engine, without rules: a relation of the library
  std::vector<Span> defined;         // its headings, its rules and the first of its facts, in order
  std::size_t facts = 0;             // asserted by the text
  std::string stated_by;             // of relations: the parties outside that may state it
  std::string needs;                 // the arguments that a caller binds: "?x or ?y" (decision 87)
  std::vector<std::size_t> uses;     // indexes of entries, ascending
  std::vector<std::size_t> used_by;  // likewise

  /// The unique name: "edge/2", "%trip/0", "$stock/1"; "%" for the root goal, "$x" for an avar.
  std::string Id() const;
};

/// The kind in lower case: "goal", "relation", "tool", "avar".
std::string_view CatalogueKindName(CatalogueEntry::Kind kind);

/// A constraint of the program.
struct CatalogueConstraint {
  std::string text;
  Span span;
  std::vector<std::size_t> reads;  // indexes of entries, ascending
};

/// The catalogue, which owns the sources of its spans.
struct Catalogue {
  Sources sources;
  std::vector<Diagnostic> findings;  // about all files; with an error the rest is incomplete
  /// By namespace, the program's own first; then by kind; then in the order of the text.
  std::vector<CatalogueEntry> entries;
  std::vector<CatalogueConstraint> constraints;  // in the order of the text
};

/// Reads the files of a program, and through `reader` the files that they name. A file that
/// `reader` does not find gives an error. Files of facts are read as by a session.
Catalogue CatalogueOf(const std::vector<ProgramFile>& files,
                      const std::function<std::optional<std::string>(const std::string&)>& reader,
                      bool strict_facts = false);

}  // namespace rpl

#endif  // RPL_SHELL_PAGES_PROGRAM_CATALOGUE_H_
