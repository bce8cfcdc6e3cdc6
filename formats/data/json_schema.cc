// SPDX-License-Identifier: Apache-2.0
#include "formats/data/json_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "formats/data/json_text.h"
#include "formats/utf8.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;
using Kind = SchemaFit::Kind;

constexpr std::size_t kMostSteps = 100'000;  // subschemas applied in one check
constexpr int kMostSchemaDepth = 500;        // of them within each other; a `$ref` may turn round

// Keywords that say nothing about whether a value fits, and those that another one reads.
constexpr std::array<std::string_view, 17> kSilent = {
    "$schema",     "$id",     "$comment",     "$defs",     "definitions", "title",
    "description", "default", "examples",     "readOnly",  "writeOnly",   "deprecated",
    "$anchor",     "icons",   "x-mcp-header", "enumNames", "format"};

bool IsInteger(const ordered_json& value) {
  if (value.is_number_integer() || DigitsOf(value)) return true;
  return value.is_number_float() && std::trunc(value.get<double>()) == value.get<double>();
}

bool HasType(const ordered_json& value, std::string_view type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "null") return value.is_null();
  if (type == "integer") return IsInteger(value);
  if (type == "number") return value.is_number() || DigitsOf(value).has_value();
  return false;
}

// Equal as JSON Schema has it: 1 and 1.0 are the same number, and keys have no order.
bool SameJson(const ordered_json& a, const ordered_json& b) {
  if (a.is_number() && b.is_number()) return a == b;
  if (a.type() != b.type() || a.size() != b.size()) return false;
  if (a.is_array()) return std::equal(a.begin(), a.end(), b.begin(), b.end(), SameJson);
  if (!a.is_object()) return a == b;
  return std::all_of(a.items().begin(), a.items().end(), [&](const auto& item) {
    const auto found = b.find(item.key());
    return found != b.end() && SameJson(item.value(), *found);
  });
}

class SchemaCheck {
 public:
  explicit SchemaCheck(const ordered_json& root) : root_(root) {}

  // The keywords of a schema are a conjunction: the first that says no decides.
  SchemaFit Fit(const ordered_json& schema, const ordered_json& value, const std::string& where,
                int depth) {
    if (schema.is_boolean())
      return schema.get<bool>() ? SchemaFit{} : No(where, "nothing is allowed here");
    if (!schema.is_object() || depth > kMostSchemaDepth || ++steps_ > kMostSteps) return Maybe();
    SchemaFit out;
    for (const auto& [keyword, of] : schema.items()) {
      SchemaFit one = Keyword(keyword, of, schema, value, where, depth);
      if (one.kind == Kind::kNo) return one;
      if (one.kind == Kind::kMaybe) out.kind = Kind::kMaybe;
    }
    return out;
  }

 private:
  static SchemaFit No(const std::string& where, std::string why) {
    return {Kind::kNo, where, std::move(why)};
  }
  static SchemaFit Maybe() { return {Kind::kMaybe, "", ""}; }
  static SchemaFit Check(bool holds, const std::string& where, std::string why) {
    return holds ? SchemaFit{} : No(where, std::move(why));
  }

  SchemaFit Keyword(const std::string& keyword, const ordered_json& of, const ordered_json& schema,
                    const ordered_json& value, const std::string& where, int depth) {
    if (std::find(kSilent.begin(), kSilent.end(), keyword) != kSilent.end()) return {};
    if (keyword == "type") return Type(of, value, where);
    if (keyword == "enum" && of.is_array())
      return Check(std::any_of(of.begin(), of.end(),
                               [&](const ordered_json& one) { return SameJson(one, value); }),
                   where, "expected one of " + DumpJson(of));
    if (keyword == "const") return Check(SameJson(of, value), where, "expected " + DumpJson(of));
    if (keyword == "allOf" || keyword == "anyOf" || keyword == "oneOf" || keyword == "not")
      return Combined(keyword, of, value, where, depth);
    if (keyword == "$ref") {
      const ordered_json* found = Resolve(of);
      return found == nullptr ? Maybe() : Fit(*found, value, where, depth + 1);
    }
    if (keyword == "required" || keyword == "properties" || keyword == "additionalProperties")
      return Object(keyword, of, schema, value, where, depth);
    if (keyword == "items" || keyword == "prefixItems" || keyword == "minItems" ||
        keyword == "maxItems")
      return Array(keyword, of, schema, value, where, depth);
    if (keyword == "minLength" || keyword == "maxLength") {
      if (!value.is_string()) return {};
      if (!of.is_number()) return Maybe();
      const auto size = static_cast<double>(CountCodePoints(value.get_ref<const std::string&>()));
      if (keyword == "minLength")
        return Check(size >= of.get<double>(), where,
                     fmt::format("expected at least {} characters", DumpJson(of)));
      return Check(size <= of.get<double>(), where,
                   fmt::format("expected at most {} characters", DumpJson(of)));
    }
    return Number(keyword, of, value, where);
  }

  static SchemaFit Type(const ordered_json& of, const ordered_json& value,
                        const std::string& where) {
    if (of.is_string())
      return Check(HasType(value, of.get_ref<const std::string&>()), where,
                   "expected the type " + of.get<std::string>());
    if (!of.is_array()) return Maybe();
    const bool any = std::any_of(of.begin(), of.end(), [&](const ordered_json& type) {
      return type.is_string() && HasType(value, type.get_ref<const std::string&>());
    });
    return Check(any, where, "expected one of the types " + DumpJson(of));
  }

  static SchemaFit Number(const std::string& keyword, const ordered_json& of,
                          const ordered_json& value, const std::string& where) {
    const bool known = keyword == "minimum" || keyword == "maximum" ||
                       keyword == "exclusiveMinimum" || keyword == "exclusiveMaximum";
    if (!known || !of.is_number()) return Maybe();
    if (DigitsOf(value)) return Maybe();
    if (!value.is_number()) return {};
    const double v = value.get<double>(), limit = of.get<double>();
    const bool holds = keyword == "minimum"            ? v >= limit
                       : keyword == "maximum"          ? v <= limit
                       : keyword == "exclusiveMinimum" ? v > limit
                                                       : v < limit;
    return Check(holds, where, fmt::format("beyond the {} {}", keyword, DumpJson(of)));
  }

  SchemaFit Object(const std::string& keyword, const ordered_json& of, const ordered_json& schema,
                   const ordered_json& value, const std::string& where, int depth) {
    if (!value.is_object()) return {};
    if (keyword == "required") {
      for (const ordered_json& name : of)
        if (name.is_string() && !value.contains(name.get_ref<const std::string&>()))
          return No(where, "`" + name.get<std::string>() + "` is missing");
      return {};
    }
    const bool others = keyword == "additionalProperties";
    const auto named = schema.find("properties");
    SchemaFit out;
    for (const auto& [name, item] : value.items()) {
      const bool is_named =
          named != schema.end() && named->is_object() && named->find(name) != named->end();
      if (others == is_named) continue;
      if (others && schema.contains("patternProperties")) {
        out.kind = Kind::kMaybe;
        continue;
      }
      if (!others && !is_named) continue;
      if (others && of.is_boolean() && !of.get<bool>())
        return No(where, "`" + name + "` is not known");
      SchemaFit one = Fit(others ? of : (*named)[name], item, where + '/' + name, depth + 1);
      if (one.kind == Kind::kNo) return one;
      if (one.kind == Kind::kMaybe) out.kind = Kind::kMaybe;
    }
    return out;
  }

  SchemaFit Array(const std::string& keyword, const ordered_json& of, const ordered_json& schema,
                  const ordered_json& value, const std::string& where, int depth) {
    if (!value.is_array()) return {};
    if (keyword == "minItems" || keyword == "maxItems") {
      if (!of.is_number()) return Maybe();
      const auto size = static_cast<double>(value.size());
      const bool holds =
          keyword == "minItems" ? size >= of.get<double>() : size <= of.get<double>();
      return Check(holds, where, fmt::format("beyond the {} {}", keyword, DumpJson(of)));
    }
    const bool prefix = keyword == "prefixItems";
    const auto before = schema.find("prefixItems");
    const std::size_t first = !prefix && before != schema.end() ? before->size() : 0;
    if (!prefix && of.is_array()) return Maybe();  // as before 2020-12
    SchemaFit out;
    for (std::size_t i = first; i < value.size() && !(prefix && i >= of.size()); ++i) {
      SchemaFit one =
          Fit(prefix ? of[i] : of, value[i], where + '/' + std::to_string(i), depth + 1);
      if (one.kind == Kind::kNo) return one;
      if (one.kind == Kind::kMaybe) out.kind = Kind::kMaybe;
    }
    return out;
  }

  SchemaFit Combined(const std::string& keyword, const ordered_json& of, const ordered_json& value,
                     const std::string& where, int depth) {
    if (keyword == "not") {
      const SchemaFit part = Fit(of, value, where, depth + 1);
      if (part.kind == Kind::kMaybe) return Maybe();
      return Check(part.kind == Kind::kNo, where, "it has a form that is excluded");
    }
    if (!of.is_array()) return Maybe();
    std::size_t yes = 0, maybe = 0;
    SchemaFit first_no;
    for (const ordered_json& part : of) {
      SchemaFit fit = Fit(part, value, where, depth + 1);
      if (fit.kind == Kind::kNo && keyword == "allOf") return fit;
      if (fit.kind == Kind::kNo && first_no.kind != Kind::kNo) first_no = std::move(fit);
      else if (fit.kind == Kind::kYes) ++yes;
      else if (fit.kind == Kind::kMaybe) ++maybe;
    }
    if (keyword == "allOf") return maybe > 0 ? Maybe() : SchemaFit{};
    if (yes == 0 && maybe == 0)
      return of.size() == 1 ? first_no : No(where, "it has none of the forms that are allowed");
    if (keyword == "anyOf") return yes > 0 ? SchemaFit{} : Maybe();
    if (yes > 1) return No(where, "it has several of the forms of which one is allowed");
    return maybe > 0 ? Maybe() : SchemaFit{};
  }

  // A reference into this document, `#` or `#/…`; null for any other.
  const ordered_json* Resolve(const ordered_json& ref) const {
    if (!ref.is_string()) return nullptr;
    const std::string& text = ref.get_ref<const std::string&>();
    if (text == "#") return &root_;
    if (!text.starts_with("#/")) return nullptr;
    const ordered_json* at = &root_;
    for (std::size_t begin = 2; begin <= text.size();) {
      const std::size_t end = std::min(text.find('/', begin), text.size());
      std::string key = text.substr(begin, end - begin);
      if (key.find_first_of("~%") != key.npos) return nullptr;  // escapes are not used by tools
      if (!at->is_object()) return nullptr;
      const auto found = at->find(key);
      if (found == at->end()) return nullptr;
      at = &*found;
      begin = end + 1;
    }
    return at;
  }

  const ordered_json& root_;
  std::size_t steps_ = 0;
};

}  // namespace

SchemaFit FitsSchema(const ordered_json& schema, const ordered_json& value) {
  return SchemaCheck(schema).Fit(schema, value, "", 0);
}

}  // namespace rpl
