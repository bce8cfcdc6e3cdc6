// SPDX-License-Identifier: Apache-2.0
#include "shell/repl/repl.h"
#include "shell/commands/commands.h"

namespace rpl {

int CommandRepl(const ReplOptions& options) { return Repl(options).Run(); }

}  // namespace rpl
