// SPDX-License-Identifier: Apache-2.0
//
// What follows from the table of abductives, and what stands elsewhere and has to agree with it.
#include "grammar/abductives.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/parser.h"
#include "grammar/printer.h"

namespace rpl {
namespace {

// The words of all abductives, in the order of the table.
std::vector<std::string> AbductiveWords() {
  std::vector<std::string> words;
  for (const AbductiveRow& row : kAbductives) words.emplace_back(row.word);
  return words;
}

// Of the lines of a file that begin with `beginning`: what stands between `open` and `close`.
std::vector<std::string> WordsOnLines(std::string_view beginning, std::string_view open, char close,
                                      const char* path) {
  std::vector<std::string> words;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t at = line.find(open);
    if (!line.starts_with(beginning) || at == line.npos) continue;
    const std::size_t begin = at + open.size();
    words.push_back(line.substr(begin, line.find(close, begin) - begin));
  }
  return words;
}

TEST_CASE("an abductive is read and printed as its usage shows") {
  for (const AbductiveRow& row : kAbductives) {
    const std::string text = "a(?x) <- b(?x) ; " + std::string(row.usage);
    INFO(text);
    Sources sources;
    Diagnostics findings;
    const std::uint32_t file = sources.Add("t", text);
    const std::optional<Sentence> s =
        ParseSentence(sources, {file, 0, static_cast<std::uint32_t>(text.size())}, findings);
    REQUIRE(s);
    CHECK(s->rule.abductives.front().kind == row.kind);
    CHECK(Print(*s) == text);
    CHECK(FindAbductive(row.word) == &row);
  }
}

TEST_CASE("a word that is the beginning of another or has one is no abductive") {
  for (const char* word : {"", "whe", "whenever", "When", "when-", "@when"})
    CHECK(FindAbductive(word) == nullptr);
}

TEST_CASE("docs/language.md has a section for each abductive") {
  CHECK(WordsOnLines("### 16.", " `@", '`', RPL_LANGUAGE_PAGE) == AbductiveWords());
}

TEST_CASE("fuzz/rpl.dict has each abductive") {
  CHECK(WordsOnLines("\"@", "@", '(', RPL_FUZZ_WORDS) == AbductiveWords());
}

}  // namespace
}  // namespace rpl
