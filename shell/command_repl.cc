// SPDX-License-Identifier: Apache-2.0
#include "shell/commands.h"
#include "shell/repl.h"

namespace rpl {

int CommandRepl(const ReplOptions& options) { return Repl(options).Run(); }

}  // namespace rpl
