// SPDX-License-Identifier: Apache-2.0
//
// The hints beside and above the text: inlay hints with strata and inputs, and code lenses that
// evaluate.
#ifndef RPL_SHELL_LSP_HINTS_H_
#define RPL_SHELL_LSP_HINTS_H_

#include "shell/lsp/project.h"

namespace rpl::lsp {

/// Behind the first head of each relation in [begin, end): its stratum, where there are several,
/// and the arguments that a caller must bind.
Json InlayHintsOf(Project& project, const File& file, std::uint32_t begin, std::uint32_t end);

/// Above the first definition of a goal: "run" and "why"; of a relation: "answers", with the number
/// of its facts; above a heading with test scripts: "tests".
Json CodeLensesOf(Project& project, const File& file);

}  // namespace rpl::lsp

#endif  // RPL_SHELL_LSP_HINTS_H_
