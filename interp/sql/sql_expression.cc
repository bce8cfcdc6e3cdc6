// SPDX-License-Identifier: Apache-2.0
#include "interp/sql/sql_expression.h"

namespace rpl {
namespace {

bool IsNumeric(SqlType type) { return type == SqlType::kBigint || type == SqlType::kNumeric; }

// The number that it is, else NULL. REQUIRES: it may be one.
std::string NumericOf(const SqlExpression& e) {
  switch (SqlTypeOf(e.kinds)) {
    case SqlType::kNumeric: return e.constant.is_none() ? e.text : e.text + "::numeric";
    case SqlType::kBigint: return e.text + "::numeric";
    default: return "rpl_number(" + e.text + ")";
  }
}

std::string_view FunctionOf(Operator op) {
  switch (op) {
    case Operator::kAdd: return "rpl_add";
    case Operator::kSubtract: return "rpl_subtract";
    case Operator::kMultiply: return "rpl_multiply";
    default: return "rpl_divide";
  }
}

}  // namespace

std::string SqlConstant(const Pool& pool, Value v) {
  const SqlType type = SqlTypeOf(SqlKindOf(pool, v));
  std::string text = SqlLiteral(pool, v, type);
  if (IsNumeric(type)) return text.starts_with('-') ? "(" + text + ")" : text;
  return SqlCastType(type) == "text" ? text + "::text" : text;
}

std::string SqlTag(const SqlExpression& e) {
  if (!e.tagged.empty()) return e.tagged;
  const auto marked = [&](std::string_view mark) {
    return "to_json(" + std::string(mark) + " || " + e.text + ")::text";
  };
  switch (SqlTypeOf(e.kinds)) {
    case SqlType::kString: return marked("'='");
    case SqlType::kKeyword: return marked("':'");
    case SqlType::kSymbol: return marked("''''");
    case SqlType::kTagged: return e.text;
    default: return "(" + e.text + ")::text";
  }
}

std::string SqlCell(const SqlExpression& e, SqlType type) {
  const SqlType own = SqlTypeOf(e.kinds);
  if (own == type) {
    // A literal integer has the smallest type that holds it.
    return IsNumeric(own) && !e.constant.is_none() ? e.text + "::" + std::string(SqlCastType(type))
                                                   : e.text;
  }
  return type == SqlType::kNumeric ? e.text + "::numeric" : SqlTag(e);
}

SqlExpression SqlStringOf(const SqlExpression& e) {
  if (!e.plain.empty()) return SqlStringOf(e.Plain());
  if (SqlTypeOf(e.kinds) == SqlType::kString) return e;
  return {"rpl_text(" + e.text + ")", sql::kString, true};
}

std::string SqlPlain(const SqlExpression& e) {
  switch (SqlTypeOf(e.kinds)) {
    case SqlType::kString:
    case SqlType::kSymbol: return e.text;
    case SqlType::kKeyword: return "':' || " + e.text;
    case SqlType::kTagged: return "rpl_plain(" + e.text + ")";
    default: return "(" + e.text + ")::text";
  }
}

std::optional<std::string> SqlEqual(const SqlExpression& a, const SqlExpression& b,
                                    std::string_view op) {
  const bool numbers = (a.kinds & sql::kNumbers) != 0 && (b.kinds & sql::kNumbers) != 0;
  if (!numbers && (a.kinds & b.kinds) == 0) return std::nullopt;
  // Without nil on the other side NULL decides as nil does: the condition does not hold.
  if (op == "=" && a.plain.empty() != b.plain.empty() &&
      ((a.plain.empty() ? a : b).kinds & sql::kNil) == 0)
    return SqlEqual(a.Plain(), b.Plain(), op);
  const SqlType left = SqlTypeOf(a.kinds), right = SqlTypeOf(b.kinds);
  const std::string sign = " " + std::string(op) + " ";
  if (left == right || (IsNumeric(left) && IsNumeric(right))) return a.text + sign + b.text;
  return SqlTag(a) + sign + SqlTag(b);
}

std::optional<std::string> SqlOrder(const SqlExpression& a, const SqlExpression& b,
                                    std::string_view op) {
  const bool numbers = (a.kinds & sql::kNumbers) != 0 && (b.kinds & sql::kNumbers) != 0;
  const bool strings = (a.kinds & sql::kString) != 0 && (b.kinds & sql::kString) != 0;
  if (!numbers && !strings) return std::nullopt;
  if (!a.plain.empty() || !b.plain.empty()) return SqlOrder(a.Plain(), b.Plain(), op);
  const SqlType left = SqlTypeOf(a.kinds), right = SqlTypeOf(b.kinds);
  const std::string sign = " " + std::string(op) + " ";
  if (IsNumeric(left) && IsNumeric(right)) return a.text + sign + b.text;
  if (left == SqlType::kString && right == SqlType::kString)
    return a.text + R"( COLLATE "C")" + sign + b.text + R"( COLLATE "C")";
  return "rpl_order(" + SqlTag(a) + ", " + SqlTag(b) + ")" + sign + "0";
}

std::optional<SqlExpression> SqlArithmetic(Operator op, const SqlExpression& a,
                                           const SqlExpression& b) {
  if ((a.kinds & sql::kNumbers) == 0 || (b.kinds & sql::kNumbers) == 0) return std::nullopt;
  const bool integers = ((a.kinds | b.kinds) & sql::kNumbers & ~sql::kIntegers) == 0;
  const bool sure = ((a.kinds | b.kinds) & ~sql::kIntegers) == 0;
  if (sure && op != Operator::kDivide)
    return SqlExpression{"(" + NumericOf(a) + " " + OperatorText(op) + " " + NumericOf(b) + ")",
                         sql::kIntegers, a.nullable || b.nullable};
  return SqlExpression{
      std::string(FunctionOf(op)) + "(" + NumericOf(a) + ", " + NumericOf(b) + ")",
      static_cast<SqlKinds>(integers && op != Operator::kDivide ? sql::kIntegers : sql::kNumbers),
      true};
}

std::string SqlTermKey(const Pattern& term) {
  const char* const mark = term.ns == Namespace::kGoal   ? "%"
                           : term.ns == Namespace::kTool ? "$"
                                                         : "";
  return mark + term.label();
}

}  // namespace rpl
