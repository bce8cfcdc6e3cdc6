// SPDX-License-Identifier: Apache-2.0
#include "shell/pages/html.h"

#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>
#include <array>
#include <vector>

#include "formats/character.h"
#include "formats/terminal_text.h"
#include "grammar/sentences.h"
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

/// The class of a token; '\0' for one without a colour.
char ClassOf(const Token& token, std::string_view text) {
  constexpr std::array<std::string_view, 4> kLiterals = {"true", "false", "nil", "now"};
  switch (token.kind) {
    case TokenKind::kComment: return 'c';
    case TokenKind::kString:
    case TokenKind::kRegex: return 's';
    case TokenKind::kNumber: return 'n';
    case TokenKind::kLvar: return token.In(text) == "_" ? '\0' : 'v';
    case TokenKind::kAvar:
    case TokenKind::kTool: return 'a';
    case TokenKind::kGoal: return 'g';
    case TokenKind::kKeyword:
    case TokenKind::kActivation:
    case TokenKind::kWord: return 'k';
    case TokenKind::kSymbol:
      return std::ranges::find(kLiterals, token.In(text)) != kLiterals.end() ? 'k' : '\0';
    case TokenKind::kCountOpen:
    case TokenKind::kCountClose: return 'o';
    case TokenKind::kOperator:
      return std::string_view("<>-=!^~|&;+*/").find(text[token.begin]) != kNowhere ? 'o' : '\0';
    default: return '\0';
  }
}

std::string Coloured(std::string_view shown) {
  std::string out;
  std::size_t plain = 0;  // the begin of the text before a token that has no colour
  const std::vector<Token> tokens = TokensOf(shown, 0, static_cast<std::uint32_t>(shown.size()));
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::size_t begin = tokens[i].begin;
    const char kind = ClassOf(tokens[i], shown);
    if (kind == '\0') continue;
    // Operators that touch are shown as one.
    while (kind == 'o' && i + 1 < tokens.size() && tokens[i + 1].begin == tokens[i].end &&
           ClassOf(tokens[i + 1], shown) == 'o')
      ++i;
    const std::size_t end = tokens[i].end;
    out += EscapedHtml(shown.substr(plain, begin - plain));
    const std::string inside = EscapedHtml(shown.substr(begin, end - begin));
    if (kind == 'v' && end - begin <= kUnbrokenName) out += "<var>" + inside + "</var>";
    else out += fmt::format("<span class=\"{}\">{}</span>", kind, inside);
    plain = end;
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
    std::size_t end = NameEnd(shown, static_cast<std::uint32_t>(at) + 1);
    while (end > at + 1 && shown[end - 1] == '-') --end;  // `->` is escaped here
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
