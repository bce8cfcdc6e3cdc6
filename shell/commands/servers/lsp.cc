// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "shell/commands/commands.h"
#include "shell/commands/shared_options.h"
#include "shell/lsp/lsp_stdio.h"

namespace rpl {
namespace {

// rpl lsp: serves editors, on a pipe (shell/lsp/lsp_stdio.h).
struct LspOptions {
  bool stdio = false;  // --stdio, which changes nothing
  int client = 0;      // --clientProcessId PID; 0: not known
};

constexpr const char* kLspFooter =
    R"(An editor starts this command and talks to it on a pipe: findings as you type, with their fixes,
completion, definitions, renaming, proofs and answers. It calls no tool and writes no file. See
docs/editors.md.

Examples
  rpl lsp)";

// Does not return before the client has left.
int CommandLsp(const LspOptions& options) { lsp::ServeLsp(options.client); }

}  // namespace

Command DescribeLsp(CommandOptions command, const Wanted&) {
  const auto options = std::make_shared<LspOptions>();
  LspOptions& to = *options;
  command.Flag("--stdio", to.stdio, "Serve a pipe; there is no other way, editors say it");
  command.Add("--clientProcessId", to.client, "End when this process ends (default: with the pipe)")
      .Unit("PID")
      .NotNegative();
  command.Footer(kLspFooter);
  return {.run = [options] { return CommandLsp(*options); }};
}

}  // namespace rpl
