// SPDX-License-Identifier: Apache-2.0
//
// A slow, simple evaluator, for differential tests of the engine.
//
// It reads the syntax tree (grammar/ast.h) and shares nothing with the rest of interp/: no
// values, no plans, no indexes, no deltas, no tables. Every rule runs over all rows until
// nothing changes, stratum by stratum; a tail is solved by taking any clause whose inputs
// are bound. Rows and values are ordered sets, so answers have no order of their own.
//
// Covers the pure core: facts, rules with several heads, conjunction, disjunction,
// negation, comparison and arithmetic, counts with and without group keys (decision 25),
// aggregate heads (§8), sets (§7, decisions 27, 28, 33), destructuring, maps, nested terms,
// `in`, set operators, templates, goals that only derive, constraints. Anything else, and recursion
// through negation, counts or aggregates, gives nullopt and a problem.
//
// A clause is true, false or undecided (decision 93): orders, arithmetic and counts that are
// undefined for their values are undecided, whatever else stands in the sentence. A conjunction
// with a false clause is false, an alternative with a true one true. A variable that an undefined
// clause would bind may be any value.
//
// Aggregated lists are sorted: their order in RPL is answer order, which does not exist here.
#ifndef RPL_INTERP_TESTING_NAIVE_H_
#define RPL_INTERP_TESTING_NAIVE_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "grammar/ast.h"
#include "interp/testing/naive_datum.h"

namespace rpl::naive {

using Row = std::vector<Datum>;

/// A relation: instances, and rows as they were asserted, sets whole (§7).
struct Extension {
  std::set<Row> rows;
  std::set<Row> whole;
  /// Instances that may hold, none of them in `rows`. All others are false.
  std::set<Row> undecided;
};

/// By "label/arity"; "%label/arity" for a goal.
using Database = std::map<std::string, Extension>;

/// Derives all rows of the sentences, whose constraints are left out. nullopt with `problem` if
/// they are outside the core described above.
std::optional<Database> Evaluate(const std::vector<Sentence>& sentences, std::string* problem);

/// Of each constraint among the sentences (§12.2), in their order, whether it holds. A right side
/// that is undecided does not hold.
std::optional<std::vector<Truth>> Judge(const std::vector<Sentence>& sentences, const Database& db,
                                        std::string* problem);

/// The value of a term without variables; nullopt when it has some.
std::optional<Datum> Ground(const Node& node);

}  // namespace rpl::naive

#endif  // RPL_INTERP_TESTING_NAIVE_H_
