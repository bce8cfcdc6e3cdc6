// SPDX-License-Identifier: Apache-2.0
//
// A slow, simple evaluator, for tests only: what the engine's answers are compared with.
//
// It reads the syntax tree (grammar/ast.h) and shares nothing with the rest of interp/: no
// values, no plans, no indexes, no deltas, no demand. Every rule runs over all rows until
// nothing changes, stratum by stratum; a tail is solved by taking any clause whose inputs
// are bound. Rows and values are ordered sets, so an answer has no order here.
//
// Covers the pure core: facts, rules with several heads, conjunction, disjunction,
// negation, comparison and arithmetic, counts with and without group keys (decision 25),
// gathering heads (§8), sets (§7, decisions 27, 28, 33), destructuring, maps, nested terms,
// `in`, set operators, templates. Anything else, and recursion through negation, counts or
// gathering, gives nullopt and a problem.
//
// A gathered list is sorted: its order is answer order, which this evaluator has not.
#ifndef RPL_INTERP_NAIVE_H_
#define RPL_INTERP_NAIVE_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "grammar/ast.h"

namespace rpl::naive {

/// A ground value in canonical form: equal values are equal structures. Kinds:
///
///   'i' 'f' number   'a' string   'k' keyword   'y' symbol   'b' true or false   'n' nil
///   'l' list   's' set, parts sorted   'm' map: parts are 'l' pairs, sorted   't' term
///
/// `text` holds the characters of the first line's kinds and the label of a term.
struct Datum {
  char kind = 'n';
  std::string text;
  std::vector<Datum> parts;

  bool operator==(const Datum&) const = default;
  bool operator<(const Datum& o) const;
};

using Row = std::vector<Datum>;

/// A relation: instances, and rows as they were asserted, sets whole (§7).
struct Extension {
  std::set<Row> rows;
  std::set<Row> whole;
};

/// By "label/arity".
using Database = std::map<std::string, Extension>;

/// Derives everything the sentences say. nullopt with `problem` when they are outside the
/// core described above.
std::optional<Database> Evaluate(const std::vector<Sentence>& sentences, std::string* problem);

/// The value of a term without variables; nullopt when it has some.
std::optional<Datum> Ground(const Node& node);

/// RPL text, sets and maps in canonical order.
std::string Text(const Datum& d);

/// JSON as decision 59 has it, but every array is sorted: what is left of a list or a set
/// once order and kind are forgotten.
std::string SortedJson(const Datum& d);

/// A list with its elements sorted; other values as they are.
Datum Unordered(Datum d);

}  // namespace rpl::naive

#endif  // RPL_INTERP_NAIVE_H_
