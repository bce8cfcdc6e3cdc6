// SPDX-License-Identifier: Apache-2.0
//
// A way through a plan is a Scope: tables and conditions so far, and the expression of each bound
// slot. A branch of the plan copies it. A scope whose conditions cannot hold is dropped, so what
// comes after it is not read: its slots may have no expression.
#include "interp/sql/sql_select.h"

#include <algorithm>
#include <set>
#include <utility>

#include "formats/sql_text.h"
#include "formats/utf8.h"
#include "interp/sql/sql_expression.h"
#include "interp/store/store.h"

namespace rpl {
namespace {

/// Longer expressions get a name, so that texts grow with the plan and not with the uses of a slot.
constexpr std::size_t kMostInline = 100;

std::string ColumnOf(const std::string& alias, std::size_t column) {
  return alias + ".c" + std::to_string(column + 1);
}

std::string Joined(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += separator;
    out += part;
  }
  return out;
}

}  // namespace

std::string SqlSelect::Text(std::string_view list, bool distinct) const {
  std::string out = distinct ? "SELECT DISTINCT " : "SELECT ";
  out += list;
  if (!from.empty()) out += " FROM " + Joined(from, ", ");
  if (!where.empty()) out += " WHERE " + Joined(where, " AND ");
  return out;
}

void SqlSelectWriter::Refuse(Code code, std::string message) {
  refused_.Add(code, at_, std::move(message));
}

std::vector<SqlSelect> SqlSelectWriter::Write(const Plan& plan, const Definition& def) {
  at_ = def.span;
  text_ = def.text;
  Scope scope;
  scope.slots.resize(def.slots.size());
  Ends ends;
  Chain(plan.first, std::move(scope), ends);
  at_ = def.span;
  text_ = def.text;
  std::vector<SqlSelect> out;
  for (Scope& end : ends) HeadCells(def, 0, std::move(end), out);
  return out;
}

// Branches recurse: an analysis keeps at most 256 ways through a rule.
void SqlSelectWriter::Chain(const Step* step, Scope scope, Ends& ends) {
  for (; step != nullptr && !scope.never; step = step->next) {
    if (step->clause != nullptr) {
      at_ = step->clause->span;
      text_ = step->clause->text;
    }
    if (step->kind == Step::Kind::kEmit || step->kind == Step::Kind::kFound) {
      ends.push_back(std::move(scope));
      return;
    }
    if (step->kind == Step::Kind::kBranch) {
      scope.select.order.reset();
      for (const Step* branch : step->branches) Chain(branch, scope, ends);
      return;
    }
    One(*step, scope);
  }
}

void SqlSelectWriter::One(const Step& s, Scope& scope) {
  switch (s.kind) {
    case Step::Kind::kAtom: {
      const std::string alias = FromAtom(s, scope);
      if (scope.select.order) scope.select.order->push_back(alias);
      return;
    }
    case Step::Kind::kCompare: return Compared(s, scope);
    case Step::Kind::kBind:
    case Step::Kind::kMatch: {
      SqlExpression value = Named(Evaluate(s.operands[0], scope), scope);
      if (scope.never) return;
      if (value.nullable) scope.select.where.push_back(value.text + " IS NOT NULL");
      value.nullable = false;
      return Match(s.pattern, value, scope);
    }
    case Step::Kind::kMember: return IsMember(s, scope);
    case Step::Kind::kCountAtom: return CountAtom(s, scope);
    case Step::Kind::kCountValue: {
      const SqlExpression value = Evaluate(s.operands[0], scope);
      if ((value.kinds & sql::kList) == 0) scope.never = true;
      if (scope.never) return;
      return CountResult(s, {"rpl_length(" + SqlTag(value) + ")", sql::kInt64, true}, scope);
    }
    case Step::Kind::kNot: return Absent(s, scope);
    case Step::Kind::kTruth: scope.never = s.negated; return;
    case Step::Kind::kStuck:
      Refuse(Code::kSqlCaller, s.problem);
      scope.never = true;
      return;
    default:
      Refuse(Code::kSqlClause,
             std::string(TraitsOf(s.kind).name) + " has no counterpart in SQL: `" + text_ + "`");
      scope.never = true;
  }
}

// Adds the table of an atom with its conditions, and returns the alias.
std::string SqlSelectWriter::FromAtom(const Step& s, Scope& scope) {
  const auto refuse = [&](Code code, const std::string& what) {
    Refuse(code, what + ": `" + text_ + "`");
    scope.never = true;
    return std::string();
  };
  if (s.row >= 0) return refuse(Code::kSqlClause, "metadata has no counterpart in SQL");
  if (store_.IsWhole(s.relation))
    return refuse(Code::kSqlValue,
                  "a pattern of a set reads sets, which have no counterpart in SQL");
  if (s.access == Access::kTable)
    return refuse(Code::kSqlCaller,
                  "a count in another rule is for the values that are bound here");
  const auto found = tables_.find(s.relation);
  if (s.access != Access::kRows || found == tables_.end())
    return refuse(Code::kSqlOutside, "a goal, tool or question is read");
  const SqlTable& table = found->second;
  const std::string alias = Alias();
  scope.select.from.push_back((s.range == Range::kDelta ? table.delta : table.name) + " AS " +
                              alias);
  const auto column = [&](std::size_t c) {
    if (!table.unknown.empty() && table.unknown[c]) {
      refuse(Code::kSqlValue, "a column has a type that is not translated");
    } else if (table.columns[c] == 0) {
      scope.never = true;  // no row yet
    }
    SqlExpression out{ColumnOf(alias, c), table.columns[c]};
    if (!table.plain.empty() && !table.plain[c].empty()) out.plain = alias + "." + table.plain[c];
    return out;
  };
  for (const auto& [c, pattern] : s.keys) {
    const SqlExpression key = Build(pattern, scope);
    if (!scope.never) RequireEqual(column(c), key, scope);
  }
  for (const auto& [c, slot] : s.binds) Bind(slot, column(c), scope);
  for (const auto& [c, slot] : s.checks)
    RequireEqual(column(c), scope.slots[static_cast<std::size_t>(slot)], scope);
  for (const auto& [c, pattern] : s.matches)
    if (!scope.never) Match(pattern, column(c), scope);
  return alias;
}

// The rows of one atom, for each value of the slots that only the count mentions (decision 25). A
// pattern may match a row in several ways, so the row is counted once.
void SqlSelectWriter::CountAtom(const Step& s, Scope& scope) {
  if (s.body->kind != Step::Kind::kAtom || s.body->next->kind != Step::Kind::kFound) {
    Refuse(Code::kSqlClause,
           "a count of a pattern of sets has no counterpart in SQL: `" + text_ + "`");
    scope.never = true;
    return;
  }
  Scope inner;
  inner.slots = scope.slots;
  const std::string alias = FromAtom(*s.body, inner);
  if (inner.never && alias.empty()) scope.never = true;  // refused
  if (scope.never) return;
  const SqlTable& table = tables_.at(s.body->relation);
  const bool dedupe = !s.body->matches.empty() || !table.distinct;
  std::string cells;
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    cells += (c > 0 ? ", " : "") + ColumnOf(alias, c);
  if (cells.empty()) cells = alias + ".*";
  if (!table.distinct && std::count(table.unknown.begin(), table.unknown.end(), true) > 0) {
    Refuse(Code::kSqlValue, "a column has a type that is not translated: `" + text_ + "`");
    scope.never = true;
    return;
  }
  if (s.groups.empty()) {
    scope.never |= inner.never && s.of_group;
    if (scope.never) return;
    if (inner.never) return CountResult(s, Constant(pool_.Int(0)), scope);
    const std::string count =
        dedupe ? "SELECT count(*) FROM (" + inner.select.Text(cells, true) + ") AS " + Alias()
               : inner.select.Text("count(*)");
    if (s.of_group) scope.select.where.push_back("(" + count + ") > 0");
    return CountResult(s, {"(" + count + ")", sql::kInt64}, scope);
  }
  if (inner.never) {
    scope.never = true;
    return;
  }
  const std::string group = Alias();
  std::string keys, names, places;
  for (std::size_t i = 0; i < s.groups.size(); ++i) {
    const SqlExpression& key = inner.slots[static_cast<std::size_t>(s.groups[i])];
    const std::string name = "g" + std::to_string(i + 1);
    keys += SqlCell(key, SqlTypeOf(key.kinds)) + " AS " + name + ", ";
    names += name + ", ";
    places += (i > 0 ? ", " : "") + std::to_string(i + 1);
  }
  const std::string rows = dedupe ? "SELECT " + names + "count(*) AS n FROM (" +
                                        inner.select.Text(keys + cells, true) + ") AS " + Alias()
                                  : inner.select.Text(keys + "count(*) AS n");
  scope.select.order.reset();
  scope.select.from.push_back("LATERAL (" + rows + " GROUP BY " + places + ") AS " + group);
  for (std::size_t i = 0; i < s.groups.size(); ++i) {
    const SlotId slot = s.groups[i];
    Bind(slot,
         {group + ".g" + std::to_string(i + 1), inner.slots[static_cast<std::size_t>(slot)].kinds},
         scope);
  }
  CountResult(s, {group + ".n", sql::kInt64}, scope);
}

void SqlSelectWriter::CountResult(const Step& s, SqlExpression count, Scope& scope) {
  if (s.result_bound)
    return RequireEqual(scope.slots[static_cast<std::size_t>(s.pattern.slot)], count, scope);
  Bind(s.pattern.slot, std::move(count), scope);
}

void SqlSelectWriter::Absent(const Step& s, Scope& scope) {
  Scope inner;
  inner.slots = scope.slots;
  Ends ends;
  const bool outer = std::exchange(in_not_, true);
  Chain(s.body, std::move(inner), ends);
  in_not_ = outer;
  for (const Scope& end : ends)
    scope.select.where.push_back("NOT EXISTS (" + end.select.Text("1") + ")");
}

void SqlSelectWriter::Compared(const Step& s, Scope& scope) {
  const SqlExpression a = Evaluate(s.operands[0], scope);
  const SqlExpression b = Evaluate(s.operands[1], scope);
  if (scope.never) return;
  if (s.op == Operator::kEqual) return RequireEqual(a, b, scope);
  if (s.op == Operator::kNotEqual) {
    for (const SqlExpression* e : {&a, &b})
      if (e->nullable) scope.select.where.push_back(e->text + " IS NOT NULL");
    if (const auto equal = SqlEqual(a, b, "<>")) scope.select.where.push_back(*equal);
    return;
  }
  NoteKinds(a, b, (a.kinds & sql::kNumbers) != 0 ? sql::kNumbers : sql::kString);
  if (const auto order = SqlOrder(a, b, OperatorText(s.op))) scope.select.where.push_back(*order);
  else scope.never = true;
}

void SqlSelectWriter::IsMember(const Step& s, Scope& scope) {
  const Expr& of = s.operands[0];
  const bool is_constant =
      of.kind == Expr::Kind::kTerm && of.term.kind == Pattern::Kind::kConstant &&
      (of.term.constant.kind() == Kind::kList || of.term.constant.kind() == Kind::kSet);
  std::vector<SqlExpression> items;
  SqlKinds kinds = 0;
  SqlExpression collection;
  if (is_constant) {
    std::set<Value> seen;
    for (const Value item : pool_.ItemsOf(of.term.constant)) {
      if (!seen.insert(item).second) continue;
      items.push_back(Constant(item));
      kinds |= items.back().kinds;
    }
  } else {
    collection = Named(Evaluate(of, scope), scope);
    if ((collection.kinds & sql::kList) == 0) scope.never = true;
  }
  if (scope.never) return;
  if (s.operands.size() == 2) {
    SqlExpression element = Evaluate(s.operands[1], scope);
    if (scope.never) return;
    if (element.nullable) scope.select.where.push_back(element.text + " IS NOT NULL");
    element.plain.clear();  // a condition that is negated must not be NULL
    std::vector<std::string> any;
    for (const SqlExpression& item : items)
      if (const auto equal = SqlEqual(element, item)) any.push_back(*equal);
    if (!is_constant) {
      if (s.negated)
        scope.select.where.push_back("rpl_length(" + SqlTag(collection) + ") IS NOT NULL");
      any.push_back("EXISTS (SELECT 1 FROM rpl_items(" + SqlTag(collection) +
                    ") AS i WHERE i.item = " + SqlTag(element) + ")");
    }
    if (any.empty()) scope.never = !s.negated;
    else scope.select.where.push_back((s.negated ? "NOT (" : "(") + Joined(any, " OR ") + ")");
    return;
  }
  const std::string alias = Alias();
  scope.select.order.reset();
  if (!is_constant) {
    scope.select.from.push_back("rpl_items(" + SqlTag(collection) + ") AS " + alias);
    return Match(s.pattern, {alias + ".item", sql::kAny}, scope);
  }
  if (items.empty()) {
    scope.never = true;
    return;
  }
  std::vector<std::string> rows;
  for (const SqlExpression& item : items)
    rows.push_back("(" + SqlCell(item, SqlTypeOf(kinds)) + ")");
  scope.select.from.push_back("(VALUES " + Joined(rows, ", ") + ") AS " + alias + "(c1)");
  Match(s.pattern, {alias + ".c1", kinds}, scope);
}

// --- patterns and values ----------------------------------------------------------------------

void SqlSelectWriter::RequireEqual(const SqlExpression& a, const SqlExpression& b, Scope& scope) {
  if (scope.never) return;
  if (const auto equal = SqlEqual(a, b)) scope.select.where.push_back(*equal);
  else scope.never = true;
}

// Gives a long expression a name.
SqlExpression SqlSelectWriter::Named(SqlExpression e, Scope& scope) {
  if (scope.never || e.text.size() <= kMostInline || !e.constant.is_none()) return e;
  const std::string alias = Alias();
  scope.select.from.push_back("LATERAL (SELECT " + e.text + " AS c1) AS " + alias);
  e.text = alias + ".c1";
  return e;
}

void SqlSelectWriter::Bind(SlotId slot, SqlExpression e, Scope& scope) {
  if (scope.never) return;
  e = Named(std::move(e), scope);
  if (e.nullable) scope.select.where.push_back(e.text + " IS NOT NULL");
  e.nullable = false;
  scope.slots[static_cast<std::size_t>(slot)] = std::move(e);
}

// Patterns nest as deep as the parser allows.
void SqlSelectWriter::Match(const Pattern& p, const SqlExpression& value, Scope& scope) {
  if (scope.never) return;
  switch (p.kind) {
    case Pattern::Kind::kAny: return;
    case Pattern::Kind::kConstant: return RequireEqual(value, Constant(p.constant), scope);
    case Pattern::Kind::kSlot:
      if (p.binds) return Bind(p.slot, value, scope);
      return RequireEqual(scope.slots[static_cast<std::size_t>(p.slot)], value, scope);
    case Pattern::Kind::kList: {
      if ((value.kinds & sql::kList) == 0) break;
      const SqlExpression list = Named({SqlTag(value), sql::kList}, scope);
      scope.select.where.push_back("rpl_length(" + list.text + ")" +
                                   (p.rest.empty() ? " = " : " >= ") +
                                   std::to_string(p.parts.size()));
      for (std::size_t i = 0; i < p.parts.size(); ++i)
        Match(p.parts[i], {"rpl_item(" + list.text + ", " + std::to_string(i) + ")", sql::kAny},
              scope);
      for (const Pattern& rest : p.rest)
        Match(rest,
              {"rpl_rest(" + list.text + ", " + std::to_string(p.parts.size()) + ")", sql::kList},
              scope);
      return;
    }
    case Pattern::Kind::kTerm: {
      if ((value.kinds & sql::kTerm) == 0) break;
      const SqlExpression arguments =
          Named({"rpl_arguments(" + SqlTag(value) + ", " + SqlQuoted(SqlTermKey(p)) + ", " +
                     std::to_string(p.parts.size()) + ")",
                 sql::kList},
                scope);
      scope.select.where.push_back(arguments.text + " IS NOT NULL");
      for (std::size_t i = 0; i < p.parts.size(); ++i)
        Match(p.parts[i],
              {"rpl_item(" + arguments.text + ", " + std::to_string(i) + ")", sql::kAny}, scope);
      return;
    }
    case Pattern::Kind::kTemplate: return MatchTemplate(p, value, scope);
    case Pattern::Kind::kRegex:
      Refuse(Code::kSqlClause, "a regex has no counterpart in SQL: `" + text_ + "`");
      break;
    case Pattern::Kind::kSet:
    case Pattern::Kind::kMap:
    case Pattern::Kind::kEach:
    case Pattern::Kind::kInstance:
      Refuse(Code::kSqlValue,
             "a pattern of a set or map has no counterpart in SQL: `" + text_ + "`");
  }
  scope.never = true;
}

// A template with one hole that it binds: what is between its two texts.
void SqlSelectWriter::MatchTemplate(const Pattern& p, const SqlExpression& value, Scope& scope) {
  const bool one =
      p.parts.size() == 1 && (p.parts[0].kind == Pattern::Kind::kAny ||
                              (p.parts[0].kind == Pattern::Kind::kSlot && p.parts[0].binds));
  if (!one) {
    Refuse(Code::kSqlClause,
           "a template is matched in SQL if it has one variable, which it binds: `" + text_ + "`");
    scope.never = true;
    return;
  }
  if ((value.kinds & sql::kString) == 0) {
    scope.never = true;
    return;
  }
  const SqlExpression text = Named(SqlStringOf(value), scope);
  const std::string before = SqlQuoted(p.texts()[0]), after = SqlQuoted(p.texts()[1]);
  const auto head = CountCodePoints(p.texts()[0]), tail = CountCodePoints(p.texts()[1]);
  scope.select.where.push_back("char_length(" + text.text + ") >= " + std::to_string(head + tail));
  if (head > 0)
    scope.select.where.push_back("left(" + text.text + ", " + std::to_string(head) +
                                 ") = " + before);
  if (tail > 0)
    scope.select.where.push_back("right(" + text.text + ", " + std::to_string(tail) +
                                 ") = " + after);
  // Conditions may be evaluated later, so that the length is not negative for other texts either.
  Match(p.parts[0],
        {"substr(" + text.text + ", " + std::to_string(head + 1) + ", greatest(0, char_length(" +
             text.text + ") - " + std::to_string(head + tail) + "))",
         sql::kString},
        scope);
}

SqlExpression SqlSelectWriter::Constant(Value v) {
  SqlExpression out;
  out.kinds = SqlKindOf(pool_, v);
  if (out.kinds == 0) {
    Refuse(Code::kSqlValue,
           "a set or map, or a text that is too long or has a NUL, has no "
           "counterpart in SQL: `" +
               text_ + "`");
    out.kinds = sql::kNil;
    v = kNil;
  }
  out.text = SqlConstant(pool_, v);
  out.constant = v;
  out.tagged = SqlQuoted(SqlTagged(pool_, v));
  return out;
}

// The items of a list or term, as text with commas.
SqlExpression SqlSelectWriter::Items(const Pattern& p, Scope& scope) {
  SqlExpression out;
  for (const Pattern& part : p.parts) {
    if (!out.text.empty()) out.text += " || ', ' || ";
    if (part.kind == Pattern::Kind::kAny) {
      Refuse(Code::kSqlClause, "an open form has no counterpart in SQL: `" + text_ + "`");
      scope.never = true;
    }
    const SqlExpression item = scope.never ? SqlExpression{} : Build(part, scope);
    if (scope.never) return out;
    out.text += SqlTag(item);
    out.nullable |= item.nullable;
  }
  return out;
}

SqlExpression SqlSelectWriter::Build(const Pattern& p, Scope& scope) {
  switch (p.kind) {
    case Pattern::Kind::kConstant: return Constant(p.constant);
    case Pattern::Kind::kSlot: {
      const SqlExpression& e = scope.slots[static_cast<std::size_t>(p.slot)];
      if (!e.text.empty()) return e;
      Refuse(Code::kSqlClause, "an open form has no counterpart in SQL: `" + text_ + "`");
      break;
    }
    case Pattern::Kind::kList: {
      SqlExpression items = Items(p, scope);
      if (scope.never) return {};
      if (p.rest.empty())
        return {items.text.empty() ? "'[]'::text" : "('[' || " + items.text + " || ']')",
                sql::kList, items.nullable};
      const SqlExpression rest = Build(p.rest.front(), scope);
      if (!scope.never && (rest.kinds & sql::kList) == 0) scope.never = true;
      if (scope.never) return {};
      return {"rpl_join(" + (items.text.empty() ? "''" : items.text) + ", " + SqlTag(rest) + ")",
              sql::kList, true};
    }
    case Pattern::Kind::kTerm: {
      const SqlExpression items = Items(p, scope);
      if (scope.never) return {};
      const std::string key = SqlQuoted("{" + SqlJsonString(SqlTermKey(p)) + ": [");
      return {items.text.empty() ? "(" + key + " || ']}')"
                                 : "(" + key + " || " + items.text + " || ']}')",
              sql::kTerm, items.nullable};
    }
    case Pattern::Kind::kTemplate: return BuildTemplate(p, scope);
    case Pattern::Kind::kSet:
    case Pattern::Kind::kMap:
      Refuse(Code::kSqlValue, "a set or map has no counterpart in SQL: `" + text_ + "`");
      break;
    default: Refuse(Code::kSqlClause, "`" + text_ + "` has no counterpart in SQL");
  }
  scope.never = true;
  return {};
}

SqlExpression SqlSelectWriter::BuildTemplate(const Pattern& p, Scope& scope) {
  std::string out = SqlQuoted(p.texts().front());
  bool nullable = false;
  for (std::size_t i = 0; i < p.parts.size(); ++i) {
    const SqlExpression part = Build(p.parts[i], scope);
    if (scope.never) return {};
    if ((part.kinds & (sql::kFloat | sql::kList | sql::kTerm)) != 0) {
      Refuse(Code::kSqlValue,
             "a template in SQL takes integers, texts and names, which are not certain here: `" +
                 text_ + "`");
      scope.never = true;
      return {};
    }
    out += " || " + SqlPlain(part) + " || " + SqlQuoted(p.texts()[i + 1]);
    nullable |= part.nullable;
  }
  return {"(" + out + ")", sql::kString, nullable};
}

// Expressions nest as deep as the parser allows.
SqlExpression SqlSelectWriter::Evaluate(const Expr& e, Scope& scope) {
  if (scope.never) return {};
  if (e.kind == Expr::Kind::kTerm) return Build(e.term, scope);
  if (e.kind == Expr::Kind::kNow) {
    Refuse(Code::kSqlClause, "`now` has no counterpart in SQL: `" + text_ + "`");
    scope.never = true;
    return {};
  }
  const SqlExpression a = Named(Evaluate(e.sides[0], scope), scope);
  const SqlExpression b = Named(Evaluate(e.sides[1], scope), scope);
  if (scope.never) return {};
  if (e.op == Operator::kUnion || e.op == Operator::kIntersect || e.op == Operator::kDifference) {
    Refuse(Code::kSqlValue, "an operation on sets has no counterpart in SQL: `" + text_ + "`");
    scope.never = true;
    return {};
  }
  NoteKinds(a, b, e.op == Operator::kDivide ? SqlKinds{0} : SqlKinds{sql::kNumbers});
  const std::optional<SqlExpression> out = SqlArithmetic(e.op, a, b);
  scope.never = !out;
  return out.value_or(SqlExpression{});
}

// --- heads ------------------------------------------------------------------------------------

// The cells from `at` on: one selection for each choice of elements where the head has sets. A row
// with a set stands for its instances, and nobody reads the set as such, or FromAtom refuses it.
void SqlSelectWriter::HeadCells(const Definition& def, std::size_t at, Scope scope,
                                std::vector<SqlSelect>& out) {
  if (scope.never) return;
  if (at == def.args.size()) {
    out.push_back(std::move(scope.select));
    return;
  }
  if (def.extremum) {
    Refuse(Code::kSqlClause, "`" + std::string(ExtremumName(*def.extremum)) +
                                 "` in a head has no counterpart in SQL: `" + text_ + "`");
    return;
  }
  const Pattern& p = def.args[at];
  const auto with = [&](const Pattern& element) {
    Scope one = scope;
    SqlExpression cell = Build(element, one);
    if (one.never) return;
    if (cell.nullable) one.select.where.push_back(cell.text + " IS NOT NULL");
    one.select.cells.push_back(std::move(cell));
    HeadCells(def, at + 1, std::move(one), out);
  };
  const bool gathers =
      std::find(def.gathered.begin(), def.gathered.end(), at) != def.gathered.end();
  if (gathers && (p.kind != Pattern::Kind::kSet || p.rest.size() != 1 || !p.parts.empty())) {
    Refuse(Code::kSqlClause,
           "a gathered list has the order of the answers, which a table has not: `" + text_ + "`");
    return;
  }
  if (gathers) return with(p.rest.front());
  if (p.kind == Pattern::Kind::kSet && p.rest.empty()) {
    for (const Pattern& part : p.parts) with(part);
    return;
  }
  if (p.kind == Pattern::Kind::kConstant && p.constant.kind() == Kind::kSet) {
    for (const Value item : pool_.ItemsOf(p.constant)) with(Pattern::Constant(item));
    return;
  }
  with(p);
}

}  // namespace rpl
