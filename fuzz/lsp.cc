// SPDX-License-Identifier: Apache-2.0
//
// Feeds the input to what `rpl lsp` does with a document, in Markdown and in plain RPL, and then as
// a stream of bytes from a client.
//
// Ranges lie in the document and tokens are in order. An edit by a position gives the text that was
// meant. A rename leaves as many errors as there were, and renaming back finds as many places.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "fuzz/require.h"
#include "shell/lsp/completion_items.h"
#include "shell/lsp/hints.h"
#include "shell/lsp/hover.h"
#include "shell/lsp/navigation.h"
#include "shell/lsp/outline.h"
#include "shell/lsp/program_check.h"
#include "shell/lsp/rename.h"
#include "shell/lsp/semantic_tokens.h"

namespace rpl::fuzz {
namespace {

using lsp::File;
using lsp::Json;
using lsp::Occurrence;
using lsp::PositionEncoding;
using lsp::Project;

constexpr std::size_t kMostPlaces = 6;

std::size_t ErrorsOf(const lsp::DocumentIndex& index) {
  return static_cast<std::size_t>(std::ranges::count_if(
      index.layout().findings, [](const Diagnostic& d) { return d.severity == Severity::kError; }));
}

// Every range of a result lies in the text.
void CheckRanges(const Project& project, const File& file, const Json& json) {
  if (json.is_object() && json.contains("start") && json.contains("end")) {
    lsp::TextPosition begin, end;
    Require(lsp::ReadPosition(json["start"], begin) && lsp::ReadPosition(json["end"], end),
            "a range", json.dump());
    const std::uint32_t from = file->lines.OffsetOf(begin, project.client.encoding);
    const std::uint32_t to = file->lines.OffsetOf(end, project.client.encoding);
    Require(from <= to && to <= file->text.size(), "a range lies in the text", json.dump());
    return;
  }
  if (json.is_structured())
    for (const Json& part : json) CheckRanges(project, file, part);
}

void RenameAt(Project& project, const File& file, const Occurrence& o) {
  const lsp::Index index = project.indexes.Of(file);
  auto renamed = lsp::Rename(project, {index, &o}, "fresh-name");
  auto* edits = std::get_if<lsp::FileEdits>(&renamed);
  if (edits == nullptr || edits->empty()) return;
  Sources sources;
  const std::uint32_t number = sources.Add(file->name(), file->text);
  const std::string after = ApplyEdits(sources, number, edits->front().second);
  const lsp::DocumentIndex again(
      std::make_shared<lsp::TextFile>(file->uri, file->path, after, file->version));
  Require(ErrorsOf(again) == ErrorsOf(*index), "a rename adds no error", after);
  std::size_t places = 0;
  for (const Occurrence& other : again.occurrences())
    places += other.name.label == "fresh-name" && other.name.kind == o.name.kind;
  Require(places >= edits->front().second.size(), "what is renamed has the new name", after);
}

void Feed(const std::string& text, const std::string& name, std::uint32_t seed) {
  Project project;
  project.client.nested_symbols = project.client.snippets = project.client.related = true;
  if (seed % 2 == 1) project.client.encoding = PositionEncoding::kUtf8;
  const std::string uri = "file:///nowhere/at/all/" + name;
  project.files.Open(uri, 1, text);
  const File file = project.files.Find(uri);
  const lsp::Index index = project.indexes.Of(file);
  const auto size = static_cast<std::uint32_t>(text.size());
  CheckRanges(project, file, lsp::SymbolsOf(project, *index));
  CheckRanges(project, file, lsp::CodeLensesOf(project, file));
  CheckRanges(project, file, lsp::PublishJson(project, *lsp::CheckProgram(project, file)));
  lsp::InlayHintsOf(project, file, 0, size);
  lsp::FoldingRangesOf(*index);
  lsp::SemanticTokensOf(project, *index, 0, size);
  for (std::uint32_t i = 0; i < kMostPlaces; ++i) {
    seed = seed * 1664525u + 1013904223u;
    const std::uint32_t at = size == 0 ? 0 : seed % (size + 1);
    const Json params = {
        {"textDocument", {{"uri", uri}}},
        {"position", PositionJson(file->lines.PositionOf(at, project.client.encoding))}};
    CheckRanges(project, file, lsp::CompletionAt(project, params));
    CheckRanges(project, file, lsp::ReferencesAt(project, params));
    lsp::HoverAt(project, params);
    lsp::PrepareCallHierarchy(project, params);
    if (!index->occurrences().empty())
      RenameAt(project, file, index->occurrences()[seed % index->occurrences().size()]);
    const Json change = {{"text", "x"},
                         {"range", {{"start", params["position"]}, {"end", params["position"]}}}};
    const auto changed = lsp::Changed(text, file->lines, change, project.client.encoding);
    Require(changed && changed->size() == text.size() + 1, "an insertion inserts", text);
  }
}

void FeedFrames(std::string_view bytes) {
  lsp::FrameReader reader(1'000);
  std::size_t taken = 0;
  reader.Feed(
      bytes, [&](std::string_view body) { taken += body.size(); }, [](const std::string&) {});
  Require(taken <= bytes.size(), "bodies come from the stream");
}

}  // namespace
}  // namespace rpl::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  rpl::fuzz::FeedFrames(text);
  const auto seed = static_cast<std::uint32_t>(size * 31 + (size > 0 ? data[size / 2] : 0));
  rpl::fuzz::Feed(text, "a.md", seed);
  rpl::fuzz::Feed(text, "a.rpl", seed);
  return 0;
}
