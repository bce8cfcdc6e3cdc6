// SPDX-License-Identifier: Apache-2.0
//
// The kinds of all columns come first: those of the facts, then those of what the rules derive from
// them, in rounds until no column gains one. Then every rule is written once more, with the types
// that follow.
#include "interp/sql/sql_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>
#include <utility>

#include "formats/sql_text.h"
#include "interp/plan/analysis.h"
#include "interp/sql/sql_absence.h"
#include "interp/sql/sql_functions.h"
#include "interp/sql/sql_needs.h"
#include "interp/sql/sql_recursion.h"
#include "interp/sql/sql_select.h"
#include "interp/store/store.h"

namespace rpl {
namespace {

constexpr std::size_t kRowsPerInsert = 500;
/// PostgreSQL cuts longer names off.
constexpr std::size_t kMostNameBytes = 48;

class ScriptWriter {
 public:
  ScriptWriter(Program& program, Analysis& analysis, Diagnostics& refused)
      : program_(program),
        store_(program.store()),
        pool_(program.store().pool()),
        analysis_(analysis),
        refused_(refused) {}

  std::optional<SqlScript> Write(const SqlRequest& request) {
    const std::size_t before = refused_.size();
    const std::set<RelationId> needs = SqlNeeds(program_, analysis_, request, refused_);
    if (refused_.size() > before) return std::nullopt;
    NameTables(needs);
    if (!TakeFactKinds()) return std::nullopt;
    FindRules();
    if (!FindKinds()) return std::nullopt;
    FindPartial(request);
    for (const auto& [id, table] : tables_) ordered_.push_back(&table);
    std::sort(ordered_.begin(), ordered_.end(),
              [](const SqlTable* a, const SqlTable* b) { return a->relation < b->relation; });
    AddTables();
    for (const SqlStratum& stratum : strata_) AddStratum(stratum);
    for (const SqlQuestion& question : request.questions)
      for (const Definition* rule : question.rules) AddAnswers(question.label, *rule);
    if (refused_.size() > before) return std::nullopt;
    AddFunctions();
    return std::move(script_);
  }

 private:
  struct SqlStratum {
    std::vector<RelationId> relations;
    std::vector<DerivedRule*> rules;
  };

  // Labels of relations with several arities end in theirs, long ones in the number of the
  // relation.
  void NameTables(const std::set<RelationId>& needs) {
    std::map<std::string, int> labels;
    for (const RelationId r : needs) ++labels[store_.at(r).name()];
    for (const RelationId r : needs) {
      const Relation& rel = store_.at(r);
      std::string name = rel.name();
      if (labels[name] > 1) name += "/" + std::to_string(rel.arity());
      if (name.size() > kMostNameBytes)
        name = "relation " + std::to_string(r) + " " + name.substr(name.size() - 20);
      if (std::any_of(name.begin(), name.end(), [](char c) { return (c & 0x80) != 0; }))
        name = "relation " + std::to_string(r);  // a cut may split a character
      SqlTable& table = tables_[r];
      table.relation = r;
      table.name = SqlName(name);
      table.delta = SqlName(name + " delta");
      table.columns.resize(rel.arity());
    }
  }

  bool TakeFactKinds() {
    bool sound = true;
    for (auto& [id, table] : tables_) {
      const Relation& rel = store_.at(id);
      for (RowId row = 0; row < rel.size() && sound; ++row) {
        if (!rel.asserted(row)) continue;
        for (std::size_t c = 0; c < table.columns.size(); ++c) {
          const SqlKinds kind = SqlKindOf(pool_, rel.Cells(row)[c]);
          table.columns[c] |= kind;
          if (kind != 0) continue;
          refused_.Add(Code::kSqlValue, rel.Origin(row).value_or(Span{}),
                       "a fact of " + rel.name() +
                           " has a set or map, or a text that is too long or has a NUL");
          sound = false;
          break;
        }
      }
    }
    return sound;
  }

  void FindRules() {
    for (Stratum& stratum : analysis_.strata()) {
      SqlStratum& out = strata_.emplace_back();
      for (const RelationId r : stratum.relations)
        if (tables_.contains(r)) out.relations.push_back(r);
      for (DerivedRule& rule : stratum.rules)
        if (tables_.contains(rule.def->head)) out.rules.push_back(&rule);
      if (out.rules.empty()) strata_.pop_back();
    }
  }

  std::vector<SqlSelect> SelectsOf(const Plan& plan, const Definition& def) {
    return SqlSelectWriter(pool_, store_, tables_, refused_).Write(plan, def);
  }

  // The order of the clauses differs between the plans of a rule, and with it the columns from
  // which a cell comes, so that all plans say which kinds it has.
  bool FindKinds() {
    const std::size_t before = refused_.size();
    for (const SqlStratum& stratum : strata_)
      for (bool grows = true; grows;) {
        grows = false;
        for (DerivedRule* rule : stratum.rules) {
          SqlTable& table = tables_.at(rule->def->head);
          ForEachPlan(stratum, *rule, [&](RelationId, const Plan& plan) {
            for (const SqlSelect& select : SelectsOf(plan, *rule->def))
              for (std::size_t c = 0; c < table.columns.size(); ++c) {
                const auto kinds = static_cast<SqlKinds>(table.columns[c] | select.cells[c].kinds);
                grows |= kinds != std::exchange(table.columns[c], kinds);
              }
          });
          if (refused_.size() > before) return false;
        }
      }
    return true;
  }

  // The relations of which a rule may be undefined, and refuses those on whose absence something
  // rests. The strata come in the order in which they read each other.
  void FindPartial(const SqlRequest& request) {
    std::vector<const Definition*> questions;
    for (const SqlQuestion& question : request.questions)
      questions.insert(questions.end(), question.rules.begin(), question.rules.end());
    const std::set<RelationId> whole = NeededWhole(program_, questions);
    for (const SqlStratum& stratum : strata_) {
      const DerivedRule* undefined = nullptr;
      for (DerivedRule* rule : stratum.rules) {
        SqlSelectWriter writer(pool_, store_, tables_, refused_);
        writer.Write(analysis_.PlanFor(*rule, rule->full, -1, {}), *rule->def);
        const bool partial =
            writer.may_be_undefined() ||
            std::ranges::any_of(rule->reads, [&](RelationId r) { return partial_.contains(r); });
        if (partial && undefined == nullptr) undefined = rule;
        if (writer.may_be_undefined_in_not() || (partial && rule->whole)) RefusePartial(*rule->def);
      }
      if (undefined == nullptr) continue;
      partial_.insert(stratum.relations.begin(), stratum.relations.end());
      const auto needed = [&](RelationId r) { return whole.contains(r); };
      if (!undefined->whole && std::ranges::any_of(stratum.relations, needed))
        RefusePartial(*undefined->def);
    }
  }

  void RefusePartial(const Definition& def) {
    refused_.Add(Code::kSqlClause, def.span, kRestsOnAbsence);
  }

  // Calls fn(relation, plan) for the whole plan, with kNoId, and for each that reads the newest
  // rows of a relation of the stratum.
  template <typename Fn>
  void ForEachPlan(const SqlStratum& stratum, DerivedRule& rule, Fn&& fn) const {
    fn(kNoId, analysis_.PlanFor(rule, rule.full, -1, {}));
    for (DerivedRule::Delta& delta : rule.deltas)
      if (std::count(stratum.relations.begin(), stratum.relations.end(), delta.relation) > 0)
        fn(delta.relation, analysis_.PlanFor(rule, delta.plans, delta.position, {}));
  }

  std::vector<SqlType> TypesOf(const SqlTable& table) const {
    std::vector<SqlType> out;
    for (const SqlKinds kinds : table.columns) out.push_back(SqlTypeOf(kinds));
    return out;
  }

  // Relations with facts, and those without rules that hold; strata make the others.
  void AddTables() {
    std::set<RelationId> derived;
    for (const SqlStratum& stratum : strata_)
      derived.insert(stratum.relations.begin(), stratum.relations.end());
    std::string filled;
    for (const SqlTable* table : ordered_) {
      const std::vector<SqlType> types = TypesOf(*table);
      script_.relations.push_back({table->relation, table->name, types});
      const Relation& rel = store_.at(table->relation);
      bool facts = false;
      for (RowId row = 0; row < rel.size() && !facts; ++row) facts = rel.asserted(row);
      if (!facts && derived.contains(table->relation)) continue;
      script_.statements.push_back({SqlTableDefinition(*table, SqlTableUse::kRows)});
      made_.insert(table->relation);
      if (!facts) continue;
      AddFacts(*table, types);
      filled += (filled.empty() ? "ANALYZE " : ", ") + table->name;
    }
    if (!filled.empty()) script_.statements.push_back({filled});
  }

  void AddFacts(const SqlTable& table, const std::vector<SqlType>& types) {
    const Relation& rel = store_.at(table.relation);
    std::string rows;
    std::size_t count = 0;
    const auto flush = [&] {
      if (count > 0) script_.statements.push_back({"INSERT INTO " + table.name + " VALUES" + rows});
      rows.clear();
      count = 0;
    };
    for (RowId row = 0; row < rel.size(); ++row) {
      if (!rel.asserted(row)) continue;
      rows += count == 0 ? "\n  (" : ",\n  (";
      for (std::size_t c = 0; c < types.size(); ++c)
        rows += (c > 0 ? ", " : "") + SqlLiteral(pool_, rel.Cells(row)[c], types[c]);
      rows += types.empty() ? "true)" : ")";
      if (++count == kRowsPerInsert) flush();
    }
    flush();
  }

  void AddStratum(const SqlStratum& stratum) {
    std::vector<SqlRule> rules;
    for (DerivedRule* rule : stratum.rules) {
      SqlRule one{rule->def, {}, {}};
      ForEachPlan(stratum, *rule, [&](RelationId newest, const Plan& plan) {
        std::vector<SqlSelect> selects = SelectsOf(plan, *rule->def);
        if (newest == kNoId) one.selects = std::move(selects);
        else
          for (SqlSelect& select : selects) one.deltas.push_back({newest, std::move(select)});
      });
      one.recursive = std::any_of(rule->reads.begin(), rule->reads.end(), [&](RelationId r) {
        return std::count(stratum.relations.begin(), stratum.relations.end(), r) > 0;
      });
      rules.push_back(std::move(one));
    }
    for (SqlStatement& statement : SqlStratumStatements(stratum.relations, rules, tables_, made_))
      script_.statements.push_back(std::move(statement));
  }

  // One selection for each rule of a goal: the rules are alternatives, in their order.
  void AddAnswers(const std::string& label, const Definition& def) {
    const std::unique_ptr<Plan> plan =
        Planner(analysis_, program_.store(), Mode::kDerive)
            .Make(ClausesOf(def), std::vector<bool>(def.slots.size()), HeadSlots(def), def.slots,
                  def.avar);
    if (plan->problem) {
      refused_.Add(Code::kSqlCaller, def.span, *plan->problem);
      return;
    }
    SqlSelectWriter writer(pool_, store_, tables_, refused_);
    const std::vector<SqlSelect> selects = writer.Write(*plan, def);
    if (writer.may_be_undefined_in_not()) return RefusePartial(def);
    SqlAnswers out;
    out.label = label;
    std::vector<std::size_t> shown;
    for (std::size_t i = 0; i < def.args.size(); ++i) {
      const Pattern& p = def.args[i];
      if (p.kind == Pattern::Kind::kConstant) continue;
      shown.push_back(i);
      out.columns.push_back(p.kind == Pattern::Kind::kSlot
                                ? "?" + def.slots[static_cast<std::size_t>(p.slot)]
                                : rpl::Text(pool_, def.captures[i]));
      SqlKinds kinds = 0;
      for (const SqlSelect& select : selects) kinds |= select.cells[i].kinds;
      out.types.push_back(SqlTypeOf(kinds));
    }
    std::vector<std::string> parts;
    for (const SqlSelect& select : selects) {
      std::string list;
      for (std::size_t k = 0; k < shown.size(); ++k)
        list += (k > 0 ? ", " : "") + SqlCell(select.cells[shown[k]], out.types[k]) + " AS " +
                SqlName(out.columns[k]);
      parts.push_back(select.Text(list.empty() ? "1" : list, parts.empty() && selects.size() == 1));
    }
    out.select = Answers(parts, out);
    script_.answers.push_back(std::move(out));
  }

  static std::string Answers(const std::vector<std::string>& parts, const SqlAnswers& of) {
    std::string all;
    for (const std::string& part : parts) all += (all.empty() ? "" : "\n  UNION\n  ") + part;
    if (of.columns.empty())
      return "SELECT " + (all.empty() ? "false" : "EXISTS (" + all + ")") + " AS holds";
    if (!all.empty()) return all;
    for (std::size_t k = 0; k < of.columns.size(); ++k)
      all += (k > 0 ? ", NULL::text AS " : "NULL::text AS ") + SqlName(of.columns[k]);
    return "SELECT " + all + " WHERE false";
  }

  // Before the statements that call them.
  void AddFunctions() {
    std::vector<std::string_view> texts;
    for (const SqlStatement& statement : script_.statements) texts.push_back(statement.text);
    for (const SqlAnswers& answers : script_.answers) texts.push_back(answers.select);
    std::vector<SqlStatement> all;
    for (std::string& function : SqlFunctionsFor(texts)) all.push_back({std::move(function)});
    for (SqlStatement& statement : script_.statements) all.push_back(std::move(statement));
    script_.statements = std::move(all);
  }

  Program& program_;
  const Store& store_;
  Pool& pool_;
  Analysis& analysis_;
  Diagnostics& refused_;
  SqlTables tables_;
  std::vector<const SqlTable*> ordered_;
  std::vector<SqlStratum> strata_;
  std::set<RelationId> partial_;  // of which a rule may be undefined
  std::set<RelationId> made_;     // that have a table
  SqlScript script_;
};

}  // namespace

SqlRequest SqlRequestOf(const Program& program) {
  SqlRequest out;
  for (const Goal& goal : program.goals()) {
    if (!goal.IsPursued() || goal.rules.empty()) continue;
    SqlQuestion question{goal.label, {}};
    for (const int number : goal.rules)
      question.rules.push_back(&program.definitions()[static_cast<std::size_t>(number)]);
    out.questions.push_back(std::move(question));
  }
  if (!out.questions.empty()) return out;
  const Store& store = program.store();
  std::set<RelationId> heads;
  for (const Definition& def : program.definitions())
    if (def.head != kNoId) heads.insert(def.head);
  for (RelationId r = 0; r < store.size(); ++r)
    if (!store.IsWhole(r) && store.at(r).space() == Space::kRelation &&
        (!store.at(r).empty() || heads.contains(r)) && program.FindBuiltin(r) == nullptr)
      out.relations.push_back(r);
  return out;
}

std::optional<SqlScript> WriteSql(Program& program, Analysis& analysis, const SqlRequest& request,
                                  Diagnostics& refused) {
  Diagnostics all;
  std::optional<SqlScript> out = ScriptWriter(program, analysis, all).Write(request);
  // A clause that several plans of a rule have is refused once.
  std::set<std::pair<std::uint32_t, std::string>> told;
  for (const Diagnostic& d : all.all())
    if (told.emplace(d.span.begin, d.message).second) refused.Add(d);
  return out;
}

std::string SqlScript::Text(const std::string& schema, const Sources& sources) const {
  std::string out = "\\set ON_ERROR_STOP on\nBEGIN;\nCREATE SCHEMA " + SqlName(schema) +
                    ";\nSET LOCAL search_path TO " + SqlName(schema) +
                    ";\nSET LOCAL standard_conforming_strings TO on;\n"
                    "SET LOCAL extra_float_digits TO 1;\n";
  for (const SqlStatement& statement : statements) {
    if (!statement.rules.empty()) out += "\n";
    for (const Span rule : statement.rules) {
      const std::string_view text = sources.Text(rule);
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        out += "-- " + std::string(text.substr(at, end - at)) + "\n";
        at = end + 1;
      }
    }
    out += statement.text + ";\n";
  }
  for (const SqlAnswers& one : answers) out += "\n-- %" + one.label + "\n" + one.select + ";\n";
  return out + "COMMIT;\n";
}

}  // namespace rpl
