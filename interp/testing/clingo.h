// SPDX-License-Identifier: Apache-2.0
//
// Programs of RPL in the language of clingo, an engine that is not ours, for tests only.
//
// What can be said: facts, rules with several heads, conjunction, disjunction, negation, comparison
// and arithmetic of integers but division, counts with and without group keys (decision 25),
// `in`, `not in` and lengths of lists, list and term patterns, and sets that a fact of one column
// states and a pattern `#{& ?z}` reads whole (decision 88). A rule that needs its caller cannot be
// said, nor a goal that acts: see RandomProgram::ClosedText.
//
// Left out, because clingo has no such value or says something else: floats and division, integers
// beyond 32 bits, maps, sets as values, gathering heads, templates, regular expressions, times,
// metadata, constraints, activation clauses but `@when`, tools, and the order of answers.
//
// Clauses are put into an order in which each has its inputs; what stands under `not`, in a
// disjunction inside of it, or reads a list gets a predicate of its own, with the clauses before as
// its condition.
#ifndef RPL_INTERP_TESTING_CLINGO_H_
#define RPL_INTERP_TESTING_CLINGO_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/ast.h"
#include "interp/testing/unfold.h"

namespace rpl::clingo {

/// Rows by predicate, as clingo writes their terms: "1,y(\"a\")".
using Rows = std::map<std::string, std::set<std::string>>;

/// A program, every predicate of which begins with `prefix`, so that many stand in one text.
/// nullopt with `problem` when clingo cannot say it, or a call does not bind what it must.
std::optional<std::string> Translate(const std::vector<Sentence>& sentences, const Needs& needs,
                                     const std::string& prefix, std::string* problem);

/// How a relation is called.
std::string Predicate(const std::string& prefix, std::string_view label);

/// A value; "" when clingo has none for it.
std::string Term(const Node& ground);

/// The same as RPL has it: "(1, a)".
std::string Readable(const std::string& row);

/// The atoms shown of the one model that `text` has. nullopt with `problem` when it has none or
/// several, or is refused, or there is no clingo.
std::optional<Rows> Solve(const std::string& text, std::string* problem);

}  // namespace rpl::clingo

#endif  // RPL_INTERP_TESTING_CLINGO_H_
