// SPDX-License-Identifier: Apache-2.0
#include "interp/sql/sql_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <vector>

#include "formats/data/json_text.h"
#include "formats/sql_text.h"
#include "interp/store/integer.h"

namespace rpl {
namespace {

// As jsonb prints a string, without its quotes.
void AddEscaped(std::string_view text, std::string& out) {
  for (const char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\b': out += "\\b"; break;
      case '\f': out += "\\f"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20)
          out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else out += c;
    }
  }
}

// A number in decimal digits, without an exponent.
std::string Decimal(const Pool& pool, Value v) {
  if (const auto small = pool.Int64Of(v)) return std::to_string(*small);
  if (Pool::IsInt(v)) return pool.IntegerOf(v).Digits();
  std::array<char, 400> buffer{};  // the smallest float has 324 zeros before its digits
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), *pool.AsDouble(v),
                                 std::chars_format::fixed);
  return {buffer.data(), end.ptr};
}

// The key of a term: its label with the mark of its namespace.
std::string TermKey(const Pool& pool, Value v) {
  const Namespace ns = pool.NamespaceOf(v);
  const char* const mark = ns == Namespace::kGoal ? "%" : ns == Namespace::kTool ? "$" : "";
  return mark + std::string(pool.TextOf(v));
}

// Recurses as deep as values nest, which the pool limits; a text of kMostSqlBytes limits the work.
void AddTagged(const Pool& pool, Value v, std::string& out) {
  const auto items = [&](std::span<const Value> parts) {
    out += '[';
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (i > 0) out += ", ";
      AddTagged(pool, parts[i], out);
    }
    out += ']';
  };
  const auto text = [&](char mark) {
    out += '"';
    out += mark;
    AddEscaped(pool.TextOf(v), out);
    out += '"';
  };
  switch (v.kind()) {
    case Kind::kSpecial: out += v == kNil ? "null" : v == kTrue ? "true" : "false"; break;
    case Kind::kString: text('='); break;
    case Kind::kKeyword: text(':'); break;
    case Kind::kSymbol: text('\''); break;
    case Kind::kList: items(pool.ItemsOf(v)); break;
    case Kind::kTerm:
      out += "{\"";
      AddEscaped(TermKey(pool, v), out);
      out += "\": ";
      items(pool.ItemsOf(v));
      out += '}';
      break;
    default: out += Decimal(pool, v);
  }
}

bool HasCounterpart(const Pool& pool, Value v) {
  switch (v.kind()) {
    case Kind::kSpecial: return v == kNil || v == kTrue || v == kFalse;
    case Kind::kInt:
    case Kind::kBigInt:
    case Kind::kFloat: return true;
    case Kind::kString:
    case Kind::kKeyword:
    case Kind::kSymbol: return pool.TextOf(v).find('\0') == std::string_view::npos;
    case Kind::kList:
    case Kind::kTerm: {
      const std::span<const Value> items = pool.ItemsOf(v);
      return std::all_of(items.begin(), items.end(),
                         [&](Value item) { return HasCounterpart(pool, item); });
    }
    default: return false;
  }
}

Value NumberOf(Pool& pool, std::string_view text) {
  const NumberText read = ReadNumber(text);
  return read.problem == NumberText::Problem::kNone ? pool.Number(read.value) : kNone;
}

Value ValueOfJson(Pool& pool, const nlohmann::ordered_json& json) {
  const auto list = [&](const nlohmann::ordered_json& array, std::vector<Value>& out) {
    for (const auto& item : array) {
      out.push_back(ValueOfJson(pool, item));
      if (out.back().is_none()) return false;
    }
    return true;
  };
  if (const auto digits = DigitsOf(json)) return pool.Int(Integer::OfDigits(*digits));
  if (json.is_null()) return kNil;
  if (json.is_boolean()) return Pool::Bool(json.get<bool>());
  if (json.is_number_unsigned()) return NumberOf(pool, json.dump());
  if (json.is_number_integer()) return pool.Int(json.get<std::int64_t>());
  if (json.is_number()) return pool.Float(json.get<double>());
  std::vector<Value> items;
  if (json.is_array()) return list(json, items) ? pool.List(items) : kNone;
  if (json.is_string()) {
    const auto& text = json.get_ref<const std::string&>();
    if (text.empty()) return kNone;
    const std::string_view rest = std::string_view(text).substr(1);
    if (text.front() == '=') return pool.String(rest);
    if (text.front() == ':') return pool.Keyword(rest);
    return text.front() == '\'' ? pool.Symbol(rest) : kNone;
  }
  if (!json.is_object() || json.size() != 1 || !json.begin().value().is_array()) return kNone;
  if (!list(json.begin().value(), items)) return kNone;
  std::string_view key = json.begin().key();
  const Namespace ns = key.starts_with('%')   ? Namespace::kGoal
                       : key.starts_with('$') ? Namespace::kTool
                                              : Namespace::kRelation;
  if (ns != Namespace::kRelation) key.remove_prefix(1);
  return pool.Term(ns, key, items);
}

}  // namespace

SqlType SqlTypeOf(SqlKinds kinds) {
  if (kinds == 0) return SqlType::kTagged;
  if ((kinds & ~sql::kInt64) == 0) return SqlType::kBigint;
  if ((kinds & ~sql::kNumbers) == 0) return SqlType::kNumeric;
  if (kinds == sql::kString) return SqlType::kString;
  if (kinds == sql::kSymbol) return SqlType::kSymbol;
  if (kinds == sql::kKeyword) return SqlType::kKeyword;
  return kinds == sql::kBoolean ? SqlType::kBoolean : SqlType::kTagged;
}

std::string_view SqlCastType(SqlType type) {
  switch (type) {
    case SqlType::kBigint: return "bigint";
    case SqlType::kNumeric: return "numeric";
    case SqlType::kBoolean: return "boolean";
    default: return "text";
  }
}

std::string_view SqlColumnType(SqlType type) {
  const std::string_view cast = SqlCastType(type);
  return cast == "text" ? R"(text COLLATE "C")" : cast;
}

SqlKinds SqlKindOf(const Pool& pool, Value v) {
  if (pool.TextBytes(v) > kMostSqlBytes || !HasCounterpart(pool, v)) return 0;
  switch (v.kind()) {
    case Kind::kSpecial: return v == kNil ? sql::kNil : sql::kBoolean;
    case Kind::kInt: return sql::kInt64;
    case Kind::kBigInt: return pool.Int64Of(v) ? sql::kInt64 : sql::kInteger;
    case Kind::kFloat: return sql::kFloat;
    case Kind::kString: return sql::kString;
    case Kind::kKeyword: return sql::kKeyword;
    case Kind::kSymbol: return sql::kSymbol;
    case Kind::kList: return sql::kList;
    case Kind::kTerm: return sql::kTerm;
    default: return 0;
  }
}

std::string SqlTagged(const Pool& pool, Value v) {
  std::string out;
  AddTagged(pool, v, out);
  return out;
}

std::string SqlJsonString(std::string_view text) {
  std::string out = "\"";
  AddEscaped(text, out);
  return out + "\"";
}

std::string SqlLiteral(const Pool& pool, Value v, SqlType type) {
  switch (type) {
    case SqlType::kBigint:
    case SqlType::kNumeric: return Decimal(pool, v);
    case SqlType::kString:
    case SqlType::kSymbol:
    case SqlType::kKeyword: return SqlQuoted(pool.TextOf(v));
    case SqlType::kBoolean: return v == kTrue ? "true" : "false";
    case SqlType::kTagged: return SqlQuoted(SqlTagged(pool, v));
  }
  return "";
}

Value ValueOfSql(Pool& pool, std::string_view cell, SqlType type) {
  switch (type) {
    case SqlType::kBigint:
    case SqlType::kNumeric: return NumberOf(pool, cell);
    case SqlType::kString: return pool.String(cell);
    case SqlType::kSymbol: return pool.Symbol(cell);
    case SqlType::kKeyword: return pool.Keyword(cell);
    case SqlType::kBoolean:
      if (cell == "t" || cell == "true") return kTrue;
      return cell == "f" || cell == "false" ? kFalse : kNone;
    case SqlType::kTagged: {
      const nlohmann::ordered_json json = ParseOwnJson(cell);
      return json.is_discarded() ? kNone : ValueOfJson(pool, json);
    }
  }
  return kNone;
}

}  // namespace rpl
