// SPDX-License-Identifier: Apache-2.0
//
// Trees as JSON, for `rpl parse --format json`.
//
// A node is an object: "kind" is its struct of ast.h in kebab-case, "span" its bytes
// [begin, end), and the rest its fields under their names in ast.h. Operators, namespaces
// and abductives are their spelling in RPL. A sentence also has "file", "line" and
// "column".
#ifndef RPL_GRAMMAR_AST_JSON_H_
#define RPL_GRAMMAR_AST_JSON_H_

#include <nlohmann/json.hpp>

#include "formats/diagnostic.h"
#include "grammar/ast.h"

namespace rpl {

nlohmann::json ToJson(const Sentence& sentence, const Sources& sources);
nlohmann::json ToJson(const Node& node);
nlohmann::json SpanJson(Span span);

}  // namespace rpl

#endif  // RPL_GRAMMAR_AST_JSON_H_
