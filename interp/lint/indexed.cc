// SPDX-License-Identifier: Apache-2.0
#include "interp/lint/indexed.h"

#include <filesystem>
#include <string_view>

namespace rpl::check {
namespace {

// Files with the rows of one relation.
bool HasRows(std::string_view path) {
  return path.ends_with(".csv") || path.ends_with(".tsv") || path.ends_with(".ndjson") ||
         path.ends_with(".jsonl");
}

void Walk(const Node& node, Indexed& to) {
  const auto* call = node.As<Call>();
  if (call != nullptr && call->ns == Namespace::kTool && call->label == "index" &&
      !call->args.empty()) {
    const auto* location = call->args[0].As<String>();
    const auto* folder = call->args[0].As<Call>();
    const auto* hint = call->args.size() > 1 ? call->args[1].As<String>() : nullptr;
    if (folder != nullptr) to.relations.insert(folder->label);
    else if (hint != nullptr) to.relations.insert(hint->text);
    else if (location != nullptr && HasRows(location->text))
      to.relations.insert(std::filesystem::path(location->text).stem());
    if (folder == nullptr && (location == nullptr || !HasRows(location->text))) to.others = true;
  }
  ForEachChild(node, [&](const Node& child) { Walk(child, to); });
}

}  // namespace

Indexed IndexedBy(const std::deque<Document>& documents) {
  Indexed out;
  const auto walk = [&](const Sentence& sentence) { Walk({sentence.rule, sentence.span}, out); };
  for (const Document& document : documents) {
    for (const Scope& scope : document.scopes)
      if (scope.signature) walk(*scope.signature);
    for (const PlacedSentence& placed : document.sentences) walk(placed.sentence);
  }
  return out;
}

}  // namespace rpl::check
