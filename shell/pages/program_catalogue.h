// SPDX-License-Identifier: Apache-2.0
//
// What a program consists of: its relations, goals, tools and avars, each with where it is
// defined, what is said of it, what it uses and what uses it. Read from the normal form of
// the program; nothing is derived or called.
#ifndef RPL_SHELL_PAGES_PROGRAM_CATALOGUE_H_
#define RPL_SHELL_PAGES_PROGRAM_CATALOGUE_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/diagnostic.h"
#include "runtime/journal.h"

namespace rpl {

struct CatalogueEntry {
  enum class Kind { kGoal, kRelation, kTool, kAvar };
  Kind kind = Kind::kRelation;
  std::string name;                  // with its mark and namespace: "edge", "%a.md#trip", "$stock"
  std::string name_space;            // "" or "a.md" (§17.7)
  std::size_t arity = 0;             // of a goal: its captures
  std::string prose;                 // the first sentence below its heading, in one line
  std::vector<Span> defined;         // its headings and rules, and the first of its facts, in order
  std::size_t facts = 0;             // that the text asserts
  std::vector<std::size_t> uses;     // numbers of entries, ascending
  std::vector<std::size_t> used_by;  // the same

  /// "edge/2", "%trip/0", "$stock/1"; of the root goal "%", of an avar "$x".
  std::string Id() const;
};

std::string_view CatalogueKindName(CatalogueEntry::Kind kind);

struct CatalogueConstraint {
  std::string text;
  Span span;
  std::vector<std::size_t> reads;  // numbers of entries, ascending
};

struct Catalogue {
  Sources sources;
  std::vector<Diagnostic> findings;  // of all files; with errors, the rest is not whole
  /// By namespace, the program's own first; in one, by kind; else in the order of the text.
  std::vector<CatalogueEntry> entries;
  std::vector<CatalogueConstraint> constraints;  // in the order of the text
};

/// Reads the files of a program, and those that they name, by `reader`.
Catalogue CatalogueOf(const std::vector<ProgramFile>& files,
                      const std::function<std::optional<std::string>(const std::string&)>& reader);

}  // namespace rpl

#endif  // RPL_SHELL_PAGES_PROGRAM_CATALOGUE_H_
