// SPDX-License-Identifier: Apache-2.0
//
// The commands of the shell about relations: `.tables`, `.schema`, `.import`.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <utility>

#include "grammar/namespaces.h"
#include "interp/program/program.h"
#include "runtime/facts/facts_file.h"
#include "shell/program/known_names.h"
#include "shell/repl/repl.h"

namespace rpl {
namespace {

// Of a relation: what is stored and what the program says.
struct RelationPart {
  std::size_t stored = 0;
  std::vector<std::string> rules;
  std::vector<std::string> constraints;
  bool asks = false;  // a heading that asks
};

bool IsOfLibrary(std::string_view name) { return name.starts_with(std::string(kLibrary) + "#"); }

// Whether one of the clauses, or a clause in them, reads the relation.
bool Reads(const Clauses& clauses, RelationId relation) {
  bool found = false;
  ForEachAtom(clauses, [&](const Atom& atom) { found = found || atom.relation == relation; });
  return found;
}

// The relations of the program and the store by name and arity, without the library.
std::map<std::string, RelationPart> PartsOf(const Session& session) {
  const Program& program = session.program();
  const Store& store = session.store();
  std::map<std::string, RelationPart> parts;
  const auto name_of = [&](RelationId id) {
    return fmt::format("{}/{}", store.at(id).name(), store.at(id).arity());
  };
  for (const Definition& def : program.definitions())
    if (def.head != kNoId && store.at(def.head).space() == Space::kRelation)
      parts[name_of(def.head)].rules.push_back(def.text);
  for (RelationId id = 0; id < store.size(); ++id) {
    const Relation& relation = store.at(id);
    const Collected* const heading = program.FindCollected(id);
    if (heading == nullptr && !IsListed(store, id) && !parts.contains(name_of(id))) continue;
    if (relation.space() != Space::kRelation || store.IsWhole(id)) continue;
    RelationPart& part = parts[name_of(id)];
    part.stored += relation.size();
    part.asks = part.asks || heading != nullptr;
    for (const Constraint& c : program.constraints())
      if (Reads(c.left, id) || Reads(c.right, id)) part.constraints.push_back(c.text);
  }
  std::erase_if(parts, [](const auto& of) { return IsOfLibrary(of.first); });
  return parts;
}

// "3 rows", "3 rows, 1 rule", "asked"
std::string Summary(const RelationPart& part) {
  std::string out;
  const auto add = [&](const std::string& text) { out += (out.empty() ? "" : ", ") + text; };
  if (part.stored > 0 || part.rules.empty()) add(Counted(part.stored, "row"));
  if (!part.rules.empty()) add(Counted(part.rules.size(), "rule"));
  if (part.asks) add("asked");
  return out;
}

}  // namespace

void Repl::Tables(const std::string& argument) {
  bool any = false;
  for (const auto& [name, part] : PartsOf(session_.session())) {
    if (name.find(argument) == name.npos) continue;
    any = true;
    std::cout << fmt::format("{:<24} {}\n", Printable(name), Summary(part));
  }
  std::cout << std::flush;
  if (any) return;
  if (argument.empty()) Note("no relations; .load FILE takes a document in, or enter a fact");
  else Note("no relation has `" + argument + "` in its name; .tables lists all");
}

void Repl::Schema(const std::string& argument) {
  bool any = false;
  for (const auto& [name, part] : PartsOf(session_.session())) {
    if (!argument.empty() &&
        (argument.find('/') == argument.npos ? LabelOf(name) != LabelOf(argument)
                                             : name != argument))
      continue;
    if (std::exchange(any, true)) std::cout << '\n';
    std::cout << fmt::format("{:<24} {}\n", Printable(name), Summary(part));
    for (const std::string& rule : part.rules) std::cout << "  " << Printable(rule) << '\n';
    for (const std::string& c : part.constraints) std::cout << "  " << Printable(c) << '\n';
  }
  std::cout << std::flush;
  if (any) return;
  if (argument.empty()) Note("no relations; .load FILE takes a document in, or enter a fact");
  else Note("no relation " + argument + "; .tables lists them");
}

// The rows of a relation, over all arities.
std::size_t Repl::RowsOf(const std::string& relation) const {
  std::size_t rows = 0;
  const Store& store = session_.session().store();
  for (RelationId id = 0; id < store.size(); ++id)
    if (IsListed(store, id) && store.at(id).name() == relation) rows += store.at(id).size();
  return rows;
}

void Repl::Import(const std::string& argument) {
  const std::size_t blank = argument.find_last_of(" \t");
  if (blank == argument.npos) return Error("expected .import FILE RELATION");
  const std::string file(argument.substr(0, argument.find_last_not_of(" \t", blank) + 1));
  const std::string relation = argument.substr(blank + 1);
  const std::string name = relation + "=" + file;
  if (!FactsNameOf(name))
    return Error(
        fmt::format("expected a file of CSV, TSV or NDJSON and the name of a relation, got "
                    "`{}` and `{}`; .load takes a document in",
                    Printable(file), Printable(relation)));
  TakeFacts(name);
}

// Takes in a file of rows, and says how many rows came.
void Repl::TakeFacts(const std::string& name) {
  const FactsName facts = *FactsNameOf(name);
  const std::size_t before = RowsOf(facts.relation);
  if (!PrintChange(session_.Load(name), facts.path)) return;
  const std::size_t after = RowsOf(facts.relation);
  std::cout << fmt::format("{}: {} of {}, {} in all\n", Printable(facts.path),
                           Counted(after - std::min(before, after), "new row"),
                           Printable(facts.relation), after)
            << std::flush;
}

}  // namespace rpl
