// SPDX-License-Identifier: Apache-2.0
//
// The JSON form of trees and documents, for `rpl parse --format json`.
//
// A node is an object: "kind" is the name of its struct in ast.h in kebab-case, "span" its bytes
// [begin, end), and the rest its fields under their names in ast.h. Operators, namespaces and
// abductives are given as RPL spells them.
//
// That of a document has the keys
//   schema     "rpl.parse/1"
//   file       the name of the file
//   scopes     title, level, parent (null for the document), span, and signature: its
//              text as printed by Print, or null
//   sentences  scope, fenced, and the sentence
//   prose      scope, span, and spans: the names and spans of the emphasised parts
// each list in document order. A scope is referred to by its index in `scopes`. Diagnostics are not
// part of the object.
#ifndef RPL_GRAMMAR_AST_JSON_H_
#define RPL_GRAMMAR_AST_JSON_H_

#include <nlohmann/json.hpp>

#include "formats/diagnostic.h"
#include "grammar/document.h"

namespace rpl {

/// The JSON of a rule, with "file", "line" and "column" of the sentence in addition.
nlohmann::json ToJson(const Sentence& sentence, const Sources& sources);
/// The JSON of a node, as described above.
nlohmann::json ToJson(const Node& node);
/// The JSON of a document. REQUIRES: it was read with FactForm::kSentences; plain facts are not
/// printed.
nlohmann::json ToJson(const Document& document, const Sources& sources);

}  // namespace rpl

#endif  // RPL_GRAMMAR_AST_JSON_H_
