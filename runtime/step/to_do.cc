// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/to_do.h"

#include <algorithm>
#include <optional>
#include <set>

#include "formats/terminal_text.h"
#include "interp/eval/engine.h"
#include "interp/eval/table.h"
#include "interp/plan/analysis.h"
#include "interp/program/program.h"
#include "interp/store/store.h"

namespace rpl {
namespace {

constexpr std::size_t kMostToDo = 100;
constexpr std::size_t kMostRows = 100;  // of one table

// The names under which a row gives values: of the arguments of its heading or of its first rule.
void Bind(const interp::Engine& engine, const Premise& premise, Bound& to) {
  const auto add = [&](std::size_t i, const std::string& name) {
    if (!name.empty() && i < premise.row.size()) to.emplace(name, premise.row[i]);
  };
  if (const Collected* heading = engine.program.FindCollected(premise.relation)) {
    for (std::size_t i = 0; i < heading->questions.size(); ++i)
      add(i, engine.program.QuestionOf(*heading, i).name);
    return;
  }
  const std::vector<int>& rules = engine.analysis.RulesOf(premise.relation);
  if (rules.empty()) return;
  const Definition& def = engine.program.definitions()[static_cast<std::size_t>(rules.front())];
  for (std::size_t i = 0; i < def.args.size(); ++i)
    if (def.args[i].kind == Pattern::Kind::kSlot)
      add(i, def.slots[static_cast<std::size_t>(def.args[i].slot)]);
}

using Placed = std::vector<std::pair<Span, ToDo>>;

void Add(const Pool& pool, const Definition& def, const Bound& bound, Placed& to) {
  if (def.words == nullptr || to.size() >= kMostToDo) return;
  ToDo to_do = Filled(pool, *def.words, bound, def.span);
  const auto same = [&](const auto& known) { return known.second == to_do; };
  if (std::ranges::none_of(to, same)) to.emplace_back(def.span, std::move(to_do));
}

// The plan's table and those that it used.
std::vector<const Table*> TablesOf(const Table& plan) {
  std::vector<const Table*> out;
  std::set<const Table*> known = {&plan};
  std::vector<const Table*> left = {&plan};
  while (!left.empty()) {
    out.push_back(left.back());
    left.pop_back();
    for (const Table* used : out.back()->more().used)
      if (known.insert(used).second) left.push_back(used);
  }
  return out;
}

}  // namespace

ToDo Filled(const Pool& pool, const HeadingProse& words, const Bound& bound, Span place) {
  HeadingProse::FilledText filled =
      words.Filled([&](const std::string& name) -> std::optional<std::string> {
        const auto at = bound.find(name);
        if (at == bound.end()) return std::nullopt;
        return ProseText(pool, at->second);
      });
  return {words.title, std::move(filled.text), std::move(filled.values), place};
}

std::string ToDo::AsQuestion() const {
  std::string out;
  std::size_t from = 0;
  for (const auto& [begin, end] : values) {
    out += text.substr(from, begin - from) + SetApart(text.substr(begin, end - begin));
    from = end;
  }
  return out + text.substr(from);
}

PlanWords WordsOf(const interp::Engine& engine, const Table& plan) {
  PlanWords out;
  Placed placed;
  const auto rule = [&](int number) -> const Definition& {
    return engine.program.definitions()[static_cast<std::size_t>(number)];
  };
  for (const Table* const table : TablesOf(plan)) {
    if (engine.store.at(table->relation).space() != Space::kGoal) continue;
    const auto& premises = table->more().premises;
    for (std::size_t row = 0; row < table->rows.size() && row < kMostRows; ++row) {
      Bound bound;
      const std::span<const Value> captures = engine.pool.ItemsOf(table->more().maps[row]);
      for (std::size_t i = 0; i + 1 < captures.size(); i += 2)
        bound.emplace(engine.pool.TextOf(captures[i]), captures[i + 1]);
      if (row < premises.size())
        for (const Premise& premise : premises[row]) Bind(engine, premise, bound);
      if (table == &plan && row == 0 && captures.empty()) out.with = bound;
      if (const int number = table->more().rules[row]; number >= 0)
        Add(engine.pool, rule(number), bound, placed);
      if (row >= premises.size()) continue;
      for (const Premise& premise : premises[row]) {
        if (engine.store.at(premise.relation).space() == Space::kGoal) continue;  // among `used`
        Bound own;
        Bind(engine, premise, own);
        for (const int number : engine.analysis.RulesOf(premise.relation))
          Add(engine.pool, rule(number), own, placed);
      }
    }
  }
  std::ranges::stable_sort(placed, {},
                           [](const auto& at) { return std::pair(at.first.file, at.first.begin); });
  for (auto& [place, to_do] : placed) out.to_do.push_back(std::move(to_do));
  return out;
}

}  // namespace rpl
