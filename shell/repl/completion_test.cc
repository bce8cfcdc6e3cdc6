// SPDX-License-Identifier: Apache-2.0
#include "shell/repl/completion.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "interp/testing/testing_folder.h"
#include "shell/repl/history.h"

namespace rpl {
namespace {

using Argument = CompletionNames::Argument;

const CompletionNames kNames = {
    {{".facts", {{Argument::Kind::kWords, {"edge", "reachable"}}}},
     {".load", {{Argument::Kind::kFile}}},
     {".limits", {{Argument::Kind::kWords, {"rows", "rounds"}}}},
     {".import", {{Argument::Kind::kFile}, {Argument::Kind::kWords, {"edge"}}}},
     {".why", {{Argument::Kind::kEntry}}},
     {".undo"}},
    {"reachable(", "reach-out", "edge(", "%trip(", "$ask(", "edge("}};

// The candidates for the text before `|`, with the text that they replace.
std::string Offered(std::string text) {
  const std::size_t cursor = text.find('|');
  text.erase(cursor, 1);
  const Completion found = Complete(text, cursor, kNames);
  std::string out = text.substr(found.begin, cursor - found.begin) + " ->";
  for (const std::string& candidate : found.candidates) out += " " + candidate;
  return out;
}

TEST_CASE("what Tab offers") {
  CHECK(Offered(".l|") == ".l -> .limits .load");
  CHECK(Offered(".facts |") == " -> edge reachable");
  CHECK(Offered("  .facts  r|") == "r -> reachable");
  CHECK(Offered(".facts edge |") == " ->");
  CHECK(Offered(".limits ro|") == "ro -> rounds rows");
  CHECK(Offered(".import stock.csv |") == " -> edge");
  CHECK(Offered(".why rea|") == "rea -> reach-out reachable(");
  CHECK(Offered(".why edge(1), rea|") == "rea -> reach-out reachable(");
  CHECK(Offered(".undo |") == " ->");
  CHECK(Offered(".nothing rea|") == "rea -> reach-out reachable(");
  CHECK(Offered("rea|(1)") == "rea -> reach-out reachable");
  CHECK(Offered(".facts ed|") == "ed -> edge");
  CHECK(Offered("rea|") == "rea -> reach-out reachable(");
  CHECK(Offered("far(?x) <- reach-|") == "reach- -> reach-out");
  CHECK(Offered("% <- %t|") == "%t -> %trip(");
  CHECK(Offered("?x = $a|") == "$a -> $ask(");
  CHECK(Offered("far(?where, ?when) <- p(?wh|") == "?wh -> ?when ?where");
  CHECK(Offered("p(?w|, ?where)") == "?w -> ?where");
  CHECK(Offered("p(?w|)") == "?w ->");
  CHECK(Offered("|") == " ->");
  CHECK(Offered("nothing|") == "nothing ->");
}

TEST_CASE("what all candidates begin with") {
  CHECK(Complete("rea", 3, kNames).Common() == "reach");
  CHECK(Complete("ed", 2, kNames).Common() == "edge(");
  CHECK(Completion{0, {"stra\u00dfe", "stra\u00e4"}}.Common() == "stra");
}

TEST_CASE("candidates in columns") {
  CHECK(CandidateList({"aa", "b", "ccc", "d"}, 11) == "aa   ccc\nb    d\n");
  CHECK(CandidateList({"aa", "b"}, 1) == "aa\nb\n");
  CHECK(CandidateList({"a\x1b[2J", "b"}, 26) == "a\\u001b[2J  b\n");
}

TEST_CASE("file names") {
  const testing::Folder folder;
  std::ofstream(folder / "trip.md") << "";
  std::filesystem::create_directory(folder / "trips");
  const std::string text = ".load " + (folder / "tr");
  const Completion found = Complete(text, text.size(), kNames);
  CHECK(found.begin == 6);
  CHECK(found.candidates == std::vector<std::string>{folder / "trip.md", folder / "trips/"});
}

TEST_CASE("the history is kept, entries of several lines too") {
  const testing::Folder folder;
  const ReplHistory history(folder / "state/rpl/history");
  CHECK(history.Load().empty());
  history.Append("a(1)");
  history.Append("p(\"back\\slash\") <-\n  q()");
  CHECK(history.Load() == std::vector<std::string>{"a(1)", "p(\"back\\slash\") <-\n  q()"});
  for (std::size_t i = 0; i < 2 * ReplHistory::kMost; ++i) history.Append(std::to_string(i));
  CHECK(history.Load().size() == ReplHistory::kMost);
  CHECK(history.Load().back() == "1999");

  const ReplHistory nowhere("/proc/none/history");
  nowhere.Append("a(1)");
  CHECK(nowhere.Load().empty());
}

}  // namespace
}  // namespace rpl
