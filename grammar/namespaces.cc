// SPDX-License-Identifier: Apache-2.0
#include "grammar/namespaces.h"

#include <algorithm>

#include "grammar/ast.h"
#include "grammar/library_text.h"

namespace rpl {
namespace {

void CollectFiles(const Node& node, std::vector<FileUse>& out) {
  if (const auto* call = node.As<Call>()) {
    const std::size_t hash = call->label.find('#');
    const std::string_view ns = std::string_view(call->label).substr(0, hash);
    if (hash != std::string::npos && (ns == kLibrary || ns.find('.') != ns.npos))
      out.push_back({std::string(ns), node.span});
  }
  ForEachChild(node, [&](const Node& child) { CollectFiles(child, out); });
}

void CollectFiles(const Sentence& sentence, std::vector<FileUse>& out) {
  ForEachChild(sentence.rule, [&](const Node& child) { CollectFiles(child, out); });
}

void Prefix(Node& node, const std::string& file) {
  if (auto* call = node.As<Call>()) {
    const bool shared =
        call->ns == Namespace::kTool || (call->ns == Namespace::kGoal && call->label == "fail");
    if (!shared && call->label.find('#') == std::string::npos)
      call->label = file + "#" + call->label;
  }
  ForEachChild(node, [&](const Node& child) { Prefix(const_cast<Node&>(child), file); });
}

void Prefix(Sentence& sentence, const std::string& file) {
  Node whole{std::move(sentence.rule), sentence.span};
  Prefix(whole, file);
  sentence.rule = std::move(*whole.As<Rule>());
}

// True if a part is `_` or `not`: with one, a sentence without variables is a constraint.
bool HasWildOrNot(const Node& node) {
  if (node.As<Not>() != nullptr) return true;
  if (const auto* lvar = node.As<Lvar>()) return lvar->name.empty();
  bool has = false;
  ForEachChild(node, [&](const Node& child) { has = has || HasWildOrNot(child); });
  return has;
}

// True if the sentence is an entry of a trace (§12.3, §12.4): `file.md#p(?x) ^^ {?x 1} -> true`,
// `file.md#p(1) -> false`.
bool IsTraceEntry(const Rule& rule) {
  if (!rule.heads.empty() || !rule.abductives.empty() || rule.tail.size() != 1 ||
      rule.constraints.size() != 1 || rule.constraints.front().As<Boolean>() == nullptr)
    return false;
  const Node& clause = rule.tail.front();
  const auto* annotated = clause.As<Annotated>();
  return (!HasVariables(clause) && !HasWildOrNot(clause)) ||
         (annotated != nullptr &&
          std::any_of(annotated->suffixes.begin(), annotated->suffixes.end(), [](const Suffix& s) {
            return s.bindings && s.key.empty() && s.value.front().As<Collection>() != nullptr;
          }));
}

}  // namespace

std::vector<FileUse> FilesNamed(const Sentence& sentence) {
  std::vector<FileUse> out;
  CollectFiles(sentence, out);
  return out;
}

std::vector<FileUse> FilesNamed(const Document& document) {
  std::vector<FileUse> out;
  for (const Scope& scope : document.scopes)
    if (scope.signature) CollectFiles(*scope.signature, out);
  for (const PlacedSentence& placed : document.sentences)
    if (!IsTraceEntry(placed.sentence.rule)) CollectFiles(placed.sentence, out);
  return out;
}

void PrefixLabels(Document& document, const std::string& file) {
  document.prefix = file + "#";
  for (Scope& scope : document.scopes)
    if (scope.signature) Prefix(*scope.signature, file);
  for (PlacedSentence& placed : document.sentences) Prefix(placed.sentence, file);
}

void NamespaceReader::Read(Document document, Diagnostics& found) {
  Read(std::move(document), false, found);
}

void NamespaceReader::Read(Document document, bool named, Diagnostics& found) {
  ReadFiles(FilesNamed(document), found);
  take_(std::move(document), named, found);
}

std::optional<std::string> NamespaceReader::TextOf(const std::string& name) const {
  const auto read = [&]() -> std::optional<std::string> {
    if (name == kLibrary) return std::string(kLibraryText);
    return files_ ? files_(name) : std::nullopt;
  };
  return record_ ? record_(name, read) : read();
}

void NamespaceReader::ReadFiles(const std::vector<FileUse>& wanted, Diagnostics& found) {
  for (const auto& [name, span] : wanted) {
    if (!seen_.insert(name).second) continue;
    std::optional<std::string> text = TextOf(name);
    if (!text) {
      missing_.insert(name);
      found.Add(Code::kUnresolvedFile, span, "no file `" + name + "` beside the document",
                "create it, or drop the namespace");
      continue;
    }
    const std::uint32_t file = sources_.Add(name, std::move(*text));
    Document document = ReadDocument(sources_, file, found);
    PrefixLabels(document, name);
    Read(std::move(document), true, found);
  }
}

}  // namespace rpl
