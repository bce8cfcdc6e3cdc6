// SPDX-License-Identifier: Apache-2.0
//
// Checks a JSON value against a JSON Schema (2020-12), as far as tools use it.
//
// Understood: type, enum, const, properties, required, additionalProperties, items, prefixItems,
// minItems, maxItems, minLength, maxLength, minimum, maximum, exclusiveMinimum, exclusiveMaximum,
// allOf, anyOf, oneOf, not, $ref within the document, $defs; `true` and `false`. Annotations are
// skipped. Every other keyword is *not checked*: the value then fits or may fit, and is never said
// to be wrong because of it. A `$ref` to an address is not fetched.
//
// Schemas and values are untrusted: the work is bounded, and beyond the bound the answer is kMaybe.
#ifndef RPL_FORMATS_DATA_JSON_SCHEMA_H_
#define RPL_FORMATS_DATA_JSON_SCHEMA_H_

#include <nlohmann/json.hpp>
#include <string>

namespace rpl {

struct SchemaFit {
  enum class Kind {
    kNo,     // the value is wrong, whatever the keywords say that are not checked
    kMaybe,  // a keyword that is not checked decides
    kYes,
  };
  Kind kind = Kind::kYes;
  std::string where;  // kNo: a pointer to the wrong part, "/order/amount"; "" for the whole
  std::string why;    // kNo: for people, "expected a number"
};

/// REQUIRES: both come from ParseJson, whose limits of nesting hold for them.
SchemaFit FitsSchema(const nlohmann::ordered_json& schema, const nlohmann::ordered_json& value);

}  // namespace rpl

#endif  // RPL_FORMATS_DATA_JSON_SCHEMA_H_
