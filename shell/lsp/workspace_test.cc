// SPDX-License-Identifier: Apache-2.0
#include "shell/lsp/workspace.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "grammar/testing_random.h"
#include "shell/lsp/program_check.h"
#include "shell/lsp/testing_project.h"

namespace rpl::lsp {
namespace {

Json ChangeOf(const TextFile& file, std::uint32_t begin, std::uint32_t end, const std::string& text,
              PositionEncoding encoding) {
  return {{"range",
           {{"start", PositionJson(file.lines.PositionOf(begin, encoding))},
            {"end", PositionJson(file.lines.PositionOf(end, encoding))}}},
          {"text", text}};
}

// The beginning of the character at or before `at`; a CRLF is one.
std::uint32_t Rounded(const std::string& text, std::uint32_t at) {
  std::uint32_t begin = 0;
  while (begin < at) {
    std::uint32_t size = CharacterSize(text, begin);
    if (text.compare(begin, 2, "\r\n") == 0) size = 2;
    if (begin + size > at) break;
    begin += size;
  }
  return begin;
}

std::string FindingsOf(Project& project, const File& file) {
  std::string out;
  const auto check = CheckProgram(project, file);
  for (const Finding& finding : check->findings) out += Render(finding.diagnostic, check->sources);
  return out;
}

TEST_CASE("a URI is a path, and back") {
  CHECK(PathOfUri("file:///a/b%20c/%E2%82%AC.md") == "/a/b c/€.md");
  CHECK(PathOfUri("file://localhost/a.md") == "/a.md");
  CHECK(PathOfUri("file:///a/../b.md") == "/b.md");
  CHECK(PathOfUri("untitled:Untitled-1").empty());
  CHECK(PathOfUri("file:///a%00b").empty());
  CHECK(PathOfUri("file:///a%2").ends_with("/a%2"));
  CHECK(UriOfPath("/a/b c/€.md") == "file:///a/b%20c/%E2%82%AC.md");
}

TEST_CASE("edits one after another give the text that was meant, with its findings") {
  lsp::testing::OpenProject open;
  const std::vector<std::string> pieces = {"\n",
                                           "# A - p(?x) <- q(?x)\n\n",
                                           "```rpl\n",
                                           "```\n",
                                           "q(1)\n",
                                           "é",
                                           "😀",
                                           "p(?x",
                                           "\r\n",
                                           ", not q(?y)",
                                           "%g(?x) <- p(?x)\n",
                                           "(",
                                           "\"",
                                           "__x__ ",
                                           "-- a\n",
                                           "p(2) -> false\n",
                                           "-"};
  CHECK(rc::check([&] {
    const PositionEncoding encoding =
        rpl::testing::Pick(2) == 0 ? PositionEncoding::kUtf8 : PositionEncoding::kUtf16;
    std::string meant = "# T\n\n```rpl\nq(1)\np(?x) <- q(?x)\n```\n";
    std::int64_t version = 1;
    open.Open("a.md", meant);
    const std::string uri = lsp::testing::OpenProject::Uri("a.md");
    for (int i = 0; i < 12; ++i) {
      const File file = open.Get("a.md");
      const auto size = static_cast<int>(meant.size());
      const std::uint32_t begin =
          Rounded(meant, static_cast<std::uint32_t>(rpl::testing::Pick(size + 1)));
      const std::uint32_t end = Rounded(
          meant,
          std::min<std::uint32_t>(static_cast<std::uint32_t>(size),
                                  begin + static_cast<std::uint32_t>(rpl::testing::Pick(8))));
      const std::string& with = rpl::testing::Of(pieces);
      const Json change = ChangeOf(*file, begin, std::max(begin, end), with, encoding);
      RC_ASSERT(open.project.files.Change(uri, ++version, Json::array({change}), encoding));
      meant.replace(begin, std::max(begin, end) - begin, with);
      RC_ASSERT(open.Get("a.md")->text == meant);
    }
    const std::string findings = FindingsOf(open.project, open.Get("a.md"));
    open.Open("a.md", meant);
    RC_ASSERT(FindingsOf(open.project, open.Get("a.md")) == findings);
  }));
}

TEST_CASE("a change that cannot be read changes nothing") {
  Workspace files;
  files.Open("file:///nowhere/a.md", 1, "abc");
  const auto refused = [&](const char* changes) {
    return !files.Change("file:///nowhere/a.md", 2, Json::parse(changes), PositionEncoding::kUtf16);
  };
  CHECK(refused("{}"));
  CHECK(refused(R"([{"text":"x"},{"text":1}])"));
  CHECK(refused(R"([{"text":"x","range":{"start":{"line":-1,"character":0}}}])"));
  CHECK(refused(R"([{"text":"x","range":7}])"));
  CHECK(files.Find("file:///nowhere/a.md")->text == "abc");
  CHECK_FALSE(files.Change("file:///nowhere/b.md", 1, Json::array(), PositionEncoding::kUtf16));
  // An end before the start, and places far outside.
  CHECK(files.Change("file:///nowhere/a.md", 3,
                     Json::parse(R"([{"text":"x","range":{"start":{"line":0,"character":2},
                       "end":{"line":0,"character":1}}},{"text":"y","range":{
                       "start":{"line":4000000000,"character":0},
                       "end":{"line":9000000000,"character":18446744073709551615}}}])"),
                     PositionEncoding::kUtf16));
  CHECK(files.Find("file:///nowhere/a.md")->text == "axcy");
}

TEST_CASE("files on disk are read when they have changed, and open documents hide them") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "rpl-workspace-test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder / "deep");
  std::filesystem::create_directories(folder / ".hidden");
  std::ofstream(folder / "a.md") << "one";
  std::ofstream(folder / "deep" / "b.rpl") << "p(1)";
  std::ofstream(folder / ".hidden" / "c.md") << "no";
  std::ofstream(folder / "d.txt") << "no";
  Workspace files;
  files.AddFolder(UriOfPath(folder));
  const std::string uri = UriOfPath(folder / "a.md");
  const File first = files.Find(uri);
  REQUIRE(first != nullptr);
  CHECK(files.Find(uri) == first);
  CHECK(files.Programs().size() == 2);
  std::ofstream(folder / "a.md") << "one and two";
  CHECK(files.Find(uri)->text == "one and two");
  CHECK(files.Beside(*first, "d.txt")->text == "no");
  CHECK(files.Beside(*first, "deep/b.rpl") == nullptr);
  files.Open(uri, 7, "open");
  CHECK(files.Find(uri)->text == "open");
  CHECK(files.OnDisk(folder / "a.md")->text == "one and two");
  files.Close(uri);
  CHECK(files.Find(uri)->text == "one and two");
  std::filesystem::remove_all(folder);
  CHECK(files.Find(uri) == nullptr);
}

}  // namespace
}  // namespace rpl::lsp
