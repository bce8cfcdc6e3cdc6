// SPDX-License-Identifier: Apache-2.0
//
// Emphasised spans of prose: `__first name__` names a variable of the rules (§17.2).
//
// A run of exactly two underscores opens and closes emphasis by the rules of CommonMark, within one
// paragraph. A backslash escapes the mark after it, and code spans contain no emphasis. There are
// no errors: a run that opens or closes nothing is prose.
#ifndef RPL_GRAMMAR_EMPHASIS_H_
#define RPL_GRAMMAR_EMPHASIS_H_

#include <string>
#include <string_view>
#include <vector>

#include "formats/diagnostic.h"

namespace rpl {

/// An emphasised part of prose: `name` is normalised ("first-name"), `span` includes the marks.
struct ProseSpan {
  std::string name;
  Span span;
};

/// The emphasised spans within `span`, a part of `text`, in order. O(size of the span). REQUIRES:
/// `text` is well-formed UTF-8.
std::vector<ProseSpan> EmphasisedSpans(std::string_view text, Span span);

/// `__First Name__` as "first-name": ASCII letters are lowered, other characters become hyphens.
std::string KebabCase(std::string_view text);

}  // namespace rpl

#endif  // RPL_GRAMMAR_EMPHASIS_H_
