// SPDX-License-Identifier: Apache-2.0
//
// The values of the naive evaluator (interp/testing/naive.h): plain structures, compared part by
// part.
#ifndef RPL_INTERP_TESTING_NAIVE_DATUM_H_
#define RPL_INTERP_TESTING_NAIVE_DATUM_H_

#include <cstdint>
#include <string>
#include <vector>

namespace rpl::naive {

/// A ground value in canonical form: equal values are equal structures. Kinds:
///
///   'i' 'f' number   'a' string   'k' keyword   'y' symbol   'b' true or false   'n' nil
///   'l' list   's' set, parts sorted   'm' map: parts are 'l' pairs, sorted   't' term
///   '?' the value of what is undefined: it may equal any other
///
/// `text` holds the characters of the first line's kinds and the label of a term.
struct Datum {
  char kind = 'n';
  std::string text;
  std::vector<Datum> parts;

  bool operator==(const Datum&) const = default;
  bool operator<(const Datum& o) const;
};

/// False, true, or neither is known (decision 93). A conjunction is the least of its clauses, a
/// disjunction the greatest of its alternatives.
enum class Truth { kFalse, kUndecided, kTrue };

/// The value of what is undefined.
Datum Unknown();
bool HasUnknown(const Datum& d);
Truth Equal(const Datum& a, const Datum& b);

Datum IntDatum(std::int64_t v);
/// An integer, when the number is one.
Datum FloatDatum(double v);
Datum SetDatum(std::vector<Datum> parts);
/// Of keys, each followed by its value; the first of a key counts.
Datum MapDatum(const std::vector<Datum>& flat);

/// The text of a value in a template.
std::string Plain(const Datum& d);

/// RPL text, sets and maps in canonical order.
std::string Text(const Datum& d);

/// JSON by decision 59, but with every array sorted, which removes the order of lists and the
/// difference between lists and sets.
std::string SortedJson(const Datum& d);

/// A list with its elements sorted; other values as they are.
Datum Unordered(Datum d);

}  // namespace rpl::naive

#endif  // RPL_INTERP_TESTING_NAIVE_DATUM_H_
