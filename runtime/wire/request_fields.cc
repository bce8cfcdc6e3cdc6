// SPDX-License-Identifier: Apache-2.0
#include "runtime/wire/request_fields.h"

#include <stdexcept>

#include "formats/data/json_fields.h"

namespace rpl {

using nlohmann::ordered_json;

void ThrowExpected(const std::string& what) { throw std::invalid_argument("expected " + what); }

std::string TextIn(const ordered_json& request, const char* name) {
  const ordered_json& text = FieldAt(request, name);
  if (text.is_null()) return "";
  if (!text.is_string()) ThrowExpected(std::string("a string as `") + name + "`");
  return text.get<std::string>();
}

const ordered_json& ObjectIn(const ordered_json& request, const char* name) {
  static const ordered_json none = ordered_json::object();
  const ordered_json& member = FieldAt(request, name);
  if (member.is_null()) return none;
  if (!member.is_object()) ThrowExpected(std::string("an object as `") + name + "`");
  return member;
}

std::vector<std::string> KeysIn(const ordered_json& request, const char* name) {
  std::vector<std::string> out;
  const ordered_json& keys = FieldAt(request, name);
  if (!keys.is_null() && !keys.is_array()) ThrowExpected(std::string("a list as `") + name + "`");
  for (const ordered_json& key : keys) {
    if (!key.is_string()) ThrowExpected(std::string("strings in `") + name + "`");
    out.push_back(key.get<std::string>());
  }
  return out;
}

By PartyIn(const ordered_json& request) {
  const std::string name = TextIn(request, "by");
  if (name == "person") return By::kPerson;
  if (name == "model") return By::kModel;
  if (!name.empty() && name != "host") ThrowExpected("`person`, `model` or `host` as `by`");
  return By::kHost;
}

}  // namespace rpl
