// SPDX-License-Identifier: Apache-2.0
//
// The findings about a program, as `rpl check` makes them, for the commands that refuse a program
// with errors.
#ifndef RPL_SHELL_PROGRAM_FINDINGS_H_
#define RPL_SHELL_PROGRAM_FINDINGS_H_

#include <functional>
#include <string>
#include <vector>

#include "interp/lint/checker.h"
#include "runtime/record/journal.h"
#include "shell/program/options.h"

namespace rpl {

class Store;
struct Novelty;

/// CheckOptions::facts for `files`, named RELATION=FILE. Borrows them.
std::function<std::vector<Novelty>(Sources&, Store&, Diagnostics&)> FactsReader(
    const std::vector<ProgramFile>& files, bool strict);

/// Prints the errors and warnings of a program that is to run, on standard error: those of `rpl
/// check --together`, for documents and facts at `paths`. False if one is an error that the run
/// cannot report itself: a circular dependency is left to the person who may override it (§18.6).
///
/// Documents over kCheckedBytes take longer to check than to read. Nothing is printed about them
/// here, and the readers refuse what they cannot read. Of facts files the first rows tell what
/// there is; about the rows themselves nothing is printed, as their reader has more to say.
bool PassesCheck(const std::vector<ProgramFile>& files, const std::vector<std::string>& paths,
                 const EngineOptions& options);

inline constexpr std::size_t kCheckedBytes = std::size_t{1} << 17;

/// Whether PassesCheck prints the findings in the documents among these files.
bool AreDocumentsChecked(const std::vector<ProgramFile>& files);
/// Those of the readers' findings that are in files of facts.
std::vector<Diagnostic> FindingsInFacts(std::vector<Diagnostic> findings, const Sources& sources);

}  // namespace rpl

#endif  // RPL_SHELL_PROGRAM_FINDINGS_H_
