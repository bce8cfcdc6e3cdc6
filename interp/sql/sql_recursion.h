// SPDX-License-Identifier: Apache-2.0
//
// The statements that evaluate one stratum.
//
// Tables are made, and rules without recursion insert first. Recursion is one `WITH RECURSIVE`
// where one rule reads its own relation once, and has one selection: without facts in the table it
// gives all rows, and the key is added to them, which is faster than to insert under a key. Else it
// is a loop that is semi-naive: in each round every rule reads the newest rows of
// one relation of the stratum, for each place where it reads one, together with all rows of the
// others, and inserts what is new. A row is newest in the one round after its own, so every
// combination of rows is met. Tables that have doubled are analysed, because a plan for an empty
// table stays slow when it has grown.
#ifndef RPL_INTERP_SQL_SQL_RECURSION_H_
#define RPL_INTERP_SQL_SQL_RECURSION_H_

#include <set>
#include <string>
#include <vector>

#include "interp/sql/sql_script.h"
#include "interp/sql/sql_select.h"

namespace rpl {

/// A rule with its selections.
struct SqlRule {
  struct Delta {
    RelationId relation;
    SqlSelect select;
  };
  const Definition* def;
  std::vector<SqlSelect> selects;
  std::vector<Delta> deltas;  // that read the newest rows of a relation of the stratum
  bool recursive = false;     // reads a relation of the stratum
};

/// The use of a table: rows have a key, the newest ones have none, and all rows that one query
/// gives get it afterwards.
enum class SqlTableUse { kRows, kNewest, kRowsAtOnce };
/// `CREATE TABLE`. A relation without arguments has a column that is true.
std::string SqlTableDefinition(const SqlTable& table, SqlTableUse use);

/// `made`: the relations that have a table, and may have facts in it.
std::vector<SqlStatement> SqlStratumStatements(const std::vector<RelationId>& relations,
                                               const std::vector<SqlRule>& rules,
                                               const SqlTables& tables,
                                               const std::set<RelationId>& made);

}  // namespace rpl

#endif  // RPL_INTERP_SQL_SQL_RECURSION_H_
