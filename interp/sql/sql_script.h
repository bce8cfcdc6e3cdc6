// SPDX-License-Identifier: Apache-2.0
//
// A program as a script of SQL for PostgreSQL: tables with facts, the statements of each stratum in
// order, and a selection for each goal.
//
//   CREATE TABLE "edge" (c1 bigint, c2 bigint, PRIMARY KEY (c1, c2))
//   INSERT INTO "edge" VALUES (1, 2), (2, 3)
//   WITH RECURSIVE …                     a relation that reads itself once, in one rule
//   DO $rpl$ … LOOP … END LOOP … $rpl$   any other recursion: semi-naive, the newest rows of each
//                                        relation in a table of their own, with fresh statistics
//   SELECT DISTINCT …                    the answers of a goal
//
// Rows are distinct by primary keys of all columns and ON CONFLICT DO NOTHING. A table has no
// order, so answers have none. Types are those of interp/sql/sql_value.h: the kinds of a column are
// those of its facts and of what the rules derive, found by iteration.
//
// A program is translated as far as its goals need it. What has no counterpart, and a relation that
// needs the bindings of its callers, is refused. The statements assume an empty schema in front of
// the search path, text in UTF-8, and standard_conforming_strings.
#ifndef RPL_INTERP_SQL_SQL_SCRIPT_H_
#define RPL_INTERP_SQL_SQL_SCRIPT_H_

#include <optional>
#include <string>
#include <vector>

#include "formats/diagnostic.h"
#include "interp/program/program.h"
#include "interp/sql/sql_value.h"

namespace rpl {

class Analysis;

/// A goal, or a query that is no part of the program: its rules, of the same captures.
struct SqlQuestion {
  std::string label;  // without the mark
  std::vector<const Definition*> rules;
};

/// A selection with the names and types of its columns. Without columns it has one row of one
/// boolean: whether the goal holds.
struct SqlAnswers {
  std::string label;
  std::vector<std::string> columns;  // "?x"
  std::vector<SqlType> types;
  std::string select;
};

struct SqlStatement {
  std::string text;           // without the semicolon
  std::vector<Span> rules{};  // that it evaluates
};

struct SqlRelation {
  RelationId relation = kNoId;
  std::string table;  // quoted
  std::vector<SqlType> types;
};

struct SqlScript {
  std::vector<SqlStatement> statements;
  std::vector<SqlAnswers> answers;     // in the order of the questions
  std::vector<SqlRelation> relations;  // with a table, by id

  /// The script for psql, in a new schema of this name, which remains.
  std::string Text(const std::string& schema, const Sources& sources) const;
};

/// What to translate.
struct SqlRequest {
  std::vector<SqlQuestion> questions;
  std::vector<RelationId> relations;  // besides those that the questions need
};

/// The goals of the program; without goals, all its relations.
SqlRequest SqlRequestOf(const Program& program);

/// The script; nullopt if a part is refused, with a finding for each. Takes the asserted facts of
/// the store. Makes plans of the analysis. REQUIRES: it is that of the program.
std::optional<SqlScript> WriteSql(Program& program, Analysis& analysis, const SqlRequest& request,
                                  Diagnostics& refused);

}  // namespace rpl

#endif  // RPL_INTERP_SQL_SQL_SCRIPT_H_
