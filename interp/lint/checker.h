// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with a program, as far as it can be known without running it.
//
// CheckFiles reads the files as one program and returns the findings of the readers, of
// lowering and of its own passes: names (interp/lint/names.cc), variables and plans
// (check_variables.cc), forms of clauses (check_forms.cc), kinds of values (check_kinds.cc),
// headings and prose (check_document.cc). One cause gives one finding, in the author's own names;
// what only follows from another finding is left out. Engine behaviour is not touched: a program
// with findings runs as it does without the checker.
//
// A finding may carry edits. They are mechanical: applying all of them leaves a program
// that means the same (or, after a syntax error, what it was meant to mean) and that gives
// these findings no more.
//
// `<!-- rpl-ignore RPL6001: reason -->` in Markdown and `-- rpl-ignore RPL6001: reason` in
// RPL take out findings of that code on their own line and, when they stand alone on it,
// on the next line with text. One that takes out nothing is a finding itself.
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

struct Finding {
  Diagnostic diagnostic;
  std::vector<Edit> edits;  // none: a person must decide

  bool fixable() const { return !edits.empty(); }
};

struct CheckOptions {
  /// How a file namespace is resolved (§17.7), as Session::SetFileReader; may be empty.
  /// What it returns is read for its definitions; its own findings are not reported.
  std::function<std::optional<std::string>(const std::string&)> reader;
  /// Tools that the host offers, by label; others are to be declared in the program.
  std::set<std::string> tools;
  /// Warnings become errors.
  bool strict = false;
};

/// The findings of `files`, sorted by file, place and code. Adds the files that
/// namespaces name to `sources`. About linear in the size of the files.
std::vector<Finding> CheckFiles(Sources& sources, const std::vector<std::uint32_t>& files,
                                const CheckOptions& options);

/// The findings to mend next: those of text that does not read as RPL yet, and the others
/// once there are none. After mending them, check again.
std::vector<Finding> Mendable(const std::vector<Finding>& findings);

/// The text of `file` with the edits of `findings` applied; of two that overlap only the
/// earlier one.
std::string Fixed(const Sources& sources, std::uint32_t file, const std::vector<Finding>& findings);

}  // namespace rpl

#endif  // RPL_INTERP_LINT_CHECKER_H_
