// SPDX-License-Identifier: Apache-2.0
//
// A relation of the program that lies in a database: where, by which SELECT, and its columns as the
// server describes them. The types are the object identifiers of PostgreSQL, which do not change.
#ifndef RPL_INTERP_SQL_SQL_SOURCE_H_
#define RPL_INTERP_SQL_SQL_SOURCE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "interp/sql/sql_value.h"

namespace rpl {

/// Types of columns; those that are not here are others.
namespace sql_type {
inline constexpr std::uint32_t kBool = 16, kInt8 = 20, kInt2 = 21, kInt4 = 23, kText = 25,
                               kFloat4 = 700, kFloat8 = 701, kBpchar = 1042, kVarchar = 1043,
                               kDate = 1082, kTimestamp = 1114, kTimestamptz = 1184,
                               kNumeric = 1700, kUuid = 2950;
}  // namespace sql_type

struct SqlSourceColumn {
  std::string name;
  std::uint32_t type = 0;
  std::int32_t modifier = -1;  // of a numeric: its digits; -1: any
  bool nullable = true;

  friend bool operator==(const SqlSourceColumn&, const SqlSourceColumn&) = default;
};

struct SqlSource {
  std::string relation;  // its name
  std::string database;  // the variable of the environment with the URL
  std::string table;     // quoted; "" if the SELECT is no plain one of a table
  std::string select;
  std::vector<SqlSourceColumn> columns;

  friend bool operator==(const SqlSource&, const SqlSource&) = default;
};

/// A relation that the database evaluates, and what must hold for that: the sources are as here.
struct SqlPushed {
  std::string relation;
  std::string database;
  std::string select;          // of its cells in order, sorted as the engine derives its rows
  std::vector<SqlType> types;  // of the cells
  std::vector<SqlSource> sources;

  friend bool operator==(const SqlPushed&, const SqlPushed&) = default;
};

}  // namespace rpl

#endif  // RPL_INTERP_SQL_SQL_SOURCE_H_
