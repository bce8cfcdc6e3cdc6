// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/facts_to_report.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>

#include "interp/program/clause.h"
#include "interp/program/program.h"
#include "interp/program/prose.h"
#include "interp/store/store.h"
#include "runtime/run/session.h"

namespace rpl {
namespace {

// What the program says of a relation where it reads it.
struct Read {
  std::vector<std::string> columns;  // the names of variables there, "" where there is none
  std::shared_ptr<const HeadingProse> words;
};

std::string FormOf(const std::string& name, const std::vector<std::string>& columns) {
  std::string out = name + "(";
  for (std::size_t i = 0; i < columns.size(); ++i)
    out += (i == 0 ? "" : ", ") + (columns[i].empty() ? "_" : "?" + columns[i]);
  return out + ")";
}

}  // namespace

void ForEachReading(
    const Program& program,
    const std::function<void(const Atom&, const std::vector<std::string>&, Span)>& fn) {
  const auto look = [&](const Clauses& body, const std::vector<std::string>& slots, Span place) {
    ForEachAtom(body, [&](const Atom& atom) { fn(atom, slots, place); });
  };
  for (const Definition& def : program.definitions()) look(def.body, def.slots, def.span);
  for (const Constraint& constraint : program.constraints()) {
    look(constraint.left, constraint.slots, constraint.span);
    look(constraint.right, constraint.slots, constraint.span);
  }
}

std::vector<FactToReport> FactsToReport(const Session& session, By by) {
  const Program& program = session.program();
  const std::vector<std::string> names = session.MayState(by);
  const std::set<std::string> wanted(names.begin(), names.end());
  std::map<std::string, Read> reads;
  ForEachReading(program, [&](const Atom& atom, const std::vector<std::string>& slots, Span place) {
    const Relation& of = session.store().at(atom.relation);
    const std::string name = of.name() + "/" + std::to_string(of.arity());
    if (of.space() != Space::kRelation || !wanted.contains(name) ||
        program.FindCollected(atom.relation) != nullptr)
      return;
    Read& read = reads[name];
    read.columns.resize(of.arity());
    for (std::size_t i = 0; i < std::min<std::size_t>(of.arity(), atom.args.size()); ++i)
      if (const Pattern& arg = atom.args[i];
          read.columns[i].empty() && arg.kind == Pattern::Kind::kSlot && arg.slot >= 0)
        read.columns[i] = slots[static_cast<std::size_t>(arg.slot)];
    if (read.words == nullptr) read.words = program.ProseAt(place);
  });
  std::vector<FactToReport> out;
  for (const std::string& name : names) {
    const auto at = reads.find(name);
    if (at == reads.end()) continue;
    const Read& read = at->second;
    out.push_back({FormOf(name.substr(0, name.rfind('/')), read.columns),
                   read.words == nullptr ? "" : read.words->title,
                   read.words == nullptr ? "" : read.words->text});
  }
  return out;
}

}  // namespace rpl
