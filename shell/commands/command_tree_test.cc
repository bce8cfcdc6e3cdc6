// SPDX-License-Identifier: Apache-2.0
#include "shell/commands/command_tree.h"

#include <CLI/CLI.hpp>
#include <catch2/catch.hpp>
#include <functional>

namespace rpl {
namespace {

using Words = std::vector<std::string>;

// A command line with one command, described by `add`.
CommandNode CommandWith(const std::function<void(CLI::App&)>& add) {
  CLI::App app("a program", "prog");
  app.footer("Examples\n  prog");
  add(*app.add_subcommand("go", "Goes"));
  return ReadCommandTree(app).commands.at(0);
}

TEST_CASE("command tree: an option has its names, its placeholder and its choices") {
  std::string format;
  std::vector<std::string> files;
  bool quiet = false;
  const CommandNode go = CommandWith([&](CLI::App& command) {
    command.add_option("-f,--format", format, "How")
        ->type_name("FORMAT")
        ->check(CLI::IsMember({"text", "json"}));
    command.add_flag("--quiet", quiet, "Not a word");
    command.add_option("FILE", files, "What")->required();
  });
  CHECK(go.path == "prog go");
  CHECK(Usage(go) == "prog go [OPTIONS] FILE...");
  REQUIRE(go.options.size() == 3);  // after --help
  CHECK(Spelled(go.options[1]) == "-f, --format FORMAT");
  CHECK(go.options[1].choices == Words{"text", "json"});
  CHECK(go.options[1].takes == Parameter::Takes::kOther);
  CHECK(Spelled(go.options[2]) == "--quiet");
  REQUIRE(go.arguments.size() == 1);
  CHECK(go.arguments[0].required);
  CHECK(go.arguments[0].repeated);
}

TEST_CASE("command tree: the help says which files an option takes") {
  std::string value;
  const auto option = [&](const char* name, const char* type, const char* help) {
    return CommandWith(
               [&](CLI::App& command) { command.add_option(name, value, help)->type_name(type); })
        .options.at(1);
  };
  CHECK(option("--config", "FILE", "Settings, in YAML").extensions == Words{"yaml", "yml"});
  CHECK(option("--rows", "NAME=FILE", "From CSV or NDJSON").extensions == Words{"csv", "ndjson"});
  CHECK(option("--session", "FILE", "Keep the run").extensions == Words{"rpls"});
  CHECK(option("--out", "FILE", "Where to").extensions.empty());
  CHECK(option("--out", "FILE", "Where to").takes == Parameter::Takes::kFile);
  CHECK(option("--out", "FOLDER", "Where to").takes == Parameter::Takes::kFolder);
  CHECK(option("--profile", "NAME", "Of the user").takes == Parameter::Takes::kOther);
}

TEST_CASE("command tree: a footer has prose, and parts with a title") {
  const CommandNode go = CommandWith(
      [](CLI::App& command) { command.footer("Prose,\nmore.\n\nExamples\n  go\n   x"); });
  REQUIRE(go.footer.size() == 2);
  CHECK(go.footer[0].title.empty());
  CHECK(go.footer[0].lines == Words{"Prose,", "more."});
  CHECK(go.footer[1].title == "Examples");
  CHECK(go.footer[1].lines == Words{"go", " x"});
}

TEST_CASE("command tree: what is handed down or hidden is left out") {
  bool flag = false;
  const CommandNode go = CommandWith([&](CLI::App& command) {
    command.add_flag("--secret", flag)->group("");
    command.add_subcommand("below", "Shown");
    command.add_subcommand("hidden", "Not shown")->group("");
  });
  CHECK(go.footer.empty());  // it belongs to the program
  CHECK(go.options.size() == 1);
  REQUIRE(go.commands.size() == 1);
  CHECK(go.commands[0].path == "prog go below");
  CHECK(Usage(go) == "prog go [OPTIONS] [COMMAND]");
}

}  // namespace
}  // namespace rpl
