// SPDX-License-Identifier: Apache-2.0
#include "shell/commands/commands.h"
#include "shell/lsp/lsp_stdio.h"

namespace rpl {

int CommandLsp(const LspOptions& options) { lsp::ServeLsp(options.client); }

}  // namespace rpl
