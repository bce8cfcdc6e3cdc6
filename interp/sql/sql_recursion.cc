// SPDX-License-Identifier: Apache-2.0
#include "interp/sql/sql_recursion.h"

#include <algorithm>
#include <utility>

namespace rpl {
namespace {

constexpr std::string_view kNoConflict = "ON CONFLICT DO NOTHING";

std::string ListOf(const SqlSelect& select, const SqlTable& head) {
  std::string list;
  for (std::size_t c = 0; c < head.columns.size(); ++c)
    list += (c > 0 ? ", " : "") + SqlCell(select.cells[c], SqlTypeOf(head.columns[c]));
  return list.empty() ? "true" : list;
}

std::string ColumnsOf(const SqlTable& table) {
  std::string out;
  for (std::size_t c = 0; c < std::max<std::size_t>(table.columns.size(), 1); ++c)
    out += (c > 0 ? ", c" : "c") + std::to_string(c + 1);
  return out;
}

// The name of the table that collects the newest rows of a round.
std::string NextOf(const SqlTable& table) {
  return table.delta.substr(0, table.delta.size() - 6) + "next\"";
}

class StratumWriter {
 public:
  StratumWriter(const std::vector<RelationId>& relations, const std::vector<SqlRule>& rules,
                const SqlTables& tables, const std::set<RelationId>& made)
      : relations_(relations), rules_(rules), tables_(tables), made_(made) {}

  std::vector<SqlStatement> Write() {
    const SqlRule* const linear = Linear();
    const bool at_once = linear != nullptr && !made_.contains(relations_.front()) && HasBase();
    for (const RelationId r : relations_)
      if (!made_.contains(r))
        out_.push_back({SqlTableDefinition(
            TableOf(r), at_once ? SqlTableUse::kRowsAtOnce : SqlTableUse::kRows)});
    if (at_once) {
      AtOnce(*linear);
      return Analysed();
    }
    for (const SqlRule& rule : rules_)
      if (!rule.recursive)
        for (const SqlSelect& select : rule.selects) Insert(rule, select);
    if (linear != nullptr) WithRecursive(*linear);
    else if (std::any_of(rules_.begin(), rules_.end(),
                         [](const SqlRule& rule) { return !rule.deltas.empty(); }))
      Loop();
    return Analysed();
  }

 private:
  std::vector<SqlStatement> Analysed() {
    for (const RelationId r : relations_) out_.push_back({"ANALYZE " + TableOf(r).name});
    return std::move(out_);
  }

  bool HasBase() const {
    return std::any_of(rules_.begin(), rules_.end(), [](const SqlRule& rule) {
      return !rule.recursive && !rule.selects.empty();
    });
  }

  const SqlTable& TableOf(RelationId r) const { return tables_.at(r); }

  void Insert(const SqlRule& rule, const SqlSelect& select) {
    const SqlTable& head = TableOf(rule.def->head);
    out_.push_back({"INSERT INTO " + head.name + " " + select.Text(ListOf(select, head), true) +
                        " " + std::string(kNoConflict),
                    {rule.def->span}});
  }

  // The one recursive rule, if it reads its relation once and in one way; else null.
  const SqlRule* Linear() const {
    const SqlRule* found = nullptr;
    for (const SqlRule& rule : rules_) {
      if (!rule.recursive) continue;
      if (found != nullptr) return nullptr;
      found = &rule;
    }
    const bool linear = found != nullptr && relations_.size() == 1 && found->deltas.size() == 1;
    return linear ? found : nullptr;
  }

  // All rows by one query. The server wants both of its terms in the collation of the column.
  void AtOnce(const SqlRule& linear) {
    const SqlTable& head = TableOf(linear.def->head);
    const std::string columns = ColumnsOf(head);
    std::string base;
    std::vector<Span> spans;
    for (const SqlRule& rule : rules_) {
      if (rule.recursive) continue;
      spans.push_back(rule.def->span);
      for (const SqlSelect& select : rule.selects) {
        std::string list;
        for (std::size_t c = 0; c < head.columns.size(); ++c) {
          const SqlType type = SqlTypeOf(head.columns[c]);
          const std::string cell = SqlCell(select.cells[c], type);
          list += (c > 0 ? ", " : "") +
                  (SqlCastType(type) == "text" ? "(" + cell + ") COLLATE \"C\"" : cell);
        }
        base += (base.empty() ? "" : "\n    UNION ") + select.Text(list.empty() ? "true" : list);
      }
    }
    spans.push_back(linear.def->span);
    const SqlSelect& step = linear.deltas.front().select;
    out_.push_back({"INSERT INTO " + head.name + " WITH RECURSIVE " + head.delta + " (" + columns +
                        ") AS (\n  (" + base + ")\n  UNION\n  " + step.Text(ListOf(step, head)) +
                        "\n) SELECT " + columns + " FROM " + head.delta,
                    spans});
    out_.push_back({"ALTER TABLE " + head.name + " ADD PRIMARY KEY (" + columns + ")"});
  }

  void WithRecursive(const SqlRule& rule) {
    const SqlTable& head = TableOf(rule.def->head);
    const std::string columns = ColumnsOf(head);
    const SqlSelect& step = rule.deltas.front().select;
    out_.push_back({"WITH RECURSIVE " + head.delta + " (" + columns + ") AS (\n  SELECT " +
                        columns + " FROM " + head.name + "\n  UNION\n  " +
                        step.Text(ListOf(step, head)) + "\n) INSERT INTO " + head.name +
                        " SELECT " + columns + " FROM " + head.delta + " " +
                        std::string(kNoConflict),
                    {rule.def->span}});
  }

  void Loop() {
    std::vector<Span> spans;
    std::string before, round, after, grown;
    for (const RelationId r : relations_) {
      const SqlTable& table = TableOf(r);
      const std::string next = NextOf(table);
      out_.push_back({SqlTableDefinition(table, SqlTableUse::kNewest)});
      out_.push_back({"CREATE TABLE " + next + " (LIKE " + table.delta + ")"});
      before += "  INSERT INTO " + table.delta + " SELECT * FROM " + table.name + ";\n";
      after += "    TRUNCATE " + table.delta + ";\n    INSERT INTO " + table.delta +
               " SELECT * FROM " + next + ";\n    TRUNCATE " + next + ";\n";
      grown += "      ANALYZE " + table.name + ";\n      ANALYZE " + table.delta + ";\n";
    }
    for (const SqlRule& rule : rules_) {
      if (rule.deltas.empty()) continue;
      spans.push_back(rule.def->span);
      const SqlTable& head = TableOf(rule.def->head);
      for (const SqlRule::Delta& delta : rule.deltas)
        round += "    WITH added AS (\n      INSERT INTO " + head.name + "\n      " +
                 delta.select.Text(ListOf(delta.select, head)) + "\n      " +
                 std::string(kNoConflict) + " RETURNING *\n    ) INSERT INTO " + NextOf(head) +
                 " SELECT * FROM added;\n    GET DIAGNOSTICS rpl_added = ROW_COUNT;\n"
                 "    rpl_fresh := rpl_fresh + rpl_added;\n";
    }
    out_.push_back(
        {"DO $rpl$\nDECLARE\n  rpl_added bigint;\n  rpl_fresh bigint;\n"
         "  rpl_rows bigint := 0;\n  rpl_analysed bigint := 1000;\nBEGIN\n" +
             before + "  LOOP\n    rpl_fresh := 0;\n" + round + "    EXIT WHEN rpl_fresh = 0;\n" +
             after +
             "    rpl_rows := rpl_rows + rpl_fresh;\n"
             "    IF rpl_rows > 2 * rpl_analysed THEN\n" +
             grown + "      rpl_analysed := rpl_rows;\n    END IF;\n  END LOOP;\nEND $rpl$",
         spans});
    for (const RelationId r : relations_)
      out_.push_back({"DROP TABLE " + TableOf(r).delta + ", " + NextOf(TableOf(r))});
  }

  const std::vector<RelationId>& relations_;
  const std::vector<SqlRule>& rules_;
  const SqlTables& tables_;
  const std::set<RelationId>& made_;
  std::vector<SqlStatement> out_;
};

}  // namespace

std::string SqlTableDefinition(const SqlTable& table, SqlTableUse use) {
  std::string columns;
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    columns += (c > 0 ? ", c" : "c") + std::to_string(c + 1) + " " +
               std::string(SqlColumnType(SqlTypeOf(table.columns[c]))) + " NOT NULL";
  if (columns.empty()) columns = "c1 boolean NOT NULL";
  if (use == SqlTableUse::kRows) columns += ", PRIMARY KEY (" + ColumnsOf(table) + ")";
  return "CREATE TABLE " + (use == SqlTableUse::kNewest ? table.delta : table.name) + " (" +
         columns + ")";
}

std::vector<SqlStatement> SqlStratumStatements(const std::vector<RelationId>& relations,
                                               const std::vector<SqlRule>& rules,
                                               const SqlTables& tables,
                                               const std::set<RelationId>& made) {
  return StratumWriter(relations, rules, tables, made).Write();
}

}  // namespace rpl
