// SPDX-License-Identifier: Apache-2.0
#include "shell/program/profile_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>

#include "formats/data/diagnostic_json.h"
#include "formats/terminal_text.h"
#include "interp/eval/profile_hints.h"
#include "interp/store/store.h"
#include "shell/terminal/report.h"
#include "shell/terminal/table.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;
using Part = Profile::Part;

constexpr std::pair<Part, const char*> kPartNames[] = {
    {Part::kReading, "reading"},   {Part::kDeriving, "deriving"},    {Part::kSolving, "goals"},
    {Part::kAnswering, "answers"}, {Part::kChecking, "constraints"}, {Part::kCalling, "calls"}};

double Seconds(Profile::Duration time) { return std::chrono::duration<double>(time).count(); }

Profile::Duration TotalOf(const Profile& profile) {
  Profile::Duration total{};
  for (const auto& [part, name] : kPartNames) total += profile.TimeOf(part);
  return total;
}

std::string_view KindName(Profile::Kind kind) {
  switch (kind) {
    case Profile::Kind::kDerived: return "derived";
    case Profile::Kind::kDemanded: return "demanded";
    case Profile::Kind::kGoal: return "goal";
    case Profile::Kind::kConstraint: return "constraint";
    case Profile::Kind::kProof: return "proof";
  }
  return "";
}

// The number of runs of a rule: rounds of a derived one, calls of any other.
std::uint64_t RunsOf(const Profile::Rule& rule) {
  return rule.kind == Profile::Kind::kDerived ? rule.rounds : rule.runs;
}

std::uint64_t ReadBy(const Profile::Rule& rule) {
  std::uint64_t rows = 0;
  for (const Profile::PlanCounts& plan : rule.plans)
    for (const Profile::Read& read : plan.reads) rows += read.rows;
  return rows;
}

template <typename T>
void KeepTop(std::vector<T>& all, std::size_t top) {
  if (top > 0 && all.size() > top) all.resize(top);
}

std::vector<const Profile::Rule*> RulesOf(const Profile& profile, const ProfileForm& form) {
  std::vector<const Profile::Rule*> out;
  for (const Profile::Rule& rule : profile.rules()) out.push_back(&rule);
  const auto work = [](const Profile::Rule& rule) {
    return ReadBy(rule) + rule.rows + rule.duplicates;
  };
  std::stable_sort(out.begin(), out.end(), [&](const auto* a, const auto* b) {
    return form.times ? a->time > b->time : work(*a) > work(*b);
  });
  KeepTop(out, form.top);
  return out;
}

struct IndexCounts {
  std::string relation;  // "edge/2"
  std::vector<int> columns;
  std::uint64_t rows, keys, bytes, probes;
};

std::vector<int> ColumnNumbers(Columns columns) {
  std::vector<int> out;
  for (; columns != 0; columns &= columns - 1) out.push_back(std::countr_zero(columns) + 1);
  return out;
}

std::string NameOf(const Store& store, RelationId id) {
  const Relation& relation = store.at(store.BaseOf(id));
  return fmt::format("{}/{}", relation.name(), relation.arity());
}

std::vector<IndexCounts> IndexesOf(const Profile& profile, const Store& store,
                                   const ProfileForm& form) {
  std::vector<IndexCounts> out;
  for (RelationId id = 0; id < store.size(); ++id)
    for (const auto& index : store.at(id).indexes())
      out.push_back({NameOf(store, id), ColumnNumbers(index->columns()), index->size(),
                     index->keys(), index->bytes(), profile.ProbesOf(id, index->columns())});
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  KeepTop(out, form.top);
  return out;
}

ordered_json PlanJson(const Profile::PlanCounts& plan, const Sources& sources, const Store& store,
                      const ProfileForm& form) {
  ordered_json reads = ordered_json::array();
  for (const Profile::Read& read : plan.reads) {
    ordered_json of = {{"clause", read.clause}};
    of["place"] = PlaceJson(read.place, sources);
    of["relation"] = NameOf(store, read.relation);
    of["columns"] = ColumnNumbers(read.columns);
    of["times"] = read.times;
    of["rows"] = read.rows;
    if (read.expected)
      of["expected"] = {{"times", std::llround(read.expected->times)},
                        {"rows", std::llround(read.expected->rows)}};
    reads.push_back(std::move(of));
  }
  ordered_json out = {{"from", plan.from}};
  if (form.times) out["seconds"] = Seconds(plan.time);
  out["runs"] = plan.runs;
  out["rows"] = plan.rows;
  out["duplicates"] = plan.duplicates;
  out["reads"] = std::move(reads);
  return out;
}

TableCell NumberCell(std::uint64_t number) { return {Grouped(number), true}; }

std::string RuleTable(const Profile& profile, const Sources& sources, const ProfileForm& form) {
  std::vector<std::string> columns = {"rows", "duplicates", "runs", "kind", "rule"};
  if (form.times) columns.insert(columns.begin(), "ms");
  std::vector<std::vector<TableCell>> rows;
  for (const Profile::Rule* rule : RulesOf(profile, form)) {
    std::vector<TableCell>& row = rows.emplace_back();
    if (form.times) row.push_back({fmt::format("{:.2f}", Seconds(rule->time) * 1e3), true});
    row.push_back(NumberCell(rule->rows));
    row.push_back(NumberCell(rule->duplicates));
    row.push_back(NumberCell(RunsOf(*rule)));
    row.push_back({std::string(KindName(rule->kind))});
    row.push_back({PrintableLine(fmt::format("{}: {}", sources.Where(rule->place), rule->text))});
  }
  return TableText(columns, rows, form.width);
}

// The clauses of plans that were chosen by trials: the rows that these let expect, and those read.
std::string ChoiceTable(const Profile& profile, const Sources& sources, const ProfileForm& form) {
  std::vector<std::vector<TableCell>> rows;
  for (const Profile::Rule* rule : RulesOf(profile, form))
    for (const Profile::PlanCounts& plan : rule->plans)
      for (const Profile::Read& read : plan.reads)
        if (read.expected && (read.rows > 0 || read.expected->rows > 0.5))
          rows.push_back(
              {NumberCell(static_cast<std::uint64_t>(std::llround(read.expected->rows))),
               NumberCell(read.rows),
               {plan.from},
               {PrintableLine(fmt::format("{}: {}", sources.Where(read.place), read.clause))}});
  KeepTop(rows, form.top);
  if (rows.empty()) return "";
  return TableText({"expected", "rows read", "from", "clause, in the order chosen"}, rows,
                   form.width);
}

std::string IndexTable(const std::vector<IndexCounts>& indexes, const ProfileForm& form) {
  std::vector<std::vector<TableCell>> rows;
  for (const IndexCounts& index : indexes)
    rows.push_back({{PrintableLine(index.relation)},
                    {fmt::format("{}", fmt::join(index.columns, ", "))},
                    NumberCell(index.rows),
                    NumberCell(index.keys),
                    NumberCell((index.bytes + 1023) / 1024),
                    NumberCell(index.probes)});
  return TableText({"index", "columns", "rows", "keys", "KB", "probes"}, rows, form.width);
}

}  // namespace

std::string ProfileText(const Profile& profile, const Sources& sources, const Store* store,
                        const ProfileForm& form) {
  std::string out = profile.rules().empty() ? "no rule ran\n" : RuleTable(profile, sources, form);
  if (store != nullptr)
    if (const auto indexes = IndexesOf(profile, *store, form); !indexes.empty())
      out += "\n" + IndexTable(indexes, form);
  if (const std::string choices = ChoiceTable(profile, sources, form); !choices.empty())
    out += "\n" + choices;
  if (form.times) {
    out += fmt::format("\n{:.1f} ms in all:", Seconds(TotalOf(profile)) * 1e3);
    for (const auto& [part, name] : kPartNames)
      out += fmt::format("{} {} {:.1f}", part == Part::kReading ? "" : ",", name,
                         Seconds(profile.TimeOf(part)) * 1e3);
    out += '\n';
  }
  for (const ProfileHint& hint : HintsOf(profile)) {
    out += fmt::format("\n{}: {}\n", sources.Where(hint.place), hint.message);
    if (!hint.help.empty()) out += "help: " + hint.help + '\n';
  }
  return Printable(out);
}

ordered_json ProfileJson(const Profile& profile, const Outcome& outcome, const Sources& sources,
                         const Store& store, const ProfileForm& form) {
  ordered_json rules = ordered_json::array();
  for (const Profile::Rule* rule : RulesOf(profile, form)) {
    ordered_json plans = ordered_json::array();
    for (const Profile::PlanCounts& plan : rule->plans)
      plans.push_back(PlanJson(plan, sources, store, form));
    ordered_json of = {{"rule", rule->text},
                       {"place", PlaceJson(rule->place, sources)},
                       {"kind", KindName(rule->kind)}};
    if (form.times) of["seconds"] = Seconds(rule->time);
    of["rows"] = rule->rows;
    of["duplicates"] = rule->duplicates;
    if (rule->kind == Profile::Kind::kDerived) of["rounds"] = rule->rounds;
    of["runs"] = rule->runs;
    of["plans"] = std::move(plans);
    rules.push_back(std::move(of));
  }
  ordered_json indexes = ordered_json::array();
  for (const IndexCounts& index : IndexesOf(profile, store, form))
    indexes.push_back({{"relation", index.relation},
                       {"columns", index.columns},
                       {"rows", index.rows},
                       {"keys", index.keys},
                       {"bytes", index.bytes},
                       {"probes", index.probes}});
  ordered_json hints = ordered_json::array();
  for (const ProfileHint& hint : HintsOf(profile)) {
    ordered_json of = {{"kind", HintName(hint.link)}};
    of["place"] = PlaceJson(hint.place, sources);
    of["rule"] = hint.rule;
    of["clause"] = hint.clause;
    of["times"] = hint.times;
    of["rows"] = hint.rows;
    of["message"] = hint.message;
    of["hint"] = hint.help;
    hints.push_back(std::move(of));
  }
  ordered_json out = {
      {"schema", "rpl.profile/1"},
      {"status", StatusName(outcome.status)},
      {"answers", outcome.columns.empty() ? 0 : outcome.cells.size() / outcome.columns.size()}};
  if (form.times) {
    ordered_json seconds = {{"all", Seconds(TotalOf(profile))}};
    for (const auto& [part, name] : kPartNames) seconds[name] = Seconds(profile.TimeOf(part));
    out["seconds"] = std::move(seconds);
  }
  out["rules"] = std::move(rules);
  out["indexes"] = std::move(indexes);
  out["hints"] = std::move(hints);
  return out;
}

}  // namespace rpl
