// SPDX-License-Identifier: Apache-2.0
//
// Relations are written in the order of strata, as far as they can be; then those go that may not
// be pushed down because of who reads what, until nothing changes.
#include "interp/sql/sql_push.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "formats/sql_text.h"
#include "interp/plan/analysis.h"
#include "interp/sql/sql_absence.h"
#include "interp/sql/sql_functions.h"
#include "interp/sql/sql_needs.h"
#include "interp/sql/sql_select.h"
#include "interp/store/store.h"

namespace rpl {
namespace {

void AddMentions(const Clauses& clauses, const Store& store, std::set<RelationId>& out) {
  ForEachClause(clauses, [&](const Clause& clause) {
    if (const Atom* atom = AtomIn(clause)) out.insert(store.BaseOf(atom->relation));
  });
}

// The relations of which a clause has the rows, as it does to read their metadata.
void AddReadRows(const Clauses& clauses, const Store& store, std::set<RelationId>& out) {
  ForEachAtom(clauses, [&](const Atom& atom) {
    if (atom.row >= 0) out.insert(store.BaseOf(atom.relation));
  });
}

// Whether some clause may read or derive any relation.
bool MayReadAny(const Program& program) {
  return std::any_of(
      program.definitions().begin(), program.definitions().end(), [](const Definition& def) {
        return def.head == kNoId || MayReadAny(def.activation) || MayReadAny(def.body);
      });
}

// --- columns of sources ---------------------------------------------------------------------

// A column as an expression of the kinds; no kinds: of a type that is not translated.
struct SourceCell {
  SqlKinds kinds = 0;
  std::string typed;  // NULL for NULL
  std::string tag;    // of a value that is not NULL
};

// The number that the cell is here, of the column `c`. Where the server cannot say which, the text
// of the cell is none of a number, and its cast an error.
SourceCell NumberCell(const std::string& c, const std::string& unsure, const std::string& number) {
  const std::string typed = "trim_scale(CASE WHEN " + unsure + " THEN (" + c +
                            "::text || '!')::numeric ELSE " + number + " END)";
  return {sql::kNumbers, typed, typed + "::text"};
}

SourceCell CellOf(const SqlSourceColumn& column) {
  const std::string c = "rpl_row." + SqlName(column.name);
  const auto text = [](const std::string& typed) {
    return SourceCell{sql::kString, typed, "to_json('=' || " + typed + ")::text"};
  };
  switch (column.type) {
    case sql_type::kBool: return {sql::kBoolean, c, c + "::text"};
    case sql_type::kInt2:
    case sql_type::kInt4:
    case sql_type::kInt8: return {sql::kInt64, c + "::bigint", c + "::text"};
    case sql_type::kText:
    case sql_type::kVarchar: return text("(" + c + R"(::text COLLATE "C"))");
    case sql_type::kBpchar:
    case sql_type::kDate:
    case sql_type::kTimestamp:
    case sql_type::kTimestamptz:
    case sql_type::kUuid: return text("((to_json(" + c + R"() #>> '{}') COLLATE "C"))");
    case sql_type::kFloat4:
    case sql_type::kFloat8:
      return NumberCell(
          c, c + " IN ('NaN', 'Infinity', '-Infinity') OR abs(" + c + ") >= 9007199254740992",
          c + "::text::numeric");
    case sql_type::kNumeric:
      return NumberCell(c,
                        c + "::text IN ('NaN', 'Infinity', '-Infinity') OR (abs(" + c +
                            ") >= 9007199254740992 AND " + c + " <> trunc(" + c + "))",
                        "CASE WHEN " + c + " = trunc(" + c + ") THEN " + c + " ELSE " + c +
                            "::double precision::text::numeric END");
    default: return {};
  }
}

std::string Column(std::string_view mark, std::size_t c) {
  return std::string(mark) + std::to_string(c + 1);
}

std::string Columns_(std::string_view mark, std::size_t count) {
  std::string out;
  for (std::size_t c = 0; c < count; ++c) out += (c > 0 ? ", " : "") + Column(mark, c);
  return out;
}

// The rows of a source: its cells c1, …, those without nil p1, …, and its place in the order, k.
std::string SourceQuery_(const SqlSource& source) {
  std::string list;
  for (std::size_t i = 0; i < source.columns.size(); ++i) {
    const SqlSourceColumn& column = source.columns[i];
    const SourceCell cell = CellOf(column);
    if (cell.kinds == 0) {
      list += "NULL::text AS " + Column("c", i) + ", ";
    } else if (!column.nullable) {
      list += cell.typed + " AS " + Column("c", i) + ", ";
    } else {
      list += "CASE WHEN rpl_row." + SqlName(column.name) + " IS NULL THEN 'null' ELSE " +
              cell.tag + R"( END COLLATE "C" AS )" + Column("c", i) + ", " + cell.typed + " AS " +
              Column("p", i) + ", ";
    }
  }
  return "SELECT " + list + R"(ARRAY[to_json(rpl_row)::text COLLATE "C"] AS k FROM ()" +
         source.select + "\n) AS rpl_row";
}

// --- one database ---------------------------------------------------------------------------

class PushFinder {
 public:
  PushFinder(Program& program, Analysis& analysis, const std::vector<SqlSource>& sources,
             const std::string& database, const Definition* query, SqlPush& out)
      : program_(program),
        store_(program.store()),
        analysis_(analysis),
        database_(database),
        query_(query),
        out_(out) {
    for (const SqlSource& source : sources)
      if (source.database == database) AddSource(source);
  }

  void Find() {
    for (Stratum& stratum : analysis_.strata()) Write(stratum);
    while (Shrinks()) {
    }
    for (const auto& [relation, rules] : rules_) {
      out_.heads.insert(relation);
      for (const int rule : analysis_.RulesOf(relation)) out_.rules.insert(rule);
      for (const RelationId r : reads_.at(relation))
        if (sources_.contains(r)) out_.replaced.insert(r);
    }
    for (const RelationId relation : strata_order_)
      if (rules_.contains(relation) && !IsBelow(relation)) Emit(relation);
    for (const auto& [relation, why] : kept_) out_.kept.push_back(TextOf(relation) + ": " + why);
  }

 private:
  struct Rule {
    const Definition* def;
    std::vector<SqlSelect> selects;
  };

  std::string NameOf(RelationId r) const {
    return SqlName(store_.at(r).name() + "/" + std::to_string(store_.at(r).arity()));
  }

  // For people: the label, with the number of arguments if other relations have it.
  std::string TextOf(RelationId r) const {
    const Relation& relation = store_.at(r);
    for (RelationId other = 0; other < store_.size(); ++other)
      if (other != r && store_.at(other).space() == Space::kRelation &&
          store_.at(other).label() == relation.label() && store_.BaseOf(other) != r)
        return relation.name() + "/" + std::to_string(relation.arity());
    return relation.name();
  }

  bool HasFacts(RelationId r) const {
    const Relation& rel = store_.at(r);
    for (RowId row = 0; row < rel.size(); ++row)
      if (rel.asserted(row)) return true;
    return false;
  }

  void AddSource(const SqlSource& source) {
    if (source.columns.empty() || source.columns.size() > kMostSqlColumns) return;
    const RelationId r = store_.Declare(Space::kRelation, source.relation,
                                        static_cast<std::uint32_t>(source.columns.size()));
    if (!analysis_.RulesOf(r).empty() || HasFacts(r) || program_.FindCollected(r) != nullptr)
      return;
    SqlTable& table = tables_[r];
    table.relation = r;
    table.name = NameOf(r);
    table.distinct = false;
    for (std::size_t c = 0; c < source.columns.size(); ++c) {
      const SourceCell cell = CellOf(source.columns[c]);
      const bool nil = source.columns[c].nullable && cell.kinds != 0;
      table.columns.push_back(static_cast<SqlKinds>(cell.kinds | (nil ? sql::kNil : 0)));
      table.plain.push_back(nil ? Column("p", c) : "");
      table.unknown.push_back(cell.kinds == 0);
    }
    sources_.emplace(r, &source);
    sorted_.insert(r);
  }

  const std::set<RelationId>& Whole() {
    if (!whole_) {
      std::vector<const Definition*> questions;
      if (query_ != nullptr) questions.push_back(query_);
      whole_ = NeededWhole(program_, questions);
    }
    return *whole_;
  }

  // Whether the relation of a stratum may be one of those: what is not said by its selections.
  std::string WhyNot(RelationId relation, const Stratum& stratum) const {
    if (HasFacts(relation)) return "the program has facts of it";
    if (analysis_.IsTabled(relation) || analysis_.IsBroken(relation) ||
        program_.FindCollected(relation) != nullptr || program_.FindBuiltin(relation) != nullptr)
      return "its rows are not derived from rows alone";
    for (const int number : analysis_.RulesOf(relation)) {
      const Definition& def = program_.definitions()[static_cast<std::size_t>(number)];
      const bool here = std::any_of(stratum.rules.begin(), stratum.rules.end(),
                                    [&](const DerivedRule& rule) { return rule.def == &def; });
      if (!here || def.force || def.choice || def.question >= 0 || def.head_expansion >= 0)
        return "a rule of it is more than a selection";
    }
    return "";
  }

  void Write(Stratum& stratum) {
    if (stratum.relations.size() != 1) return;
    const RelationId relation = stratum.relations.front();
    std::set<RelationId> reads;
    for (const int number : analysis_.RulesOf(relation))
      reads.merge(Mentioned(program_.definitions()[static_cast<std::size_t>(number)], store_));
    const auto is_ours = [&](RelationId r) { return tables_.contains(r); };
    if (std::none_of(reads.begin(), reads.end(), is_ours)) return;
    const auto keep = [&](const std::string& why) { kept_.emplace(relation, why); };
    if (const auto other = std::find_if_not(reads.begin(), reads.end(), is_ours);
        other != reads.end())
      return keep("it reads " + TextOf(*other) + ", which is not in the database of " + database_);
    if (const std::string why = WhyNot(relation, stratum); !why.empty()) return keep(why);
    SqlTable table;
    table.relation = relation;
    table.name = NameOf(relation);
    table.columns.resize(store_.at(relation).arity());
    if (table.columns.size() > kMostSqlColumns) return keep("it has more than 32 arguments");
    std::vector<Rule> rules;
    Diagnostics refused;
    std::vector<std::string> texts;
    bool sorted = true, any = false;
    bool partial = std::ranges::any_of(reads, [&](RelationId r) { return partial_.contains(r); });
    for (DerivedRule& rule : stratum.rules) {
      const Plan& plan = analysis_.PlanFor(rule, rule.full, -1, {});
      SqlSelectWriter writer(store_.pool(), store_, tables_, refused);
      Rule& one = rules.emplace_back(Rule{rule.def, writer.Write(plan, *rule.def)});
      partial = partial || writer.may_be_undefined();
      if (writer.may_be_undefined_in_not() ||
          (partial && (rule.whole || Whole().contains(relation))))
        return keep(kRestsOnAbsence);
      if (refused.size() > 0) return keep(refused.all().front().message);
      sorted = sorted && one.selects.size() <= 1 && rule.def->gathered.empty();
      for (const SqlSelect& select : one.selects) {
        any = true;
        sorted = sorted && select.order.has_value();
        std::string text = select.Text("1");
        for (std::size_t c = 0; c < select.cells.size(); ++c) {
          table.columns[c] = static_cast<SqlKinds>(table.columns[c] | select.cells[c].kinds);
          text += " " + SqlTag(select.cells[c]);
        }
        texts.push_back(std::move(text));
        for (const std::string& alias : select.order.value_or(std::vector<std::string>()))
          sorted = sorted && IsSortedAlias(select, alias);
      }
    }
    if (!any) return keep("it has no rows");
    if (!SqlFunctionsFor({texts.begin(), texts.end()}).empty())
      return keep("it needs functions of a script, as for values of several kinds");
    if (sorted) sorted_.insert(relation);
    if (partial) partial_.insert(relation);
    tables_[relation] = std::move(table);
    reads_[relation] = std::move(reads);
    rules_[relation] = std::move(rules);
    strata_order_.push_back(relation);
  }

  // Whether the table of an alias is one whose rows have a place.
  bool IsSortedAlias(const SqlSelect& select, const std::string& alias) const {
    return std::any_of(sorted_.begin(), sorted_.end(), [&](RelationId r) {
      const std::string from = tables_.at(r).name + " AS " + alias;
      return std::find(select.from.begin(), select.from.end(), from) != select.from.end();
    });
  }

  // Whether only relations that are pushed down read it, and one does.
  bool IsBelow(RelationId relation) const {
    return !outside_.contains(relation) &&
           std::any_of(rules_.begin(), rules_.end(), [&](const auto& other) {
             return reads_.at(other.first).contains(relation);
           });
  }

  // What the rest of the program reads.
  void FindOutside() {
    outside_.clear();
    with_metadata_.clear();
    const auto take = [&](const Clauses& clauses) {
      AddMentions(clauses, store_, outside_);
      AddReadRows(clauses, store_, with_metadata_);
    };
    const auto take_rule = [&](const Definition& def) {
      Clauses all = def.activation;
      all.insert(all.end(), def.body.begin(), def.body.end());
      take(all);
    };
    for (const Definition& def : program_.definitions())
      if (!rules_.contains(def.head)) take_rule(def);
    if (query_ != nullptr) take_rule(*query_);
    const auto take_constraint = [&](const Constraint& c) {
      take(c.left);
      take(c.right);
    };
    for (const Constraint& c : program_.constraints()) take_constraint(c);
    for (const CallGuard& guard : program_.guards())
      for (const CallGuard::Reading& reading : guard.readings) take_constraint(reading.form);
    for (const ArgumentQuestion& question : program_.questions())
      if (const RelationId r = program_.OptionsOf(question); r != kNoId)
        outside_.insert(store_.BaseOf(r));
  }

  // Takes a relation out that may not be pushed down; false if there is none.
  bool Shrinks() {
    FindOutside();
    for (const auto& [relation, rules] : rules_) {
      std::string why;
      for (const RelationId r : reads_.at(relation)) {
        if (sources_.contains(r) && outside_.contains(r))
          why = "others read " + TextOf(r) + " as well";
        if (!sources_.contains(r) && !rules_.contains(r))
          why = "it reads " + TextOf(r) + ", which is not pushed down";
      }
      if (with_metadata_.contains(relation)) why = "its metadata is read";
      if (why.empty() && !IsBelow(relation) && !sorted_.contains(relation))
        why = "the order of its rows is not that of the rows it reads";
      if (why.empty()) continue;
      kept_.emplace(relation, why);
      rules_.erase(relation);
      return true;
    }
    return false;
  }

  // The rows of a relation: its cells, and its place in the order where it has one.
  std::string RowsOf(RelationId relation) const {
    const SqlTable& table = tables_.at(relation);
    const std::size_t count = table.columns.size();
    const bool sorted = sorted_.contains(relation);
    std::string all;
    std::size_t number = 0;
    for (const Rule& rule : rules_.at(relation)) {
      ++number;
      for (const SqlSelect& select : rule.selects) {
        std::string list;
        for (std::size_t c = 0; c < count; ++c)
          list += SqlCell(select.cells[c], SqlTypeOf(table.columns[c])) + " AS " + Column("c", c) +
                  ", ";
        list += fmt::format("ARRAY['{:04}'", number) + R"( COLLATE "C"])";
        if (sorted)
          for (const std::string& alias : *select.order) list += " || " + alias + ".k";
        all += (all.empty() ? "" : " UNION ALL ") + select.Text(list + " AS k");
      }
    }
    const std::string cells = Columns_("c", count);
    const std::string key = R"(min(k COLLATE "C") AS k)";
    const std::string of = " FROM (" + all + ") AS u";
    if (count == 0) return "SELECT " + key + of + " HAVING count(*) > 0";
    return "SELECT " + cells + ", " + key + of + " GROUP BY " + cells;
  }

  void AddBelow(RelationId relation, std::set<RelationId>& to) const {
    for (const RelationId r : reads_.at(relation))
      if (to.insert(r).second && reads_.contains(r)) AddBelow(r, to);
  }

  void Emit(RelationId relation) {
    std::set<RelationId> below;
    AddBelow(relation, below);
    SqlPush::Query query;
    query.relation = relation;
    query.name = TextOf(relation);
    query.partial = partial_.contains(relation);
    SqlPushed& pushed = query.pushed;
    pushed.relation = store_.at(relation).name();
    pushed.database = database_;
    std::string tables;
    const auto add = [&](RelationId r, const std::string& rows, bool source) {
      tables += (tables.empty() ? "WITH " : ",\n  ") + NameOf(r) +
                (source ? " AS NOT MATERIALIZED (" : " AS (") + rows + ")";
    };
    for (const auto& [r, source] : sources_) {
      if (!below.contains(r)) continue;
      pushed.sources.push_back(*source);
      add(r, SourceQuery_(*source), true);
    }
    for (const RelationId r : strata_order_)
      if (below.contains(r)) add(r, RowsOf(r), false);
    add(relation, RowsOf(relation), false);
    for (const SqlKinds kinds : tables_.at(relation).columns)
      pushed.types.push_back(SqlTypeOf(kinds));
    const std::string cells = Columns_("c", pushed.types.size());
    pushed.select = tables + "\nSELECT " + (cells.empty() ? "true" : cells) + " FROM " +
                    NameOf(relation) + " ORDER BY k";
    out_.queries.push_back(std::move(query));
  }

  Program& program_;
  Store& store_;
  Analysis& analysis_;
  const std::string& database_;
  const Definition* query_;
  SqlPush& out_;
  std::map<RelationId, const SqlSource*> sources_;
  SqlTables tables_;                                  // of sources and candidates
  std::map<RelationId, std::vector<Rule>> rules_;     // of candidates
  std::map<RelationId, std::set<RelationId>> reads_;  // of those that were ever candidates
  std::vector<RelationId> strata_order_;              // the same
  std::set<RelationId> sorted_;                       // whose rows have a place
  std::optional<std::set<RelationId>> whole_;         // once it was asked for
  std::set<RelationId> partial_;                  // rows of which may be undefined (decision 93)
  std::set<RelationId> outside_, with_metadata_;  // that the rest reads
  std::map<RelationId, std::string> kept_;
};

}  // namespace

bool IsOf(const SqlPushed& pushed, const Relation& relation) {
  return pushed.relation == relation.name() && pushed.types.size() == relation.arity();
}

std::set<RelationId> Mentioned(const Definition& def, const Store& store) {
  std::set<RelationId> out;
  AddMentions(def.activation, store, out);
  AddMentions(def.body, store, out);
  return out;
}

SqlPush FindPush(Program& program, Analysis& analysis, const std::vector<SqlSource>& sources,
                 const Definition* query) {
  SqlPush out;
  if (MayReadAny(program)) {
    out.kept.push_back("a clause may read any relation");
    return out;
  }
  std::set<std::string> databases;
  for (const SqlSource& source : sources) databases.insert(source.database);
  for (const std::string& database : databases)
    PushFinder(program, analysis, sources, database, query, out).Find();
  return out;
}

std::set<int> AsWritten(const Program& program, const std::set<std::string>& names) {
  const Store& store = program.store();
  std::map<RelationId, std::set<RelationId>> reads;
  for (const Definition& def : program.definitions())
    if (def.head != kNoId && store.at(def.head).space() == Space::kRelation)
      reads[def.head].merge(Mentioned(def, store));
  std::set<RelationId> known;
  for (RelationId r = 0; r < store.size(); ++r)
    if (store.at(r).space() == Space::kRelation && !reads.contains(r) &&
        names.contains(store.at(r).name()))
      known.insert(r);
  for (bool grows = true; std::exchange(grows, false);)
    for (const auto& [relation, read] : reads)
      if (!read.empty() && !known.contains(relation) &&
          std::all_of(read.begin(), read.end(), [&](RelationId r) { return known.contains(r); }))
        grows |= known.insert(relation).second;
  std::set<int> out;
  for (const Definition& def : program.definitions())
    if (reads.contains(def.head) && known.contains(def.head)) out.insert(def.number);
  return out;
}

}  // namespace rpl
