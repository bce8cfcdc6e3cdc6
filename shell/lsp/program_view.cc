// SPDX-License-Identifier: Apache-2.0
#include "shell/lsp/program_view.h"

#include "grammar/namespaces.h"
#include "interp/eval/engine.h"
#include "interp/plan/analysis.h"
#include "interp/program/builtins.h"
#include "interp/store/store.h"

namespace rpl::lsp {
namespace {

std::string KeyOf(const Relation& relation) {
  return relation.name() + "/" + std::to_string(relation.arity());
}

// The name of an argument as the rule writes it.
std::string ArgumentOf(const Definition& def, std::size_t i) {
  if (i < def.args.size() && def.args[i].kind == Pattern::Kind::kSlot) {
    const std::string& name = def.slots[static_cast<std::size_t>(def.args[i].slot)];
    if (!name.empty()) return "?" + name;
  }
  return "argument " + std::to_string(i + 1);
}

}  // namespace

ProgramView::ProgramView(
    const TextFile& file,
    const std::function<std::optional<std::string>(const std::string&)>& files) {
  Sources sources;
  Diagnostics ignored;
  interp::Engine engine(sources);
  NamespaceReader reader(sources, [&](const Document& document, bool, Diagnostics& found) {
    engine.program.Load(document, found);
  });
  reader.SetFiles(files);
  const std::uint32_t number = sources.Add(file.name(), file.text);
  reader.Read(ReadDocument(sources, number, ignored, FactForm::kPlain), ignored);
  engine.Prepare();
  for (const Definition& def : engine.program.definitions()) {
    if (def.head == kNoId || engine.store.at(def.head).space() != Space::kRelation) continue;
    const RelationId relation = engine.store.BaseOf(def.head);
    const auto [at, is_new] = relations_.emplace(KeyOf(engine.store.at(relation)), RelationView());
    if (!is_new) continue;
    RelationView& view = at->second;
    view.broken = engine.analysis.IsBroken(relation);
    view.tabled = engine.analysis.IsTabled(relation);
    view.needs =
        engine.analysis.ModesOf(relation).Text([&](std::size_t i) { return ArgumentOf(def, i); });
  }
  for (RelationId r = 0; r < engine.store.size(); ++r)
    if (engine.program.FindBuiltin(r) != nullptr)
      relations_[KeyOf(engine.store.at(r))].needs = engine.analysis.ModesOf(r).Text(
          [&](std::size_t i) { return "?" + engine.program.ParametersOf(r)->at(i); });
  for (const Stratum& stratum : engine.analysis.strata()) {
    ++strata_;
    for (const RelationId r : stratum.relations) {
      const auto at = relations_.find(KeyOf(engine.store.at(engine.store.BaseOf(r))));
      if (at != relations_.end() && at->second.stratum == 0) at->second.stratum = strata_;
    }
  }
}

const RelationView* ProgramView::Find(const Name& name) const {
  if (name.kind != NameKind::kRelation) return nullptr;
  const auto at = relations_.find(name.Text());
  return at == relations_.end() ? nullptr : &at->second;
}

}  // namespace rpl::lsp
