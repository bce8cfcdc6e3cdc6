// SPDX-License-Identifier: Apache-2.0
#include "shell/gateway/mcp_reading.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "formats/character.h"
#include "formats/data/json_fields.h"
#include "formats/data/json_text.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

// A form of the text by Unicode, or the text itself if it is not UTF-8.
std::string Mapped(std::string_view text, int options) {
  utf8proc_uint8_t* out = nullptr;
  const utf8proc_ssize_t size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                             static_cast<utf8proc_ssize_t>(text.size()), &out,
                                             static_cast<utf8proc_option_t>(options));
  if (size < 0) return std::string(text);
  std::string mapped(reinterpret_cast<char*>(out), static_cast<std::size_t>(size));
  std::free(out);
  return mapped;
}

bool IsVisible(utf8proc_int32_t character) {
  switch (utf8proc_category(character)) {
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_ZS: return character == ' ';
    default: return true;
  }
}

}  // namespace

std::string LineFault(std::string_view line) {
  if (line.starts_with("\xEF\xBB\xBF")) return "it begins with a byte order mark";
  const bool control = std::any_of(line.begin(), line.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\t';
  });
  return control ? "it has a control character" : "";
}

std::string FoldKey(std::string_view key) {
  std::string out;
  for (std::size_t i = 0; i < key.size(); ++i) {
    const std::string_view rest = key.substr(i);
    if (rest.starts_with("\xC5\xBF")) out += 's', ++i;
    else if (rest.starts_with("\xE2\x84\xAA")) out += 'k', i += 2;
    else out += key[i] >= 'A' && key[i] <= 'Z' ? static_cast<char>(key[i] + 32) : key[i];
  }
  return out;
}

std::string KeyFault(const ordered_json& object, const std::set<std::string>& known) {
  if (!object.is_object()) return "";
  std::map<std::string, std::string> exact;  // known keys, by what they are but for case
  for (const std::string& key : known) exact.emplace(FoldKey(key), key);
  std::set<std::string> seen;
  for (const auto& [key, value] : object.items()) {
    const std::string folded = FoldKey(key);
    if (!seen.insert(folded).second)
      return fmt::format("the key \"{}\" occurs twice but for its case", key);
    const auto same = exact.find(folded);
    if (same != exact.end() && same->second != key && !known.contains(key))
      return fmt::format("the key \"{}\" is \"{}\" but for its case", key, same->second);
  }
  return "";
}

std::string ValueFault(const ordered_json& value, const std::set<std::string>& known, bool keys) {
  if (value.is_string() && value.get_ref<const std::string&>().find('\0') != std::string::npos)
    return "a text has the character NUL";
  if (DigitsOf(value)) return "an integer has more than 64 bits";
  if (!value.is_structured()) return "";
  if (keys && value.is_object()) {
    if (std::string fault = KeyFault(value, known); !fault.empty()) return fault;
    if (value.contains("__proto__")) return "there is a key \"__proto__\"";
  }
  for (const auto& [key, item] : value.items()) {
    if (key.find('\0') != key.npos) return "a key has the character NUL";
    if (std::string fault = ValueFault(item, known, keys); !fault.empty()) return fault;
  }
  return "";
}

std::string NameFault(std::string_view name) {
  if (name.empty()) return "the name is empty";
  if (name.front() == ' ' || name.back() == ' ') return "there is a blank beside the name";
  const auto* const bytes = reinterpret_cast<const utf8proc_uint8_t*>(name.data());
  for (std::size_t i = 0; i < name.size();) {
    utf8proc_int32_t character = 0;
    const utf8proc_ssize_t size =
        utf8proc_iterate(bytes + i, static_cast<utf8proc_ssize_t>(name.size() - i), &character);
    if (size <= 0 || !IsVisible(character)) return "the name has a character that is not visible";
    i += static_cast<std::size_t>(size);
  }
  if (Mapped(name, UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT) != name)
    return "the name has another form in Unicode";
  return "";
}

bool LooksLikeCall(std::string_view method) {
  const std::string plain =
      Mapped(method, UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD);
  std::string letters;
  for (const char c : plain)
    if ((c >= 'a' && c <= 'z') || c == '/') letters += c;
  return letters == "tools/call";
}

namespace {

// The line without what makes the parser give up and is beside the point: numbers beyond the range
// of floats become 0.
std::string Softened(std::string_view line) {
  std::string out;
  bool in_string = false;
  for (std::size_t at = 0; at < line.size();) {
    const char c = line[at];
    if (in_string) {
      in_string = c != '"';
      if (c != '\\' || at + 1 == line.size()) {
        out += c;
        ++at;
        continue;
      }
      out += line.substr(at, 2);
      at += 2;
      continue;
    }
    in_string = c == '"';
    const std::size_t end =
        std::max(at + 1, std::min(line.find_first_not_of("0123456789+-.eE", at), line.size()));
    const std::string_view token = line.substr(at, end - at);
    out += token.find_first_of("eE") < token.size() && IsDigit(token.back()) ? "0" : token;
    at = end;
  }
  return out;
}

}  // namespace

ordered_json ReadCarelessly(std::string_view line) {
  const auto opens =
      std::count_if(line.begin(), line.end(), [](char c) { return c == '[' || c == '{'; });
  constexpr int kMost = 10'000;  // brackets, also of texts: this is for short messages
  if (opens > kMost) return ordered_json(ordered_json::value_t::discarded);
  ordered_json read = ordered_json::parse(line, nullptr, false);
  return read.is_discarded()
             ? ordered_json::parse(Softened(CleanJson(std::string(line))), nullptr, false)
             : read;
}

bool AsksForSecret(const ordered_json& elicitation) {
  static constexpr std::string_view kWords[] = {
      "password", "passwort",   "passphrase",  "passcode", "secret",      "api key",     "apikey",
      "token",    "credential", "private key", "pin code", "card number", "credit card", "cvv"};
  const auto has_word = [](const std::string& text) {
    std::string plain = FoldKey(text);
    std::replace_if(
        plain.begin(), plain.end(), [](char c) { return c == '_' || c == '-'; }, ' ');
    return std::any_of(std::begin(kWords), std::end(kWords),
                       [&](std::string_view word) { return plain.find(word) != plain.npos; });
  };
  if (TextAt(elicitation, "mode") == "url") return false;
  if (has_word(TextAt(elicitation, "message"))) return true;
  const ordered_json& fields = FieldAt(FieldAt(elicitation, "requestedSchema"), "properties");
  if (!fields.is_object()) return false;
  for (const auto& [name, field] : fields.items())
    if (has_word(name) || has_word(TextAt(field, "title")) ||
        has_word(TextAt(field, "description")))
      return true;
  return false;
}

}  // namespace rpl
