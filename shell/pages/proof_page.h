// SPDX-License-Identifier: Apache-2.0
//
// Proofs and absences as HTML: trees that unfold, each node with what it rests on and its line.
#ifndef RPL_SHELL_PAGES_PROOF_PAGE_H_
#define RPL_SHELL_PAGES_PROOF_PAGE_H_

#include <string>

#include "interp/explain/explanation.h"
#include "shell/pages/page_places.h"

namespace rpl {

/// The tree. Ids of its nodes begin with `name`, which is unique on the page.
std::string ProofHtml(const Explanation& proof, const PagePlaces& places, const std::string& name);

}  // namespace rpl

#endif  // RPL_SHELL_PAGES_PROOF_PAGE_H_
