// SPDX-License-Identifier: Apache-2.0
#include "shell/lsp/semantic_tokens.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "grammar/sentences.h"

namespace rpl::lsp {
namespace {

// In the order of the legend.
enum class Colour : std::uint8_t {
  kComment,
  kString,
  kRegexp,
  kNumber,
  kEnumMember,
  kVariable,
  kParameter,
  kMethod,
  kEvent,
  kFunction,
  kKeyword,
  kMacro,
  kOperator,
};
constexpr const char* kColours[] = {"comment",  "string",    "regexp",  "number", "enumMember",
                                    "variable", "parameter", "method",  "event",  "function",
                                    "keyword",  "macro",     "operator"};
// Symbols that the language gives a meaning.
constexpr std::array<std::string_view, 4> kLiteralWords = {"false", "nil", "now", "true"};
constexpr unsigned kDeclaration = 1, kLibraryModifier = 2;

// No colour for brackets and commas.
std::optional<Colour> ColourOf(const Token& token, std::string_view text) {
  switch (token.kind) {
    case TokenKind::kComment: return Colour::kComment;
    case TokenKind::kString: return Colour::kString;
    case TokenKind::kRegex: return Colour::kRegexp;
    case TokenKind::kNumber: return Colour::kNumber;
    case TokenKind::kKeyword: return Colour::kEnumMember;
    case TokenKind::kSymbol:
      return std::ranges::binary_search(kLiteralWords, token.In(text)) ? Colour::kKeyword
                                                                       : Colour::kEnumMember;
    case TokenKind::kLvar: return Colour::kVariable;
    case TokenKind::kAvar: return Colour::kParameter;
    case TokenKind::kTool: return Colour::kMethod;
    case TokenKind::kGoal: return Colour::kEvent;
    case TokenKind::kRelation: return Colour::kFunction;
    case TokenKind::kWord: return Colour::kKeyword;
    case TokenKind::kActivation: return Colour::kMacro;
    case TokenKind::kOperator:
    case TokenKind::kCountOpen:
    case TokenKind::kCountClose:
    case TokenKind::kOther: return Colour::kOperator;
    case TokenKind::kComma:
    case TokenKind::kGroup:
    case TokenKind::kArguments:
    case TokenKind::kOpen:
    case TokenKind::kClose: break;
  }
  return std::nullopt;
}

// Numbers relative to the token before, as the protocol wants them.
class TokenWriter {
 public:
  TokenWriter(const Project& project, const TextFile& file) : project_(project), file_(file) {}

  void Add(std::uint32_t begin, std::uint32_t end, Colour colour, unsigned modifiers) {
    const TextLines& lines = file_.lines;
    const std::uint32_t last = lines.LineOf(end > begin ? end - 1 : end);
    for (std::uint32_t line = lines.LineOf(begin); line <= last; ++line)
      AddOnLine(std::max(begin, lines.Begin(line)), std::min(end, lines.End(line)), colour,
                modifiers);
  }

  Json Take() { return {{"data", std::move(data_)}}; }

 private:
  void AddOnLine(std::uint32_t begin, std::uint32_t end, Colour colour, unsigned modifiers) {
    if (begin >= end) return;
    const TextPosition from = file_.lines.PositionOf(begin, project_.client.encoding);
    const TextPosition to = file_.lines.PositionOf(end, project_.client.encoding);
    if (from == to) return;  // the protocol has no empty tokens
    const bool same = from.line == last_.line;
    data_.push_back(from.line - last_.line);
    data_.push_back(same ? from.character - last_.character : from.character);
    data_.push_back(to.character - from.character);
    data_.push_back(static_cast<unsigned>(colour));
    data_.push_back(modifiers);
    last_ = from;
  }

  const Project& project_;
  const TextFile& file_;
  TextPosition last_;
  Json data_ = Json::array();
};

}  // namespace

Json TokenLegend() {
  Json types = Json::array();
  for (const char* colour : kColours) types.push_back(colour);
  return {{"tokenTypes", std::move(types)},
          {"tokenModifiers", Json::array({"declaration", "defaultLibrary"})}};
}

Json SemanticTokensOf(const Project& project, const DocumentIndex& index, std::uint32_t begin,
                      std::uint32_t end) {
  std::vector<std::uint32_t> heads;  // in order
  for (const Occurrence& o : index.occurrences())
    if (o.role == Occurrence::Role::kHead) heads.push_back(o.whole.begin);
  std::ranges::sort(heads);
  TokenWriter out(project, index.file());
  const std::string& text = index.file().text;
  std::uint32_t at = 0;  // regions of text that is being typed may overlap
  for (const Span& region : index.layout().regions) {
    if (region.end < begin || region.begin > end) continue;
    for (const Token& token :
         TokensOf(text, std::clamp(at, region.begin, region.end), region.end)) {
      if (token.end < begin || token.begin > end) continue;
      if (text[token.begin] == '#' && token.kind == TokenKind::kOpen)
        out.Add(token.begin, token.begin + 1, Colour::kOperator, 0);
      const std::optional<Colour> colour = ColourOf(token, text);
      if (!colour) continue;
      unsigned modifiers = std::ranges::binary_search(heads, token.begin) ? kDeclaration : 0;
      if (token.In(text).starts_with("std#")) modifiers |= kLibraryModifier;
      out.Add(token.begin, token.end, *colour, modifiers);
    }
    at = std::max(at, region.end);
  }
  return out.Take();
}

}  // namespace rpl::lsp
