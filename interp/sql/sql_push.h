// SPDX-License-Identifier: Apache-2.0
//
// Rules that a database evaluates: those that only read relations that lie in it.
//
//   $index("order")   $index("customer")
//   paid(?id, ?name) <- order(?id, ?c, ?t), customer(?c, ?name), ?t > 100
//   %report(?name) <- paid(_, ?name)
//
// The rows of `paid` are read, by a query, in place of those of `order` and `customer`, as nothing
// else reads these. A relation is pushed down with all of its rules, or not at all: they are not
// recursive, read sources of one database and relations that are pushed down, and have counterparts
// (interp/sql/sql_select.h) without functions of a script. A source is replaced if only such rules
// read it, has no facts of the program, and no clause may read what it does not name.
//
// Answers do not depend on it. The columns of a source have the kinds of value that their types
// have in JSON; NULL is nil. Numerics and floats are as the floats and integers that they become
// here; where that cannot be said by the server (NaN, and fractions beyond 2^53), the query is an
// error of the server. The rows come in the order in which the engine derives them from sources
// that are sorted by their texts, when it keeps the order of clauses (AsWritten): the query sorts
// them by the texts of the rows that they come from. A relation whose order is a matter of more
// than that is pushed down only below another one.
#ifndef RPL_INTERP_SQL_SQL_PUSH_H_
#define RPL_INTERP_SQL_SQL_PUSH_H_

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "interp/sql/sql_source.h"
#include "interp/store/relation_id.h"

namespace rpl {

class Analysis;
class Program;
class Relation;
class Store;
struct Definition;

struct SqlPush {
  struct Query {
    RelationId relation;
    std::string name;  // for people: "paid", or "paid/2" if others have the label
    bool partial =
        false;  // its rows may be undefined (decision 93): nothing rests on their absence
    SqlPushed pushed;
  };
  std::vector<Query> queries;     // of the relations that others read, in the order of strata
  std::set<RelationId> heads;     // relations that are evaluated there, these and those below them
  std::set<RelationId> replaced;  // sources that are not read
  std::set<int> rules;            // of the heads, by number
  /// Why a relation over the sources is not pushed down, a line each.
  std::vector<std::string> kept;
};

/// What the database of each source can evaluate. `query` is a goal that is no part of the program,
/// or null. REQUIRES: the analysis is that of the program, without places elsewhere.
SqlPush FindPush(Program& program, Analysis& analysis, const std::vector<SqlSource>& sources,
                 const Definition* query);

/// The rules that are evaluated as written (DerivedRule::as_written): those that are not recursive
/// and only read relations with these names and relations of such rules.
std::set<int> AsWritten(const Program& program, const std::set<std::string>& names);

/// Whether it has the rows of this relation, by label and number of arguments.
bool IsOf(const SqlPushed& pushed, const Relation& relation);

/// The relations that a goal mentions.
std::set<RelationId> Mentioned(const Definition& def, const Store& store);

}  // namespace rpl

#endif  // RPL_INTERP_SQL_SQL_PUSH_H_
