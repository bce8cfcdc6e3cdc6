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
// `in`, set operators, templates. Anything else, and recursion through negation, counts or
// aggregates, gives nullopt and a problem.
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
};

/// By "label/arity".
using Database = std::map<std::string, Extension>;

/// Derives all rows of the sentences. nullopt with `problem` if they are outside the core described
/// above.
std::optional<Database> Evaluate(const std::vector<Sentence>& sentences, std::string* problem);

/// The value of a term without variables; nullopt when it has some.
std::optional<Datum> Ground(const Node& node);

}  // namespace rpl::naive

#endif  // RPL_INTERP_TESTING_NAIVE_H_
