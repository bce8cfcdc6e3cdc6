// SPDX-License-Identifier: Apache-2.0
//
// The JSON form of trees, for `rpl parse --format json`.
//
// A node is an object: "kind" is the name of its struct in ast.h in kebab-case, "span" its bytes
// [begin, end), and the rest its fields under their names in ast.h. Operators, namespaces and
// abductives are given as RPL spells them.
#ifndef RPL_GRAMMAR_AST_JSON_H_
#define RPL_GRAMMAR_AST_JSON_H_

#include <nlohmann/json.hpp>

#include "formats/diagnostic.h"
#include "grammar/ast.h"

namespace rpl {

/// The JSON of a rule, with "file", "line" and "column" of the sentence in addition.
nlohmann::json ToJson(const Sentence& sentence, const Sources& sources);
/// The JSON of a node, as described above.
nlohmann::json ToJson(const Node& node);
/// [begin, end], without the file.
nlohmann::json SpanJson(Span span);

}  // namespace rpl

#endif  // RPL_GRAMMAR_AST_JSON_H_
