// SPDX-License-Identifier: Apache-2.0
#include "shell/mcp/person_gates.h"

#include <algorithm>

#include "grammar/document.h"
#include "runtime/facts_file.h"
#include "runtime/journal.h"

namespace rpl {

struct GateReader {
  // Whether one of the suffixes is a map pattern with `:by :person`.
  static bool AsksForPerson(const Annotated& annotated) {
    for (const Suffix& suffix : annotated.suffixes) {
      if (suffix.bindings) continue;
      const Node* value = &suffix.value.front();
      const auto is_person = [](const Node& node) {
        const auto* keyword = node.As<Keyword>();
        return keyword != nullptr && keyword->name == "person";
      };
      if (!suffix.key.empty()) {
        const auto* key = suffix.key.front().As<Keyword>();
        if (key != nullptr && key->name == "by" && is_person(*value)) return true;
        continue;
      }
      if (const auto* match = value->As<Match>()) value = &match->pattern.front();
      const auto* map = value->As<Collection>();
      if (map == nullptr || map->kind != CollectionKind::kMap) continue;
      for (std::size_t i = 0; i + 1 < map->items.size(); i += 2) {
        const auto* key = map->items[i].As<Keyword>();
        if (key != nullptr && key->name == "by" && is_person(map->items[i + 1])) return true;
      }
    }
    return false;
  }

  // All calls inside the form.
  static void Add(const Node& node, std::vector<PersonGates::Gate>& to) {
    if (const auto* call = node.As<Call>(); call != nullptr && call->ns != Namespace::kGoal) {
      PersonGates::Gate gate{call->ns == Namespace::kTool, call->label, {}, true, {}};
      for (const Node& arg : call->args)
        if (const auto* avar = arg.As<Avar>()) gate.avars.push_back(avar->name);
      if (gate.tool && !call->args.empty()) {
        if (const auto* text = call->args.front().As<String>()) {
          gate.any_text = false;
          gate.pieces = {text->text};
        } else if (const auto* parts = call->args.front().As<Template>()) {
          gate.any_text = false;
          gate.pieces = parts->texts;
        }
      }
      to.push_back(std::move(gate));
      return;
    }
    ForEachChild(node, [&](const Node& child) { Add(child, to); });
  }

  static void Read(const Node& node, std::vector<PersonGates::Gate>& to) {
    if (const auto* annotated = node.As<Annotated>();
        annotated != nullptr && AsksForPerson(*annotated))
      Add(annotated->form.front(), to);
    ForEachChild(node, [&](const Node& child) { Read(child, to); });
  }

  static void Read(const Sentence& sentence, std::vector<PersonGates::Gate>& to) {
    for (const Nodes* nodes :
         {&sentence.rule.heads, &sentence.rule.tail, &sentence.rule.constraints})
      for (const Node& node : *nodes) Read(node, to);
    for (const Abductive& abductive : sentence.rule.abductives)
      for (const Node& node : abductive.clauses) Read(node, to);
  }

  // Whether the text has the pieces in order: the first at its beginning, the last at its end.
  static bool Fits(std::string_view text, const std::vector<std::string>& pieces) {
    if (pieces.size() == 1) return text == pieces.front();
    if (!text.starts_with(pieces.front())) return false;
    std::size_t at = pieces.front().size();
    for (std::size_t i = 1; i + 1 < pieces.size(); ++i) {
      at = text.find(pieces[i], at);
      if (at == text.npos) return false;
      at += pieces[i].size();
    }
    return text.size() >= at + pieces.back().size() && text.ends_with(pieces.back());
  }
};

PersonGates::PersonGates(const std::vector<ProgramFile>& files) {
  Sources sources;
  Diagnostics ignored;
  for (const ProgramFile& file : files) {
    if (FactsNameOf(file.name)) continue;
    const Document document =
        ReadDocument(sources, sources.Add(file.name, file.text), ignored, FactForm::kPlain);
    for (const Scope& scope : document.scopes)
      if (scope.signature) GateReader::Read(*scope.signature, gates_);
    for (const PlacedSentence& placed : document.sentences)
      GateReader::Read(placed.sentence, gates_);
  }
}

bool PersonGates::Takes(const Request& request, const Pool& pool) const {
  return std::any_of(gates_.begin(), gates_.end(), [&](const Gate& gate) {
    if (!gate.tool) {
      const bool names =
          std::find(gate.avars.begin(), gate.avars.end(), request.name) != gate.avars.end();
      return request.tool.empty() && (request.relation == gate.label || names);
    }
    if (request.tool != gate.label) return false;
    if (gate.any_text || request.args.empty()) return true;
    return GateReader::Fits(PlainText(pool, request.args.front()), gate.pieces);
  });
}

bool PersonGates::TakesRelation(const std::string& label) const {
  return std::any_of(gates_.begin(), gates_.end(),
                     [&](const Gate& gate) { return !gate.tool && gate.label == label; });
}

}  // namespace rpl
