// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/titles.h"

#include <algorithm>

#include "formats/character.h"

namespace rpl {

std::vector<std::string> Titles::Above(const Span& place) {
  const auto [known, is_new] = documents_.try_emplace(place.file);
  Diagnostics ignored;
  if (is_new) known->second = ReadDocument(sources_, place.file, ignored, FactForm::kPlain);
  const Document& in = known->second;
  const auto heading = std::ranges::upper_bound(in.scopes, place.begin, {},
                                                [](const Scope& s) { return s.span.begin; });
  auto at = static_cast<int>(heading - in.scopes.begin()) - 1;
  // A sentence may stand behind the end of the scope above it.
  const auto after = std::ranges::upper_bound(
      in.sentences, place.begin, {}, [](const PlacedSentence& p) { return p.sentence.span.begin; });
  if (after != in.sentences.begin() && place.begin < std::prev(after)->sentence.span.end)
    at = std::prev(after)->scope;
  std::vector<std::string> out;
  for (; at > 0; at = in.scopes[static_cast<std::size_t>(at)].parent) {
    const Scope& scope = in.scopes[static_cast<std::size_t>(at)];
    const std::string_view line = sources_.Text(scope.span);
    if (!scope.title.empty()) out.push_back(scope.title);
    else
      out.emplace_back(Trimmed(line.substr(std::min(line.find_first_not_of("# "), line.size()))));
  }
  std::ranges::reverse(out);
  return out;
}

}  // namespace rpl
