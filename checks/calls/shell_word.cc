// SPDX-License-Identifier: Apache-2.0
//
// A word becomes a list of units, each a character with or without quotes or something unknown.
// Braces are expanded over units; then tildes and patterns are found, which need the characters
// without quotes.
#include "checks/calls/shell_word.h"

#include <cstdint>
#include <optional>

#include "formats/character.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

enum class UnitKind : std::uint8_t { kPlain, kQuoted, kUnknown, kUnknownWords, kHome, kFolder };
struct Unit {
  UnitKind kind;
  char c = '\0';
  const ordered_json* source = nullptr;  // of what a variable or a substitution gives
  bool Is(char plain) const { return kind == UnitKind::kPlain && c == plain; }
};
using Units = std::vector<Unit>;

// Braces in one word; more make it unknown.
constexpr std::size_t kMaxBraceWords = 64;
constexpr int kMaxBraceDepth = 8;

const std::string& TextAt(const ordered_json& node, const char* key) {
  static const std::string none;
  const auto found = node.find(key);
  return found != node.end() && found->is_string() ? found->get_ref<const std::string&>() : none;
}

bool IsMarked(const ordered_json& node, const char* key) {
  const auto found = node.find(key);
  return found != node.end() && found->is_boolean() && found->get<bool>();
}

void AppendQuoted(std::string_view text, Units& to) {
  for (const char c : text) to.push_back({UnitKind::kQuoted, c});
}

void AppendLiteral(std::string_view text, bool in_quotes, Units& to) {
  const UnitKind plain = in_quotes ? UnitKind::kQuoted : UnitKind::kPlain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escapes =
        text[i] == '\\' && i + 1 < text.size() &&
        (!in_quotes || std::string_view("$`\"\\\n").find(text[i + 1]) != std::string_view::npos);
    if (!escapes) {
      to.push_back({plain, text[i]});
      continue;
    }
    ++i;
    if (text[i] != '\n') to.push_back({UnitKind::kQuoted, text[i]});
  }
}

// `$HOME` and `$PWD`, also in braces; nothing may be done to them.
UnitKind KindOfParameter(const ordered_json& node) {
  for (const char* key : {"Excl", "Length", "Width", "Index", "Slice", "Repl", "Names", "Exp"})
    if (node.contains(key)) return UnitKind::kUnknown;
  const auto name = node.find("Param");
  if (name == node.end() || !name->is_object()) return UnitKind::kUnknown;
  if (TextAt(*name, "Value") == "HOME") return UnitKind::kHome;
  if (TextAt(*name, "Value") == "PWD") return UnitKind::kFolder;
  return UnitKind::kUnknown;
}

// Whether a substitution runs `mktemp`, without a place of its own.
bool MakesTemporary(const ordered_json& node) {
  try {
    const ordered_json& words = node.at("Stmts").at(0).at("Cmd").at("Args");
    if (node.at("Stmts").size() != 1) return false;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const ordered_json& part = words[i].at("Parts").at(0);
      const std::string& text = TextAt(part, "Value");
      if (TextAt(part, "Type") != "Lit" || (i == 0 ? text != "mktemp" : text != "-d")) return false;
    }
    return !words.empty();
  } catch (const ordered_json::exception&) {
    return false;
  }
}

// Whether the parameter is several words even in quotes: `$@`, `${a[@]}`, `${!a@}`.
bool IsList(const ordered_json& node) {
  const auto name = node.find("Param");
  const bool is_name = name != node.end() && name->is_object() && TextAt(*name, "Value") != "@";
  return !is_name || node.contains("Index") || node.contains("Names") || node.contains("Excl");
}

void AppendPart(const ordered_json& part, bool in_quotes, Units& to) {
  const std::string& type = TextAt(part, "Type");
  if (type == "Lit") return AppendLiteral(TextAt(part, "Value"), in_quotes, to);
  if (type == "SglQuoted") {
    const std::string& text = TextAt(part, "Value");
    return AppendQuoted(IsMarked(part, "Dollar") ? DecodeAnsiQuoted(text) : text, to);
  }
  if (type == "ParamExp") {
    const UnitKind kind = KindOfParameter(part);
    const bool is_one = in_quotes && !IsList(part);
    const bool is_many = kind == UnitKind::kUnknown && !is_one;
    return to.push_back({is_many ? UnitKind::kUnknownWords : kind, '\0', &part});
  }
  if (type == "DblQuoted" && !in_quotes) {
    const auto parts = part.find("Parts");
    if (parts == part.end()) return;
    for (const ordered_json& inner : *parts) AppendPart(inner, true, to);
    return;
  }
  const bool is_temporary = type == "CmdSubst" && MakesTemporary(part);
  if (is_temporary) AppendQuoted("/tmp/", to);
  to.push_back({in_quotes || type == "ProcSubst" ? UnitKind::kUnknown : UnitKind::kUnknownWords,
                '\0', type == "CmdSubst" && !is_temporary ? &part : nullptr});
}

Units UnitsOf(const ordered_json& word) {
  Units units;
  if (!word.is_object()) return {{UnitKind::kUnknown}};
  const auto parts = word.find("Parts");
  if (parts == word.end() || !parts->is_array()) return units;
  for (const ordered_json& part : *parts) AppendPart(part, false, units);
  return units;
}

// The text of a sequence of letters or numbers, `{1..9}`, is unknown: a brace with `..` in it.
bool HasRange(const Units& units, std::size_t from, std::size_t to) {
  for (std::size_t i = from; i + 1 < to; ++i)
    if (units[i].Is('.') && units[i + 1].Is('.')) return true;
  return false;
}

struct Brace {
  std::size_t begin, end;           // of `{` and `}`
  std::vector<std::size_t> commas;  // at its own level
};

// The first brace that is expanded, or that has a range.
std::optional<Brace> FindBrace(const Units& units) {
  std::vector<Brace> open;
  std::optional<Brace> found;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (units[i].Is('{')) open.push_back({i, i, {}});
    else if (units[i].Is(',') && !open.empty()) open.back().commas.push_back(i);
    else if (units[i].Is('}') && !open.empty()) {
      Brace brace = std::move(open.back());
      open.pop_back();
      brace.end = i;
      const bool expands = !brace.commas.empty() || HasRange(units, brace.begin, i);
      if (expands && (!found || brace.begin < found->begin)) found = std::move(brace);
    }
  }
  return found;
}

// False if there are too many; then `out` is of no use.
bool ExpandBraces(const Units& units, int depth, std::vector<Units>& out) {
  const std::optional<Brace> brace = FindBrace(units);
  if (!brace) {
    out.push_back(units);
    return out.size() <= kMaxBraceWords;
  }
  if (depth >= kMaxBraceDepth || brace->commas.empty()) return false;
  std::vector<std::size_t> cuts = brace->commas;
  cuts.push_back(brace->end);
  std::size_t from = brace->begin + 1;
  for (const std::size_t cut : cuts) {
    Units one(units.begin(), units.begin() + static_cast<std::ptrdiff_t>(brace->begin));
    one.insert(one.end(), units.begin() + static_cast<std::ptrdiff_t>(from),
               units.begin() + static_cast<std::ptrdiff_t>(cut));
    one.insert(one.end(), units.begin() + static_cast<std::ptrdiff_t>(brace->end) + 1, units.end());
    if (!ExpandBraces(one, depth + 1, out)) return false;
    from = cut + 1;
  }
  return true;
}

bool BeginsPattern(const Units& units, std::size_t at) {
  if (units[at].Is('*') || units[at].Is('?')) return true;
  if (!units[at].Is('[')) return false;
  for (std::size_t i = at + 1; i < units.size(); ++i)
    if (units[i].Is(']')) return true;
  return false;
}

// Whether the pattern from `at` on matches names in one folder only, and no `..`.
bool StaysInFolder(const Units& units, std::size_t at) {
  if (at == 0 || units[at - 1].c == '/') {
    // A leading pattern does not match a leading dot, unless it says so.
    for (std::size_t i = at; i < units.size(); ++i)
      if (units[i].Is('[')) return false;
  } else if (units[at - 1].c == '.' &&
             (at == 1 || units[at - 2].c == '/' || units[at - 2].c == '.')) {
    return false;
  }
  for (std::size_t i = at; i < units.size(); ++i)
    if (units[i].c == '/' || units[i].kind > UnitKind::kQuoted) return false;
  return true;
}

bool HasWords(const Units& units, std::size_t from) {
  for (std::size_t i = from; i < units.size(); ++i)
    if (units[i].kind == UnitKind::kUnknownWords) return true;
  return false;
}

// What follows the literal start of a word, from the first unit that is not known.
void AddComputed(const Units& units, std::size_t at, ShellWord& word) {
  if (units[at].source == nullptr) return;
  word.is_computed = true;
  const auto name = units[at].source->find("Param");
  bool is_plain = name != units[at].source->end() && name->is_object();
  for (const char* key : {"Excl", "Length", "Width", "Index", "Slice", "Repl", "Names", "Exp"})
    is_plain = is_plain && !units[at].source->contains(key);
  if (is_plain) word.variable = TextAt(*name, "Value");
  for (++at; at < units.size() && units[at].kind <= UnitKind::kQuoted && !BeginsPattern(units, at);
       ++at)
    word.behind += units[at].c;
  word.ends_behind = at == units.size();
}

// For glob and fnmatch; "" if something in it is not known.
std::string PatternFrom(const Units& units, std::size_t at) {
  std::string out;
  for (; at < units.size(); ++at) {
    if (units[at].kind > UnitKind::kQuoted) return "";
    if (units[at].kind == UnitKind::kQuoted) out += '\\';
    out += units[at].c;
  }
  return out;
}

ShellWord Assemble(const Units& units) {
  ShellWord word;
  std::size_t i = 0;
  if (!units.empty() && units[0].Is('~')) {
    if (units.size() > 1 && units[1].c != '/') return UnknownWord();
    word.start = WordStart::kHome;
    i = 1;
  } else if (!units.empty() && units[0].kind == UnitKind::kHome) {
    word.start = WordStart::kHome;
    i = 1;
  } else if (!units.empty() && units[0].kind == UnitKind::kFolder) {
    word.start = WordStart::kFolder;
    i = 1;
  } else if (units.size() > 1 && units[0].Is('=') && IsNameChar(units[1].c)) {
    return UnknownWord();
  }
  for (; i < units.size(); ++i) {
    if (units[i].kind > UnitKind::kQuoted) {
      word.complete = false;
      word.splits = HasWords(units, i);
      AddComputed(units, i, word);
      return word;
    }
    if (BeginsPattern(units, i)) {
      word.complete = false;
      word.is_pattern = StaysInFolder(units, i);
      word.pattern = PatternFrom(units, i);
      word.splits = HasWords(units, i);
      return word;
    }
    word.text += units[i].c;
  }
  return word;
}

void AppendUtf8(std::uint32_t code, std::string& to) {
  const auto byte = [&](std::uint32_t value) { to += static_cast<char>(value); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xC0 | code >> 6);
  } else {
    if (code < 0x10000) {
      byte(0xE0 | code >> 12);
    } else {
      byte(0xF0 | (code >> 18 & 7));
      byte(0x80 | (code >> 12 & 0x3F));
    }
    byte(0x80 | (code >> 6 & 0x3F));
  }
  byte(0x80 | (code & 0x3F));
}

// Digits of a base from `at` on, at most `most`.
std::optional<std::uint32_t> ReadNumber(std::string_view text, std::size_t& at, int base,
                                        int most) {
  std::uint32_t value = 0;
  int count = 0;
  for (; count < most && at < text.size(); ++count, ++at) {
    const char c = text[at];
    const int digit = IsDigit(c)               ? c - '0'
                      : (c >= 'a' && c <= 'f') ? c - 'a' + 10
                      : (c >= 'A' && c <= 'F') ? c - 'A' + 10
                                               : 99;
    if (digit >= base) break;
    value = value * static_cast<std::uint32_t>(base) + static_cast<std::uint32_t>(digit);
  }
  if (count == 0) return std::nullopt;
  return value;
}

}  // namespace

std::string DecodeAnsiQuoted(std::string_view text) {
  constexpr std::string_view kNames = "abeEfnrtv\\'\"?";
  constexpr std::string_view kValues = "\a\b\x1b\x1b\f\n\r\t\v\\'\"?";
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i++];
      continue;
    }
    const char c = text[i + 1];
    std::size_t at = i + 2;
    std::optional<std::uint32_t> code;
    bool is_byte = true;
    if (const std::size_t name = kNames.find(c); name != kNames.npos) {
      out += kValues[name];
      i = at;
      continue;
    }
    if (c >= '0' && c <= '7') {
      at = i + 1;
      code = ReadNumber(text, at, 8, 3);
      if (code) *code &= 0xFF;
    } else if (c == 'x' && at < text.size() && text[at] == '{') {
      code = ReadNumber(text, ++at, 16, 8);
      if (code) *code &= 0xFF;
      if (at < text.size() && text[at] == '}') ++at;
    } else if (c == 'x') {
      code = ReadNumber(text, at, 16, 2);
    } else if (c == 'u' || c == 'U') {
      code = ReadNumber(text, at, 16, c == 'u' ? 4 : 8);
      is_byte = false;
    } else if (c == 'c' && at < text.size()) {
      code = static_cast<unsigned char>(text[at]) & 0x1F;
      ++at;
    }
    if (!code) {
      out += '\\';
      ++i;
      continue;
    }
    if (*code == 0) return out;
    if (is_byte) out += static_cast<char>(*code);
    else AppendUtf8(*code, out);
    i = at;
  }
  return out;
}

std::vector<ShellWord> WordsOf(const ordered_json& word) {
  const Units units = UnitsOf(word);
  std::vector<Units> expanded;
  if (!ExpandBraces(units, 0, expanded)) {
    Units start(units.begin(),
                units.begin() + static_cast<std::ptrdiff_t>(FindBrace(units)->begin));
    start.push_back({UnitKind::kUnknownWords});
    return {Assemble(start)};
  }
  std::vector<ShellWord> words;
  for (const Units& one : expanded) {
    // `{,a}`: an empty word without quotes is none.
    const bool may_be_none = one.empty() && expanded.size() > 1;
    words.push_back(may_be_none ? UnknownWord() : Assemble(one));
  }
  return words;
}

ShellWord WordOf(const ordered_json& word) { return Assemble(UnitsOf(word)); }

}  // namespace rpl
