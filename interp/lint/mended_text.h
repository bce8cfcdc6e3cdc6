// SPDX-License-Identifier: Apache-2.0
//
// Whether text that is no RPL would be once an edit is made: only then is the edit certain
// (decision 102). Internal to interp/lint.
#ifndef RPL_INTERP_LINT_MENDED_TEXT_H_
#define RPL_INTERP_LINT_MENDED_TEXT_H_

#include <vector>

#include "formats/diagnostic.h"
#include "grammar/formatter.h"

namespace rpl::check {

/// True if, with `edits`, a sentence that begins with the line of the first or one of those above
/// it parses and reaches beyond the last; in a heading, a definition behind a ` - ` to its end.
/// Reads a limited number of lines and bytes around the edits. REQUIRES: there are some, in order.
bool ReadsWith(const Sources& sources, const std::vector<Edit>& edits);

/// The same for text that continues a signature: the two as one sentence.
bool ContinuesWith(const Sources& sources, Span signature, const Edit& edit);

}  // namespace rpl::check

#endif  // RPL_INTERP_LINT_MENDED_TEXT_H_
