// SPDX-License-Identifier: Apache-2.0
#include "shell/commands/command_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <catch2/catch.hpp>

namespace rpl {
namespace {

using Words = std::vector<std::string>;

// The error of a command line, "" if it has none, for a command with the options that `add` adds.
std::string Parse(const std::function<void(CommandOptions)>& add, Words words) {
  CLI::App app("a program", "prog");
  add(CommandOptions(app));
  std::reverse(words.begin(), words.end());
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("command options: parsing sets what an option is bound to") {
  std::string file, format;
  Words facts;
  bool quiet = false;
  std::size_t depth = 0;
  const auto add = [&](CommandOptions command) {
    command.Add("FILE", file, "A file").Required();
    command.Add("--facts", facts, "Facts").TakesOne();
    command.Add("--format", format, "A format").OneOf({"text", "json"});
    command.Flag("-q,--quiet", quiet, "Not a word");
    command.AddTaking<std::size_t>(
        "--depth", [&](const std::size_t& n) { depth = n; }, "Levels");
  };
  CHECK(Parse(add, {"--facts", "a", "p.md", "--facts", "b", "-q", "--depth", "3"}) == "");
  CHECK(file == "p.md");
  CHECK(facts == Words{"a", "b"});
  CHECK(quiet);
  CHECK(depth == 3);
  CHECK_THAT(Parse(add, {}), Catch::Contains("FILE is required"));
  CHECK_THAT(Parse(add, {"p.md", "--format", "xml"}), Catch::Contains("xml not in {text,json}"));
}

TEST_CASE("command options: a value that a check refuses is an error of its option") {
  std::string name;
  std::size_t threads = 0;
  const auto add = [&](CommandOptions command) {
    command.Add("--name", name, "A name").Check([](const std::string& text) {
      return text.empty() ? std::string("expected a name") : "";
    });
    command.Add("--threads", threads, "Threads").Within(1, 64);
  };
  CHECK(Parse(add, {"--name", "a", "--threads", "64"}) == "");
  CHECK(Parse(add, {"--name", ""}) == "--name: expected a name");
  CHECK_THAT(Parse(add, {"--threads", "65"}), Catch::Contains("--threads"));
  CHECK_THAT(Parse(add, {"--threads", "0"}), Catch::Contains("--threads"));
}

TEST_CASE("command options: what needs another option, and what excludes it") {
  bool a = false, b = false, c = false;
  const auto add = [&](CommandOptions command) {
    const CommandOption first = command.Flag("--a", a, "A");
    command.Flag("--b", b, "B").Needs(first);
    command.Flag("--c", c, "C").Excludes(command.At("--a"));
  };
  CHECK(Parse(add, {"--a", "--b"}) == "");
  CHECK(Parse(add, {"--b"}) == "--b requires --a");
  CHECK_THAT(Parse(add, {"--a", "--c"}), Catch::Contains("excludes"));
}

TEST_CASE("command options: a subcommand is told when it is given") {
  int chosen = 0;
  std::string id;
  const auto add = [&](CommandOptions command) {
    command.RequirePart(1);
    command.Part("show", "Shows", [&] { chosen = 1; }).Add("ID", id, "An id").Required();
    command.Part("end", "Ends", [&] { chosen = 2; });
  };
  CHECK(Parse(add, {"show", "7"}) == "");
  CHECK(chosen == 1);
  CHECK(id == "7");
  CHECK(Parse(add, {"end"}) == "");
  CHECK(chosen == 2);
  CHECK_THAT(Parse(add, {}), Catch::Contains("subcommand is required"));
}

}  // namespace
}  // namespace rpl
