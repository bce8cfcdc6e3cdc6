// SPDX-License-Identifier: Apache-2.0
#include "runtime/tools/database_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>

#include "formats/data/json_text.h"
#include "formats/sql_text.h"
#include "formats/text_hash.h"
#include "interp/sql/sql_value.h"
#include "interp/store/json_value.h"
#include "runtime/postgres/connection.h"
#include "runtime/postgres/database_url.h"
#include "runtime/tools/tool_config.h"

namespace rpl {
namespace {

constexpr const char* kSnapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
/// What the texts of values depend on.
constexpr const char* kPlainTexts =
    "SELECT set_config('TimeZone', 'UTC', true), set_config('DateStyle', 'ISO, MDY', true), "
    "set_config('IntervalStyle', 'postgres', true), set_config('bytea_output', 'hex', true), "
    "set_config('extra_float_digits', '1', true)";
/// The condition of a column that cannot have the value.
constexpr const char* kNever = "false";

// --- conditions -----------------------------------------------------------------------------

/// Stands in a condition for the number of the next parameter.
constexpr char kPlace = '\x01';

// A condition on one column, with kPlace in place of each parameter. A row with the value fulfils
// it;
// "" is fulfilled by all.
struct ColumnCondition {
  std::string text;
  std::vector<SqlValue> parameters = {};
};

bool IsInteger(std::uint32_t type) {
  return type == sql_type::kInt2 || type == sql_type::kInt4 || type == sql_type::kInt8;
}
bool IsFloat(std::uint32_t type) { return type == sql_type::kFloat4 || type == sql_type::kFloat8; }
bool IsString(std::uint32_t type) {
  return type == sql_type::kText || type == sql_type::kVarchar || type == sql_type::kBpchar;
}
/// Of a type whose cells are numbers, texts or booleans, and no structures of JSON.
bool IsScalar(std::uint32_t type) {
  return IsInteger(type) || IsFloat(type) || IsString(type) || type == sql_type::kNumeric ||
         type == sql_type::kBool;
}

// Decimals have many digits, and become the nearest float unless they are whole: all that become
// this number lie between its neighbours among the floats.
ColumnCondition AmongNumerics(Pool& pool, const std::string& column, Value v) {
  const auto text = [&](Value number) { return SqlLiteral(pool, number, SqlType::kNumeric); };
  const double near = *pool.AsDouble(v);
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const double below = std::nextafter(near, -kInfinite), above = std::nextafter(near, kInfinite);
  if (!std::isfinite(below) || !std::isfinite(above))
    return {column + " = \x01::numeric", {text(v)}};  // only whole ones are as large
  const auto outer = [&](double limit, int side) {
    const Value whole = pool.Float(limit);
    return text(pool.CompareNumbers(whole, v) * side > 0 ? whole : v);
  };
  return {column + " BETWEEN \x01::numeric AND \x01::numeric", {outer(below, -1), outer(above, 1)}};
}

ColumnCondition NumberCondition(Pool& pool, const std::string& column, std::uint32_t type,
                                Value v) {
  if (IsInteger(type)) {
    const auto small = pool.Int64Of(v);
    if (!small) return {kNever};
    return {column + " = \x01::bigint", {*small}};
  }
  if (type == sql_type::kNumeric) return AmongNumerics(pool, column, v);
  if (!IsFloat(type)) return {IsScalar(type) ? kNever : ""};
  // A literal beyond the range of the type is an error.
  const double magnitude = std::abs(*pool.AsDouble(v));
  const bool narrow = type == sql_type::kFloat4;
  const double most = narrow ? 3.5e38 : std::numeric_limits<double>::max();
  const double least = narrow ? 1e-46 : 0;
  if (magnitude > most || (magnitude != 0 && magnitude < least)) return {kNever};
  if (narrow && (magnitude > 3.4e38 || (magnitude != 0 && magnitude < 1.5e-45))) return {""};
  return {column + " = \x01::" + (narrow ? "real" : "double precision"),
          {SqlLiteral(pool, v, SqlType::kNumeric)}};
}

ColumnCondition StringCondition(const std::string& column, std::uint32_t type,
                                std::string_view text) {
  if (text.find('\0') != text.npos) return {kNever};
  // The equality of any collation holds for equal bytes, and serves an index of the column.
  if (type == sql_type::kText || type == sql_type::kVarchar)
    return {column + " = \x01::text", {text}};
  if (type == sql_type::kBpchar) return {column + " = \x01::bpchar", {text}};
  if (IsFloat(type) || type == sql_type::kNumeric) {
    if (text != "NaN" && text != "Infinity" && text != "-Infinity") return {kNever};
    return {column + "::text = \x01::text", {text}};
  }
  if (IsScalar(type)) return {kNever};
  return {"to_json(" + column + ") #>> '{}' = \x01::text", {text}};
}

ColumnCondition ConditionFor(Pool& pool, const std::string& column, std::uint32_t type, Value v) {
  if (v == kNil) return {IsScalar(type) ? column + " IS NULL" : ""};
  if (Pool::IsNumber(v)) return NumberCondition(pool, column, type, v);
  switch (v.kind()) {
    case Kind::kString: return StringCondition(column, type, pool.TextOf(v));
    case Kind::kSpecial:
      if (type == sql_type::kBool) return {column + " = \x01::boolean", {v == kTrue ? "t" : "f"}};
      return {IsScalar(type) ? kNever : ""};
    case Kind::kList:
    case Kind::kMap: return {IsScalar(type) ? kNever : ""};
    default: return {kNever};  // JSON gives no such value
  }
}

// --- reading --------------------------------------------------------------------------------

using Bound = std::vector<std::pair<std::string, Value>>;

bool IsOfPart(const std::string& line, const Bound& bound, Pool& pool) {
  if (bound.empty()) return true;
  const JsonText row = ParseExactJson(line);
  if (!row.error.empty() || !row.json.is_object()) return false;
  return std::all_of(bound.begin(), bound.end(), [&](const auto& column) {
    const auto at = row.json.find(column.first);
    return at != row.json.end() && ValueOfJson(*at, pool, false) == column.second;
  });
}

// A SELECT with a condition for each bound column, and its parameters.
struct Selection {
  std::string sql;
  std::vector<SqlValue> parameters;
  std::string wrong;  // no such column
};

Selection SelectionFor(const RelationRead& read, const SqlRows* shape, Pool& pool) {
  Selection out;
  out.sql = "SELECT to_json(rpl_row)::text FROM (" + read.relation->sql + "\n) AS rpl_row";
  bool first = true;
  for (const auto& [name, value] : read.bound) {
    std::size_t at = 0;
    while (at < shape->columns() && shape->Name(at) != name) ++at;
    if (at == shape->columns()) {
      std::string known;
      for (std::size_t c = 0; c < shape->columns(); ++c)
        known += fmt::format("{}`{}`", c == 0 ? "" : ", ", shape->Name(c));
      out.wrong = "it has no column `" + name + "`; its columns are " + known;
      return out;
    }
    const ColumnCondition condition =
        ConditionFor(pool, "rpl_row." + SqlName(name), shape->Type(at), value);
    if (condition.text.empty()) continue;
    out.sql += first ? " WHERE " : " AND ";
    first = false;
    std::size_t used = 0;
    for (const char c : condition.text) {
      if (c != kPlace) {
        out.sql += c;
        continue;
      }
      out.parameters.push_back(condition.parameters[used++]);
      out.sql += "$" + std::to_string(out.parameters.size());
    }
  }
  return out;
}

struct Reading {
  const RelationRead* read;
  RelationRows* rows;
  std::vector<std::string> lines = {};
  std::size_t bytes = 0;
  bool failed = false;
};

void Fail(Reading& reading, std::string_view code, const std::string& message) {
  reading.failed = true;
  reading.rows->code = code;
  reading.rows->message = "`" + reading.read->name() + "` is not read: " + message;
}

// The code of a failure of this relation alone: the sources are read in place of an evaluated one.
std::string_view OwnFailure(const Reading& reading) {
  return reading.read->pushed != nullptr ? "changed" : "database";
}

SqlError RunSelection(SqlConnection& connection, Reading& reading, const Selection& selection,
                      const std::function<bool(const SqlRows&)>& take) {
  reading.rows->query = {reading.read->database(), selection.sql, {}, {}};
  for (const SqlValue& value : selection.parameters)
    reading.rows->query.parameters.push_back(value.text.value_or(""));
  const SqlError error = connection.ForEachRow(
      selection.sql, selection.parameters,
      [&](const SqlRows& row) { return take(row) && reading.bytes <= kMaxTextBytes; });
  if (reading.bytes > kMaxTextBytes) Fail(reading, OwnFailure(reading), "it has more than 64 MiB");
  return error;
}

// The columns of a SELECT; those of a table may be known not to be NULL.
SqlError Describe(SqlConnection& connection, const std::string& select, const std::string& table,
                  std::vector<SqlSourceColumn>& to) {
  const SqlResult shape = connection.Execute("SELECT * FROM (" + select + "\n) AS r LIMIT 0");
  if (shape.error) return shape.error;
  for (std::size_t c = 0; c < shape.rows.columns(); ++c)
    to.push_back({shape.rows.Name(c), shape.rows.Type(c), shape.rows.Modifier(c), true});
  if (table.empty()) return {};
  const SqlResult certain = connection.Execute(
      "SELECT a.attname FROM pg_catalog.pg_attribute AS a, pg_catalog.pg_class AS c "
      "WHERE c.oid = $1::regclass AND a.attrelid = c.oid AND c.relkind IN ('r', 'p') "
      "AND a.attnotnull AND a.attnum > 0",
      {table});
  for (std::size_t row = 0; row < certain.rows.size(); ++row)
    for (SqlSourceColumn& column : to)
      if (column.name == certain.rows.Text(row, 0)) column.nullable = false;
  return certain.error;
}

// Evaluates a relation in the transaction at hand.
SqlError Evaluate(SqlConnection& connection, Reading& reading, Pool& pool) {
  const SqlPushed& pushed = *reading.read->pushed;
  for (const SqlSource& source : pushed.sources) {
    std::vector<SqlSourceColumn> columns;
    if (SqlError error = Describe(connection, source.select, source.table, columns)) return error;
    if (columns == source.columns) continue;
    Fail(reading, "changed", "the columns of `" + source.relation + "` are others now");
    return {};
  }
  bool other = false;
  const SqlError error =
      RunSelection(connection, reading, {pushed.select, {}, ""}, [&](const SqlRows& row) {
        std::string line = pushed.relation + "(";
        for (std::size_t c = 0; c < pushed.types.size(); ++c) {
          const Value cell =
              row.IsNull(0, c) ? kNone : ValueOfSql(pool, row.Text(0, c), pushed.types[c]);
          other = other || cell.is_none();
          line += (c > 0 ? ", " : "") + Text(pool, cell);
        }
        line += ")";
        reading.bytes += line.size() + 1;
        reading.lines.push_back(std::move(line));
        return !other;
      });
  if (other) Fail(reading, "changed", "a value of it has no counterpart");
  return other ? SqlError{} : error;
}

// A name that two columns have, as those of a SELECT may; "" if none.
std::string RepeatedColumn(const SqlRows& shape) {
  std::set<std::string> names;
  for (std::size_t c = 0; c < shape.columns(); ++c)
    if (!names.insert(shape.Name(c)).second) return shape.Name(c);
  return "";
}

// Reads one relation in the transaction at hand.
SqlError ReadOne(SqlConnection& connection, Reading& reading, Pool& pool) {
  reading.lines.clear();
  reading.bytes = 0;
  if (reading.read->pushed != nullptr) return Evaluate(connection, reading, pool);
  SqlResult shape;
  if (!reading.read->bound.empty() || reading.read->relation->table.empty()) {
    shape =
        connection.Execute("SELECT * FROM (" + reading.read->relation->sql + "\n) AS r LIMIT 0");
    if (shape.error) return shape.error;
  }
  if (const std::string name = RepeatedColumn(shape.rows); !name.empty()) {
    Fail(reading, "database",
         "two of its columns have the name `" + name + "`; `AS` gives each a name of its own");
    return {};
  }
  const Selection selection = SelectionFor(*reading.read, &shape.rows, pool);
  if (!selection.wrong.empty()) {
    Fail(reading, "bad-request", selection.wrong);
    return {};
  }
  return RunSelection(connection, reading, selection, [&](const SqlRows& row) {
    std::string line(row.Text(0, 0));
    // A line of JSON from a table has no line break: they are escaped in strings.
    std::replace(line.begin(), line.end(), '\n', ' ');
    if (!IsOfPart(line, reading.read->bound, pool)) return true;
    reading.bytes += line.size() + 1;
    reading.lines.push_back(std::move(line));
    return true;
  });
}

void Finish(Reading& reading) {
  const bool evaluated = reading.read->pushed != nullptr;
  if (!evaluated) std::sort(reading.lines.begin(), reading.lines.end());
  std::string text;
  text.reserve(reading.bytes);
  for (const std::string& line : reading.lines) text += line + "\n";
  reading.lines = {};
  const bool empty = text.empty() && !evaluated;
  reading.rows->source = {reading.read->name() + (evaluated ? ".rpl"
                                                  : empty   ? ".json"
                                                            : ".ndjson"),
                          empty ? "[]" : std::move(text)};
  reading.rows->query.digest = HashOfText(reading.rows->source.text);
}

// Reads the relations of one database. One that fails is left out, and the others are read again:
// the transaction in which it failed has no snapshot any more.
void ReadDatabase(const std::string& url, std::vector<Reading>& readings, Pool& pool,
                  const std::function<bool()>& stop) {
  const auto fail_all = [&](const std::string& message) {
    for (Reading& reading : readings)
      if (!reading.failed) Fail(reading, "database", message);
  };
  SqlConnection::Opened opened = SqlConnection::Open({.url = url, .interrupted = stop});
  if (opened.error) return fail_all(opened.error.message);
  SqlConnection& connection = *opened.connection;
  for (bool again = true; again;) {
    again = false;
    Reading* last = nullptr;
    const SqlError error = connection.WithRetry({}, [&] {
      return connection.InTransaction(kSnapshot, [&] {
        last = nullptr;
        if (SqlError e = connection.Execute(kPlainTexts).error) return e;
        for (Reading& reading : readings) {
          if (reading.failed) continue;
          last = &reading;
          if (SqlError e = ReadOne(connection, reading, pool)) return e;
          if (reading.failed) continue;
        }
        last = nullptr;
        return SqlError{};
      });
    });
    if (last != nullptr && last->failed) again = true;  // its rows were too many
    else if (error && last != nullptr && !error.lost && !error.retry) {
      Fail(*last, OwnFailure(*last), error.message);
      again = true;
    } else if (error) {
      return fail_all(error.message);
    }
  }
  for (Reading& reading : readings)
    if (!reading.failed) Finish(reading);
}

// The URL in the variable; else the reason in `why`.
std::string UrlIn(const std::string& variable, std::string& why) {
  const char* const url = std::getenv(variable.c_str());
  if (url == nullptr) why = "the variable " + variable + " is not set";
  else if (!IsDatabaseUrl(url)) why = variable + " is no URL of a database";
  else why = CheckDatabaseUrl(url);
  return why.empty() ? url : "";
}

}  // namespace

const std::string& RelationRead::database() const {
  return pushed != nullptr ? pushed->database : relation->variable;
}

const std::string& RelationRead::name() const {
  return pushed != nullptr ? pushed->relation : relation->name;
}

std::vector<RelationRows> ReadRelations(const std::vector<RelationRead>& reads, Pool& pool,
                                        const std::function<bool()>& stop) {
  std::vector<RelationRows> out(reads.size());
  std::map<std::string, std::vector<Reading>> databases;
  for (std::size_t i = 0; i < reads.size(); ++i) {
    Reading reading{&reads[i], &out[i]};
    std::string why;
    if (reads[i].is_foreign) {
      Fail(reading, "changed", "`rpl.yaml` has other sources now");
      continue;
    }
    const std::string url = UrlIn(reads[i].database(), why);
    if (why.empty()) databases[url].push_back(std::move(reading));
    else Fail(reading, "database", why);
  }
  for (auto& [url, readings] : databases) ReadDatabase(url, readings, pool, stop);
  return out;
}

std::vector<std::optional<SqlSource>> DescribeRelations(
    const std::vector<const DatabaseRelation*>& relations, const std::function<bool()>& stop) {
  std::vector<std::optional<SqlSource>> out(relations.size());
  std::map<std::string, std::vector<std::size_t>> databases;
  for (std::size_t i = 0; i < relations.size(); ++i) {
    std::string why;
    const std::string url = UrlIn(relations[i]->variable, why);
    if (why.empty()) databases[url].push_back(i);
  }
  for (const auto& [url, places] : databases) {
    SqlConnection::Opened opened = SqlConnection::Open({.url = url, .interrupted = stop});
    if (opened.error) continue;
    for (const std::size_t i : places) {
      SqlSource source{
          relations[i]->name, relations[i]->variable, relations[i]->table, relations[i]->sql, {}};
      const SqlError error = opened.connection->WithRetry({}, [&] {
        source.columns.clear();
        return opened.connection->InTransaction(kSnapshot, [&] {
          return Describe(*opened.connection, source.select, source.table, source.columns);
        });
      });
      if (!error) out[i] = std::move(source);
    }
  }
  return out;
}

}  // namespace rpl
