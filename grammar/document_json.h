// SPDX-License-Identifier: Apache-2.0
//
// A document as JSON, for `rpl parse --format json`.
//
// The object has the keys
//   schema     "rpl.parse/1"
//   file       the name of the file
//   scopes     title, level, parent (null for the document), span, and signature: its
//              text as Print gives it, or null
//   sentences  scope, fenced, and the sentence as grammar/ast_json.h gives it
//   prose      scope, span, and spans: the name and span of what is emphasised
// each list in document order. A scope is named by its index in `scopes`; a span is its
// bytes [begin, end). Diagnostics are not part of it.
#ifndef RPL_GRAMMAR_DOCUMENT_JSON_H_
#define RPL_GRAMMAR_DOCUMENT_JSON_H_

#include <nlohmann/json.hpp>

#include "grammar/document.h"

namespace rpl {

nlohmann::json ToJson(const Document& document, const Sources& sources);

}  // namespace rpl

#endif  // RPL_GRAMMAR_DOCUMENT_JSON_H_
