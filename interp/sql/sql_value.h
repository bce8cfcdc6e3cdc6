// SPDX-License-Identifier: Apache-2.0
//
// Values as SQL: the type of a column, literals, and the cells of a result.
//
// The kinds of value that a column may hold decide its type. A column of one kind holds it plainly;
// any other is *tagged*: text in which equal values, and only these, have equal texts.
//
//   kinds                      type        a cell
//   integers of 64 bits        bigint      5
//   numbers                    numeric     0.5     a float as its shortest decimal
//   strings                    text        the characters
//   symbols, or keywords       text        the name, without the colon
//   true and false             boolean
//   all else                   text        tagged
//
//   tagged   null  true  5  0.5  "=a string"  ":keyword"  "'symbol"  [1, "'a"]  {"f": [1]}
//
// Tagged text is JSON as jsonb prints it, so that its parts are found by functions of jsonb and
// built by concatenation. All text is under COLLATE "C". nil is a value, never NULL. Decimals of
// floats keep their order, also among integers, and a whole number is an integer, so that numeric
// compares as numbers do (decision 89).
//
// Sets, maps, names as data, texts with a NUL and values of more than kMostSqlBytes have no
// counterpart.
#ifndef RPL_INTERP_SQL_SQL_VALUE_H_
#define RPL_INTERP_SQL_SQL_VALUE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "interp/store/value.h"

namespace rpl {

/// A set of kinds of value.
using SqlKinds = std::uint16_t;
namespace sql {
inline constexpr SqlKinds kInt64 = 1 << 0;
inline constexpr SqlKinds kInteger = 1 << 1;  // that 64 bits may not hold
inline constexpr SqlKinds kFloat = 1 << 2;
inline constexpr SqlKinds kString = 1 << 3;
inline constexpr SqlKinds kSymbol = 1 << 4;
inline constexpr SqlKinds kKeyword = 1 << 5;
inline constexpr SqlKinds kBoolean = 1 << 6;
inline constexpr SqlKinds kNil = 1 << 7;
inline constexpr SqlKinds kList = 1 << 8;
inline constexpr SqlKinds kTerm = 1 << 9;
inline constexpr SqlKinds kIntegers = kInt64 | kInteger;
inline constexpr SqlKinds kNumbers = kIntegers | kFloat;
inline constexpr SqlKinds kAny = (1 << 10) - 1;
}  // namespace sql

inline constexpr std::size_t kMostSqlBytes = std::size_t{1} << 20;

enum class SqlType : std::uint8_t {
  kBigint,
  kNumeric,
  kString,
  kSymbol,
  kKeyword,
  kBoolean,
  kTagged,
};

/// The type of a column for values of these kinds.
SqlType SqlTypeOf(SqlKinds kinds);
/// As in a definition of a column: `text COLLATE "C"`.
std::string_view SqlColumnType(SqlType type);
/// As in a cast: "text".
std::string_view SqlCastType(SqlType type);

/// The kind of a value; 0 if it has no counterpart.
SqlKinds SqlKindOf(const Pool& pool, Value v);

/// The tagged text of a value, unquoted. REQUIRES: it has a counterpart.
std::string SqlTagged(const Pool& pool, Value v);
/// A literal for a column of the type, without a cast. REQUIRES: the type is that of kinds with the
/// value's.
std::string SqlLiteral(const Pool& pool, Value v, SqlType type);
/// A string of JSON as jsonb prints it, with its quotes.
std::string SqlJsonString(std::string_view text);

/// The value of a cell as the server prints it; kNone if it is no value of the type.
Value ValueOfSql(Pool& pool, std::string_view cell, SqlType type);

}  // namespace rpl

#endif  // RPL_INTERP_SQL_SQL_VALUE_H_
