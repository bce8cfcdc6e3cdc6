// SPDX-License-Identifier: Apache-2.0
//
// Feeds the input to the parser: as a text of sentences, as one signature, as one term.
//
// What is parsed lies in the text, in order. Printing a tree and parsing what was printed
// gives the same tree, without findings that the tree did not have, and prints the same
// again. The shape of the tree prints the same too. SentenceEnd goes forward and stays
// inside its limit.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "fuzz/require.h"
#include "grammar/parser.h"
#include "grammar/printer.h"

namespace rpl::fuzz {
namespace {

Span Whole(Sources& sources, const std::string& text) {
  return {sources.Add("fuzz.rpl", text), 0, static_cast<std::uint32_t>(text.size())};
}

std::string FirstOf(const Diagnostics& findings) {
  return findings.all().empty() ? "" : findings.all().front().message;
}

// `parse` is ParseSentence, ParseSignature or ParseTerm.
template <typename Tree, typename Parse>
void PrintAndParse(const Tree& tree, Parse parse) {
  const std::string printed = Print(tree);
  Sources sources;
  Diagnostics findings;
  const std::optional<Tree> again = parse(sources, Whole(sources, printed), findings);
  Require(again.has_value(), "what is printed parses", printed + "\n" + FirstOf(findings));
  Require(!findings.has_errors(), "a tree comes without an error", printed);
  Require(*again == tree, "parse after print is identity",
          printed + "\n" + PrintTree(tree) + "\n" + PrintTree(*again));
  Require(Print(*again) == printed, "it prints the same", printed + "\n" + Print(*again));
  Require(PrintTree(*again) == PrintTree(tree), "it has the same shape", printed);
}

void FeedSentences(const std::string& text) {
  Sources sources;
  Diagnostics findings;
  const Span whole = Whole(sources, text);
  std::uint32_t at = 0;
  for (const Sentence& s : ParseSentences(sources, whole, findings)) {
    Require(at <= s.span.begin && s.span.begin <= s.span.end && s.span.end <= whole.end,
            "sentences are in order and in their text");
    at = s.span.end;
    PrintAndParse(s, ParseSentence);
  }
  for (const Diagnostic& d : findings.all())
    Require(d.span.begin <= d.span.end && d.span.end <= whole.end, "a finding is in its text",
            d.message);
}

template <typename Parse>
void FeedOne(const std::string& text, Parse parse) {
  Sources sources;
  Diagnostics findings;
  const auto tree = parse(sources, Whole(sources, text), findings);
  Require(tree ? !findings.has_errors() : findings.errors() == 1, "no tree means one error");
  if (tree) PrintAndParse(*tree, parse);
}

void FeedEnds(const std::string& text) {
  const auto limit = static_cast<std::uint32_t>(text.size());
  for (std::uint32_t at = 0; at < limit;) {
    const std::uint32_t end = SentenceEnd(text, at, limit);
    Require(at <= end && end <= limit, "a sentence ends after its begin, before the limit");
    at = end + 1;
  }
}

}  // namespace
}  // namespace rpl::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  rpl::fuzz::FeedSentences(text);
  rpl::fuzz::FeedOne(text, rpl::ParseSentence);
  rpl::fuzz::FeedOne(text, rpl::ParseSignature);
  rpl::fuzz::FeedOne(text, rpl::ParseTerm);
  rpl::fuzz::FeedEnds(text);
  return 0;
}
