// SPDX-License-Identifier: Apache-2.0
//
// What prose emphasises: `__first name__` names a variable of the rules (§17).
//
// A run of exactly two underscores opens and closes by the rules of CommonMark for such runs,
// with the word inside in one paragraph. A backslash takes the meaning of the next mark, and
// code spans hold no emphasis. What emphasises nothing is prose: there are no errors.
#ifndef RPL_GRAMMAR_EMPHASIS_H_
#define RPL_GRAMMAR_EMPHASIS_H_

#include <string>
#include <string_view>
#include <vector>

#include "formats/diagnostic.h"

namespace rpl {

/// __first name__ in prose: `name` is normalised ("first-name"), `span` covers the marks.
struct ProseSpan {
  std::string name;
  Span span;
};

/// The emphasised spans of `span`, a part of `text`, in order. Linear.
/// REQUIRES: `text` is well-formed UTF-8.
std::vector<ProseSpan> EmphasisedSpans(std::string_view text, Span span);

/// `__First Name__` to "first-name": letters lowered, other characters become hyphens.
std::string KebabCase(std::string_view text);

}  // namespace rpl

#endif  // RPL_GRAMMAR_EMPHASIS_H_
