// SPDX-License-Identifier: Apache-2.0
//
// The checker: static findings about a program.
//
// CheckFiles reads the files as one program and returns the findings of the readers, of lowering
// and of its own passes, each in a file of interp/lint: names (names.cc), variables and plans
// (variables.cc), recursion without an end (recursion.cc), forms of clauses (forms.cc), habits of
// other languages (habits.cc), kinds of values (kinds.cc), headings and prose (document.cc), and
// authority to state facts (authority.cc). One cause gives one finding, in the author's own names;
// consequences of another finding are omitted. The checker does not affect evaluation: a program
// with findings still runs.
//
// A finding may have edits. They are mechanical: applying all of them gives a program with the same
// meaning (or, after a syntax error, with the intended one) and without these findings.
//
// `<!-- rpl-ignore RPL6001: reason -->` in Markdown and `-- rpl-ignore RPL6001: reason` in
// RPL suppress findings of that code on their own line and, if alone on it, on the next line with
// text; where that line belongs to a sentence, on all lines of the sentence. A suppression without
// effect is a finding itself.
#ifndef RPL_INTERP_LINT_CHECKER_H_
#define RPL_INTERP_LINT_CHECKER_H_

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "formats/diagnostic.h"
#include "grammar/formatter.h"

namespace rpl {

class Store;
struct Novelty;

struct Finding {
  Diagnostic diagnostic;
  std::vector<Edit> edits;  // none: the author must decide

  bool fixable() const { return !edits.empty(); }
};

struct CheckOptions {
  /// The reader of file namespaces (§17.7), as in Session::SetFileReader; may be empty. Such files
  /// are read for their definitions; their own findings are not reported.
  std::function<std::optional<std::string>(const std::string&)> reader;
  /// Reads the facts that come from other files than documents into `store`, with their findings;
  /// may be empty. Their relations are defined.
  std::function<std::vector<Novelty>(Sources& sources, Store& store, Diagnostics& out)> facts;
  /// Labels of the tools that the host offers; the program must declare others.
  std::set<std::string> tools;
  /// Warnings become errors.
  bool strict = false;
};

/// The findings of `files`, sorted by file, place and code. Adds the files that
/// namespaces name to `sources`. About linear in the size of the files.
std::vector<Finding> CheckFiles(Sources& sources, const std::vector<std::uint32_t>& files,
                                const CheckOptions& options);

/// The findings to fix next: syntax errors, or, if there are none, all others. After fixing them,
/// check again.
std::vector<Finding> Mendable(const std::vector<Finding>& findings);

/// The text of `file` with the edits of `findings` applied; of two that overlap only the
/// earlier one.
std::string Fixed(const Sources& sources, std::uint32_t file, const std::vector<Finding>& findings);

}  // namespace rpl

#endif  // RPL_INTERP_LINT_CHECKER_H_
