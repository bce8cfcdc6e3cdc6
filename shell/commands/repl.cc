// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "shell/commands/commands.h"
#include "shell/commands/shared_options.h"
#include "shell/repl/repl.h"

namespace rpl {
namespace {

constexpr const char* kReplFooter =
    R"(docs/shell.md describes the shell; `.help` lists its commands. `rpl` alone is `rpl repl`.

Examples
  rpl repl protocol.md
  rpl repl graph.rpl --session graph.rpls   # saved in a file, to be continued
  rpl repl graph.rpl <entries.txt           # reads entries from a file)";

// rpl repl [FILE…]: the shell, shell/repl/repl.h.
int CommandRepl(const ReplOptions& options) { return Repl(options).Run(); }

}  // namespace

Command DescribeRepl(CommandOptions command, const Wanted&) {
  const auto options = std::make_shared<ReplOptions>();
  ReplOptions& to = *options;
  command.Add("FILE", to.files, kPrograms);
  command
      .Add("--session", to.session,
           "Save the session in FILE, or postgresql://…/NAME; if it exists, continue it")
      .Unit("FILE");
  command.Add("--color", to.colour, "auto (default), always or never")
      .Unit("WHEN")
      .OneOf({"auto", "always", "never"});
  AddEngineOptions(command, to.engine);
  AddToolOptions(command, to.engine, kBesideDocument);
  AddFactsOptions(command, to.engine);
  command.Footer(kReplFooter);
  return {.run = [options] { return CommandRepl(*options); }};
}

}  // namespace rpl
