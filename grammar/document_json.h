// SPDX-License-Identifier: Apache-2.0
//
// The JSON form of a document, for `rpl parse --format json`.
//
// The object has the keys
//   schema     "rpl.parse/1"
//   file       the name of the file
//   scopes     title, level, parent (null for the document), span, and signature: its
//              text as printed by Print, or null
//   sentences  scope, fenced, and the sentence as in grammar/ast_json.h
//   prose      scope, span, and spans: the names and spans of the emphasised parts
// each list in document order. A scope is referred to by its index in `scopes`; a span is its bytes
// [begin, end). Diagnostics are not part of the object.
#ifndef RPL_GRAMMAR_DOCUMENT_JSON_H_
#define RPL_GRAMMAR_DOCUMENT_JSON_H_

#include <nlohmann/json.hpp>

#include "grammar/document.h"

namespace rpl {

/// The object described above. REQUIRES: the document was read with FactForm::kSentences; plain
/// facts are not printed.
nlohmann::json ToJson(const Document& document, const Sources& sources);

}  // namespace rpl

#endif  // RPL_GRAMMAR_DOCUMENT_JSON_H_
