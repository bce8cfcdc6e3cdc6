// SPDX-License-Identifier: Apache-2.0
//
// Plans as SELECT statements: each way through a plan (§5.5) is one of them.
//
//   t(?x, ?z) <- t(?x, ?y), e(?y, ?z), not f(?z)
//
//   SELECT a1.c1, a2.c2 FROM "t" AS a1, "e" AS a2
//   WHERE a2.c1 = a1.c2 AND NOT EXISTS (SELECT 1 FROM "f" AS a3 WHERE a3.c1 = a2.c2)
//
// A step of the plan has its inputs bound, so it becomes a table of the FROM clause, a condition,
// or an expression that stands for the slots it binds. Conditions are never NULL where they hold;
// an expression without a value is NULL and makes its condition not hold.
//
// What has no counterpart is refused with a finding (codes 9xxx). A writer borrows all that it is
// given; it knows the kinds of the columns that it reads and tells those of the cells that it
// writes, so that a caller finds the kinds of all columns by writing until they no longer grow.
#ifndef RPL_INTERP_SQL_SQL_SELECT_H_
#define RPL_INTERP_SQL_SQL_SELECT_H_

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/diagnostic.h"
#include "interp/plan/plan.h"
#include "interp/program/program.h"
#include "interp/sql/sql_expression.h"
#include "interp/sql/sql_value.h"

namespace rpl {

class Store;

/// A table: its name, quoted, that of its newest rows, and the kinds of its columns c1, c2, …
struct SqlTable {
  RelationId relation = kNoId;
  std::string name;
  std::string delta;
  std::vector<SqlKinds> columns;
  // Of a relation that lies in a database (interp/sql/sql_push.h).
  std::vector<std::string> plain = {};  // by column: see SqlExpression::plain; may be empty
  std::vector<bool> unknown = {};       // by column: of no type that is translated; may be empty
  bool distinct = true;                 // has no row twice
};
using SqlTables = std::unordered_map<RelationId, SqlTable>;

/// A SELECT without its list.
struct SqlSelect {
  std::vector<std::string> from;
  std::vector<std::string> where;
  std::vector<SqlExpression> cells;  // of the head
  /// The aliases of the tables whose rows, in nested loops from the first on, give the rows of the
  /// head in the order of the engine; nullopt if something else has a part in it.
  std::optional<std::vector<std::string>> order = std::vector<std::string>();

  /// `SELECT [DISTINCT] LIST FROM … WHERE …`
  std::string Text(std::string_view list, bool distinct = false) const;
};

class SqlSelectWriter {
 public:
  SqlSelectWriter(Pool& pool, const Store& store, const SqlTables& tables, Diagnostics& refused)
      : pool_(pool), store_(store), tables_(tables), refused_(refused) {}

  /// The selections of the rows that the plan of a rule derives; none if it can never hold. A head
  /// with sets gives one for each choice of their elements (§7). A refused part adds a finding.
  std::vector<SqlSelect> Write(const Plan& plan, const Definition& def);
  /// Whether a comparison or computation of what was written may be undefined for its values
  /// (decision 93), which a selection takes for one that does not hold.
  bool may_be_undefined() const { return may_be_undefined_; }
  /// Whether one within a `not` may, so that the selection cannot do so.
  bool may_be_undefined_in_not() const { return may_be_undefined_in_not_; }

 private:
  struct Scope {
    SqlSelect select;
    std::vector<SqlExpression> slots;
    bool never = false;  // its conditions cannot hold
  };
  using Ends = std::vector<Scope>;

  void Chain(const Step* step, Scope scope, Ends& ends);
  void One(const Step& step, Scope& scope);
  std::string FromAtom(const Step& step, Scope& scope);
  void CountAtom(const Step& step, Scope& scope);
  void CountResult(const Step& step, SqlExpression count, Scope& scope);
  void Absent(const Step& step, Scope& scope);
  void Compared(const Step& step, Scope& scope);
  void IsMember(const Step& step, Scope& scope);
  void Match(const Pattern& p, const SqlExpression& value, Scope& scope);
  void MatchTemplate(const Pattern& p, const SqlExpression& value, Scope& scope);
  void HeadCells(const Definition& def, std::size_t at, Scope scope, std::vector<SqlSelect>& out);

  SqlExpression Build(const Pattern& p, Scope& scope);
  SqlExpression BuildTemplate(const Pattern& p, Scope& scope);
  SqlExpression Items(const Pattern& p, Scope& scope);
  SqlExpression Evaluate(const Expr& e, Scope& scope);
  SqlExpression Constant(Value v);
  SqlExpression Named(SqlExpression e, Scope& scope);
  void RequireEqual(const SqlExpression& a, const SqlExpression& b, Scope& scope);
  void Bind(SlotId slot, SqlExpression e, Scope& scope);
  void Refuse(Code code, std::string message);
  void NoteKinds(const SqlExpression& a, const SqlExpression& b, SqlKinds defined) {
    const bool may_be = ((a.kinds | b.kinds) & ~defined) != 0;
    may_be_undefined_ = may_be_undefined_ || may_be;
    may_be_undefined_in_not_ = may_be_undefined_in_not_ || (may_be && in_not_);
  }
  std::string Alias() { return "a" + std::to_string(++aliases_); }

  bool may_be_undefined_ = false;
  bool may_be_undefined_in_not_ = false;
  bool in_not_ = false;
  Pool& pool_;
  const Store& store_;
  const SqlTables& tables_;
  Diagnostics& refused_;
  int aliases_ = 0;
  Span at_;           // of the clause at hand
  std::string text_;  // of the same
};

}  // namespace rpl

#endif  // RPL_INTERP_SQL_SQL_SELECT_H_
