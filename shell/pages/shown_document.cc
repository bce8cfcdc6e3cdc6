// SPDX-License-Identifier: Apache-2.0
#include "shell/pages/shown_document.h"

#include <algorithm>
#include <string_view>

#include "formats/file_name.h"
#include "grammar/namespaces.h"

namespace rpl {

bool IsDocumentName(const std::string& name) { return !IsFactsFile(WithoutGz(name)); }

bool IsMarkdownName(const std::string& name) {
  return !name.starts_with('<') && name != kLibrary && !IsPlainRpl(name) && IsDocumentName(name);
}

Document ShownDocument(const Sources& sources, std::uint32_t file) {
  const Sources::File& source = sources.at(file);
  Diagnostics ignored;
  return ReadDocument(sources, file, ignored, FactForm::kSentences,
                      source.lines.size() > kPageSourceLines ? source.lines[kPageSourceLines]
                                                             : std::string_view::npos);
}

std::vector<Span> RplSpansOf(const Document& document) {
  std::vector<Span> out;
  for (const Scope& scope : document.scopes)
    if (scope.signature) out.push_back(scope.signature->span);
  for (const PlacedSentence& placed : document.sentences) out.push_back(placed.sentence.span);
  std::sort(out.begin(), out.end(), [](Span a, Span b) { return a.begin < b.begin; });
  return out;
}

}  // namespace rpl
