// SPDX-License-Identifier: Apache-2.0
#include "shell/pages/html.h"

#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>
#include <array>

#include "formats/character.h"
#include "formats/terminal_text.h"
#include "shell/pages/pages.h"

namespace rpl {
namespace {

std::string EscapedHtml(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

// A line break after the `?` of a variable is hard to read; longer names may break.
constexpr std::size_t kUnbrokenName = 30;

bool IsNameCharacter(char c) { return IsLetter(c) || IsDigit(c) || c == '-'; }

std::size_t EndOfName(std::string_view text, std::size_t at) {
  while (at < text.size() && IsNameCharacter(text[at])) ++at;
  while (at > 0 && text[at - 1] == '-') --at;  // `?x-` ends before an arrow or a minus
  return at;
}

/// A token: its end, and its class; '\0' for text without a colour.
struct Token {
  std::size_t end;
  char kind;
};

bool IsWord(std::string_view name) {
  constexpr std::array<std::string_view, 10> kWords = {
      "not", "true", "false", "nil", "now", "before", "after", "within", "between", "in"};
  return std::find(kWords.begin(), kWords.end(), name) != kWords.end();
}

std::size_t EndOfString(std::string_view text, std::size_t at) {
  const char quote = text[at++];
  for (; at < text.size(); ++at) {
    if (text[at] == '\\') ++at;
    else if (text[at] == quote) return at + 1;
  }
  return text.size();
}

// A name after a mark: `?x`, `$tool`, `%goal`, `:key`, `@for`.
Token Marked(std::string_view text, std::size_t at) {
  const std::size_t end = std::max(EndOfName(text, at + 1), at + 1);
  const bool bare = end == at + 1;
  switch (text[at]) {
    case '?': return {end, bare ? '\0' : 'v'};
    case '$': return {end, bare ? '\0' : 'a'};
    case '%': return {end, 'g'};
    default: return {end, bare ? '\0' : 'k'};
  }
}

Token TokenAt(std::string_view text, std::size_t at) {
  const char c = text[at];
  if (c == '"' || c == '\'') return {EndOfString(text, at), 's'};
  if (std::string_view("?$%:@").find(c) != std::string_view::npos) return Marked(text, at);
  if (IsDigit(c)) {
    std::size_t end = at;
    while (end < text.size() && (IsDigit(text[end]) || text[end] == '.')) ++end;
    while (text[end - 1] == '.') --end;
    return {end, 'n'};
  }
  if (IsLetter(c)) {
    const std::size_t end = std::max(EndOfName(text, at), at + 1);
    return {end, IsWord(text.substr(at, end - at)) ? 'k' : '\0'};
  }
  if (text.substr(at).starts_with("-- ") &&
      (at == 0 || text[at - 1] == ' ' || text[at - 1] == '\n'))
    return {std::min(text.find('\n', at), text.size()), 'c'};
  constexpr std::string_view kOperators = "<>-=!^~|&;+*/";
  std::size_t end = at;
  while (end < text.size() && kOperators.find(text[end]) != std::string_view::npos) ++end;
  if (end > at) return {end, 'o'};
  end = at + 1;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
  return {end, '\0'};
}

std::string Coloured(std::string_view shown) {
  std::string out;
  std::size_t plain = 0;  // the begin of the text before `at` that has no colour
  for (std::size_t at = 0; at < shown.size();) {
    const Token token = TokenAt(shown, at);
    if (token.kind != '\0') {
      out += EscapedHtml(shown.substr(plain, at - plain));
      const std::string inside = EscapedHtml(shown.substr(at, token.end - at));
      if (token.kind == 'v' && token.end - at <= kUnbrokenName) out += "<var>" + inside + "</var>";
      else out += fmt::format("<span class=\"{}\">{}</span>", token.kind, inside);
      plain = token.end;
    }
    at = token.end;
  }
  return out + EscapedHtml(shown.substr(plain));
}

// The form in which a content security policy allows an inline text.
std::string PolicyHash(std::string_view text) {
  std::array<unsigned char, crypto_hash_sha256_BYTES> hash;
  crypto_hash_sha256(hash.data(), reinterpret_cast<const unsigned char*>(text.data()), text.size());
  std::array<char,
             sodium_base64_ENCODED_LEN(crypto_hash_sha256_BYTES, sodium_base64_VARIANT_ORIGINAL)>
      base64;
  sodium_bin2base64(base64.data(), base64.size(), hash.data(), hash.size(),
                    sodium_base64_VARIANT_ORIGINAL);
  return fmt::format("'sha256-{}'", base64.data());
}

// --- Prose -------------------------------------------------------------------------------

// The marks of Markdown that a page shows by type. Emphasis with one mark is left as written.
std::string ShownMarkdown(std::string_view text) {
  std::string out;
  std::size_t from = 0;
  const auto take = [&](std::size_t begin, std::size_t end, std::string_view tag, std::size_t next,
                        std::size_t inside) {
    out += ShownLines(text.substr(from, begin - from));
    const std::string shown = ShownLines(text.substr(inside, end - inside));
    out += tag.empty() ? shown : fmt::format("<{}>{}</{}>", tag, shown, tag);
    from = next;
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '`') {
      const std::size_t end = text.find('`', at + 1);
      if (end == text.npos || end == at + 1) continue;
      take(at, end, "code", end + 1, at + 1);
    } else if (text.substr(at).starts_with("**")) {
      const std::size_t end = text.find("**", at + 2);
      if (end == text.npos || end == at + 2) continue;
      take(at, end, "strong", end + 2, at + 2);
    } else if (text[at] == '[') {
      const std::size_t end = text.find("](", at);
      const std::size_t close = end == text.npos ? end : text.find(')', end);
      if (close == text.npos || text.substr(at, end - at).find('\n') != text.npos) continue;
      take(at, end, "", close + 1, at + 1);
    } else {
      continue;
    }
    at = from - 1;
  }
  return out + ShownLines(text.substr(from));
}

}  // namespace

std::string Shown(std::string_view text) { return EscapedHtml(PrintableLine(text)); }

std::string ShownLines(std::string_view text) { return EscapedHtml(Printable(text)); }

std::string PlainCode(std::string_view text) {
  const std::string shown = Shown(text);
  std::string out;
  std::size_t from = 0;
  for (std::size_t at = shown.find('?'); at != shown.npos; at = shown.find('?', at + 1)) {
    const std::size_t end = std::max(EndOfName(shown, at + 1), at + 1);
    if (end == at + 1 || end - at > kUnbrokenName) continue;
    out += shown.substr(from, at - from) + "<var>" + shown.substr(at, end - at) + "</var>";
    from = end;
  }
  return out + shown.substr(from);
}

std::string InCode(std::string_view text) {
  return "<code>" + Coloured(PrintableLine(text)) + "</code>";
}

std::string ColouredRpl(std::string_view text) { return Coloured(Printable(text)); }

std::string ShownProse(std::string_view text, const TextRanges& marked, std::string_view mark) {
  std::string out;
  std::size_t from = 0;
  for (const auto& [begin, end] : marked) {
    out += ShownMarkdown(text.substr(from, begin - from));
    out += fmt::format("<b class=\"{}\">{}</b>", mark, ShownLines(text.substr(begin, end - begin)));
    from = end;
  }
  return out + ShownMarkdown(text.substr(from));
}

std::string Flowing(std::string text) {
  for (std::size_t at = 1; at + 1 < text.size(); ++at) {
    if (text[at] != '\n' || text[at - 1] == '\n' || text[at + 1] == '\n') continue;
    const std::size_t next = text.find_first_not_of(' ', at + 1);
    if (next != text.npos && !IsDigit(text[next]) &&
        std::string_view("-*+>|#").find(text[next]) == std::string_view::npos)
      text[at] = ' ';
  }
  return text;
}

std::string Many(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string Duration(std::int64_t ms) {
  const std::int64_t s = ms / 1000;
  if (ms < 1000) return fmt::format("{} ms", ms);
  if (s < 60)
    return ms % 1000 < 100 ? fmt::format("{} s", s) : fmt::format("{}.{} s", s, ms % 1000 / 100);
  if (s < 3600) return fmt::format("{} min {} s", s / 60, s % 60);
  return fmt::format("{} h {} min", s / 3600, s % 3600 / 60);
}

std::string PageBegin(std::string_view title, std::string_view style, std::string_view script) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src {}; script-src {}; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n",
      PolicyHash(style), PolicyHash(script), Shown(title), style);
}

std::string PageEnd(std::string_view script) {
  return fmt::format("<script>{}</script>\n</body>\n</html>\n", script);
}

bool MakesPages() { return true; }

}  // namespace rpl
