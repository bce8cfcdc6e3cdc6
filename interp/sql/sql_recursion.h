// SPDX-License-Identifier: Apache-2.0
//
// The statements that evaluate one stratum.
//
// Rules without recursion insert first. Recursion is one `WITH RECURSIVE` where one rule reads its
// own relation once, and has one selection; else a loop that is semi-naive: in each round every
// rule reads the newest rows of one relation of the stratum, for each place where it reads one,
// together with all rows of the others, and inserts what is new. A row is newest in the one round
// after its own, so every combination of rows is met. Tables that have doubled are analysed,
// because a plan for an empty table stays slow when it has grown.
#ifndef RPL_INTERP_SQL_SQL_RECURSION_H_
#define RPL_INTERP_SQL_SQL_RECURSION_H_

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

/// `CREATE TABLE` with its key; `delta`: of the newest rows, without one. A relation without
/// arguments has a column that is true.
std::string SqlTableDefinition(const SqlTable& table, bool delta);

std::vector<SqlStatement> SqlStratumStatements(const std::vector<RelationId>& relations,
                                               const std::vector<SqlRule>& rules,
                                               const SqlTables& tables);

}  // namespace rpl

#endif  // RPL_INTERP_SQL_SQL_RECURSION_H_
