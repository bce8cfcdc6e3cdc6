// SPDX-License-Identifier: Apache-2.0
//
// Feeds the input as a Markdown document and as plain RPL to ReadBlocks, ReadDocument,
// ReadMessage and the formatter.
//
// Blocks stand in order, do not overlap and lie in the text, and so does everything that
// a document says. A scope's parent comes before it, at a lower level. Findings print, and
// the document has a JSON form.
// Formatted text reads as the same document, has lost and gained nothing but blanks, and
// formatting it again changes nothing.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

#include "fuzz/require.h"
#include "grammar/ast_json.h"
#include "grammar/document.h"
#include "grammar/formatter.h"
#include "grammar/markdown.h"

namespace rpl::fuzz {
namespace {

void RequireInside(Span inner, Span outer, const char* what) {
  Require(inner.file == outer.file && outer.begin <= inner.begin && inner.begin <= inner.end &&
              inner.end <= outer.end,
          "a span lies in its text", what);
}

void ReadTheBlocks(const Sources& sources, Span whole) {
  std::uint32_t at = 0;
  for (const Block& block : ReadBlocks(sources, whole.file)) {
    RequireInside(block.span, whole, "block");
    // The content of a fence that the file cut off takes in the file's last newline.
    RequireInside(block.content, {whole.file, block.span.begin, whole.end}, "content of a block");
    Require(at <= block.span.begin, "blocks are in order and do not overlap");
    at = std::max(block.span.end, block.content.end);
    Require(block.level >= 0 && block.level <= 6, "a heading has level 1 to 6");
  }
}

void Look(const Document& document, const Diagnostics& findings, const Sources& sources,
          Span whole) {
  Require(!document.scopes.empty(), "a document has a scope");
  const int scopes = static_cast<int>(document.scopes.size());
  for (int i = 0; i < scopes; ++i) {
    const Scope& scope = document.scopes[static_cast<std::size_t>(i)];
    RequireInside(scope.span, whole, "scope");
    if (i == 0) continue;
    Require(scope.parent >= 0 && scope.parent < i, "a parent comes before its scopes");
    Require(document.scopes[static_cast<std::size_t>(scope.parent)].level < scope.level,
            "a parent has a lower level");
  }
  std::uint32_t at = 0;
  for (const PlacedSentence& s : document.sentences) {
    RequireInside(s.sentence.span, whole, "sentence");
    Require(s.scope >= 0 && s.scope < scopes, "a sentence has a scope");
    Require(at <= s.sentence.span.begin, "sentences are in document order");
    at = s.sentence.span.end;
  }
  for (const Prose& prose : document.prose) {
    RequireInside(prose.span, whole, "prose");
    Require(prose.scope >= 0 && prose.scope < scopes, "prose has a scope");
    for (const ProseSpan& span : prose.spans) RequireInside(span.span, prose.span, "prose span");
  }
  for (const Diagnostic& d : findings.all()) {
    RequireInside(d.span, whole, "finding");
    Require(!Render(d, sources).empty(), "a finding prints");
  }
}

// The characters that layout may not touch, in some order: commas move between lines.
std::string Ink(const std::string& text) {
  std::string out;
  std::copy_if(text.begin(), text.end(), std::back_inserter(out), [](char c) {
    return c != ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\v' && c != '\f';
  });
  std::sort(out.begin(), out.end());
  return out;
}

std::string Formatted(Sources& sources, std::uint32_t file) {
  Diagnostics findings;
  return ApplyEdits(sources, file, FormatEdits(sources, file, findings));
}

void Format(Sources& sources, std::uint32_t file, const Document& document) {
  const std::string& text = sources.at(file).text;
  const std::string once = Formatted(sources, file);
  const std::uint32_t after = sources.Add(sources.at(file).name, once);
  Diagnostics findings;
  const Document read = ReadDocument(sources, after, findings);
  Require(SameDocument(sources, document, sources, read), "formatted text reads the same", once);
  Require(Ink(text) == Ink(once), "formatting moves blanks only", once);
  const std::string twice = Formatted(sources, after);
  Require(once == twice, "formatting again changes nothing", once + "\n--- again\n" + twice);
}

void Feed(const char* name, const std::string& text) {
  Sources sources;
  const std::uint32_t file = sources.Add(name, text);
  const Span whole{file, 0, static_cast<std::uint32_t>(text.size())};
  ReadTheBlocks(sources, whole);

  Diagnostics findings;
  const Document document = ReadDocument(sources, file, findings);
  Look(document, findings, sources, whole);

  Diagnostics of_message;
  const Message message = ReadMessage(sources, file, of_message);
  Look(message.document, of_message, sources, whole);
  if (message.query_line) RequireInside(*message.query_line, whole, "query line");
  Require(!message.query || message.query_line, "a query stands on a query line");

  Require(!ToJson(document, sources).dump().empty(), "a document has a JSON form");
  Format(sources, file, document);
}

}  // namespace
}  // namespace rpl::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  rpl::fuzz::Feed("fuzz.md", text);
  rpl::fuzz::Feed("fuzz.rpl", text);
  return 0;
}
