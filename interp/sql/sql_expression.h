// SPDX-License-Identifier: Apache-2.0
//
// Expressions of SQL over values of known kinds: equality, order, arithmetic and texts.
//
// An operation that no value of the kinds has is nullopt: its clause cannot hold. An operation that
// some values lack is NULL for these.
#ifndef RPL_INTERP_SQL_SQL_EXPRESSION_H_
#define RPL_INTERP_SQL_SQL_EXPRESSION_H_

#include <optional>
#include <string>
#include <string_view>

#include "interp/program/clause.h"
#include "interp/sql/sql_value.h"

namespace rpl {

/// An expression of the type of its kinds.
struct SqlExpression {
  std::string text;
  SqlKinds kinds = 0;
  bool nullable = false;
  Value constant = kNone;   // of a literal
  std::string tagged = {};  // of a literal: the literal of its tagged text
  std::string plain = {};   // of a column with nil and one other type: of that type, NULL for nil

  /// The plain expression, where there is one.
  SqlExpression Plain() const {
    if (plain.empty()) return *this;
    return {plain, static_cast<SqlKinds>(kinds & ~sql::kNil), true};
  }
};

/// A value as a literal that needs no context to have its type.
std::string SqlConstant(const Pool& pool, Value v);
/// As tagged text.
std::string SqlTag(const SqlExpression& e);
/// As a cell of the type. REQUIRES: it is the type of kinds with those of `e`.
std::string SqlCell(const SqlExpression& e, SqlType type);
/// Where it is a string, the string, else NULL. REQUIRES: it may be one.
SqlExpression SqlStringOf(const SqlExpression& e);
/// The text of a scalar that is no float in a template.
std::string SqlPlain(const SqlExpression& e);

/// `a = b`, or another operator in place of `=`.
std::optional<std::string> SqlEqual(const SqlExpression& a, const SqlExpression& b,
                                    std::string_view op = "=");
/// `a < b`: of two numbers or two strings.
std::optional<std::string> SqlOrder(const SqlExpression& a, const SqlExpression& b,
                                    std::string_view op);
/// REQUIRES: + - * or /.
std::optional<SqlExpression> SqlArithmetic(Operator op, const SqlExpression& a,
                                           const SqlExpression& b);

/// The key of a term in tagged text: its label with the mark of its namespace.
std::string SqlTermKey(const Pattern& term);

}  // namespace rpl

#endif  // RPL_INTERP_SQL_SQL_EXPRESSION_H_
