// SPDX-License-Identifier: Apache-2.0
#include "interp/lint/indexed.h"

#include "formats/file_name.h"

namespace rpl::check {
namespace {

void Walk(const Node& node, Indexed& to) {
  const auto* call = node.As<Call>();
  if (call != nullptr && call->ns == Namespace::kTool && call->label == "index" &&
      !call->args.empty()) {
    const auto* location = call->args[0].As<String>();
    const auto* folder = call->args[0].As<Call>();
    const auto* hint = call->args.size() > 1 ? call->args[1].As<String>() : nullptr;
    if (folder != nullptr) to.relations.insert(folder->label);
    else if (hint != nullptr) to.relations.insert(hint->text);
    else if (location != nullptr &&
             (IsFactsFile(location->text) || StemOf(location->text) == location->text))
      to.relations.insert(StemOf(location->text));
    if (folder == nullptr && (location == nullptr || !IsFactsFile(location->text)))
      to.others = true;
  }
  ForEachChild(node, [&](const Node& child) { Walk(child, to); });
}

}  // namespace

Indexed IndexedBy(const std::deque<Document>& documents) {
  Indexed out;
  const auto walk = [&](const Sentence& sentence) {
    ForEachChild(sentence.rule, [&](const Node& child) { Walk(child, out); });
  };
  for (const Document& document : documents) {
    for (const Scope& scope : document.scopes)
      if (scope.signature) walk(*scope.signature);
    for (const PlacedSentence& placed : document.sentences) walk(placed.sentence);
  }
  return out;
}

}  // namespace rpl::check
