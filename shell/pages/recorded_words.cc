// SPDX-License-Identifier: Apache-2.0
#include "shell/pages/recorded_words.h"

#include "grammar/ast.h"
#include "grammar/parser.h"

namespace rpl {
namespace {

std::optional<Node> TermOf(std::string_view text) {
  Sources sources;
  Diagnostics ignored;
  const std::uint32_t file = sources.Add("<recorded>", std::string(text));
  return ParseTerm(sources, {file, 0, static_cast<std::uint32_t>(text.size())}, ignored);
}

}  // namespace

std::optional<FailWords> FailWordsOf(std::string_view text) {
  if (!text.starts_with("%fail(")) return std::nullopt;
  const std::optional<Node> term = TermOf(text);
  const Call* call = term ? term->As<Call>() : nullptr;
  if (call == nullptr || call->args.size() != 2) return std::nullopt;
  const String* reason = call->args[0].As<String>();
  const String* explanation = call->args[1].As<String>();
  if (reason == nullptr || explanation == nullptr) return std::nullopt;
  return FailWords{reason->text, explanation->text};
}

std::optional<CallFailure> CallFailureOf(std::string_view text) {
  const std::optional<Node> term = TermOf(text);
  const Collection* map = term ? term->As<Collection>() : nullptr;
  if (map == nullptr || map->kind != CollectionKind::kMap) return std::nullopt;
  CallFailure out;
  bool failed = false;
  for (std::size_t i = 0; i + 1 < map->items.size(); i += 2) {
    const Keyword* key = map->items[i].As<Keyword>();
    if (key == nullptr) continue;
    const Keyword* word = map->items[i + 1].As<Keyword>();
    const String* said = map->items[i + 1].As<String>();
    if (key->name == "status" && word != nullptr) failed = word->name == "error";
    if (key->name == "code" && said != nullptr) out.code = said->text;
    if (key->name == "message" && said != nullptr) out.message = said->text;
  }
  return failed ? std::optional(out) : std::nullopt;
}

std::optional<std::string> StringOf(std::string_view text) {
  if (!text.starts_with('"')) return std::nullopt;
  const std::optional<Node> term = TermOf(text);
  const String* said = term ? term->As<String>() : nullptr;
  return said != nullptr ? std::optional(said->text) : std::nullopt;
}

}  // namespace rpl
