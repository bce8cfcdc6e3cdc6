// SPDX-License-Identifier: Apache-2.0
//
// `<!-- rpl-ignore RPL6001: reason -->` and `-- rpl-ignore RPL6001, RPL6002: reason`.
//
// Comments are found in the text, not in the blocks: one may end a line of prose, of a heading or
// of RPL. A comment alone on its line applies to the next line with text. One in a code span
// (after a backtick) is an example and is ignored; in a string or a regex the same characters are
// data. A line of a sentence stands for all lines of that sentence, so that a suppression holds
// however the sentence is laid out.
#include <algorithm>
#include <cctype>
#include <map>

#include "formats/character.h"
#include "formats/utf8.h"
#include "grammar/markdown.h"
#include "grammar/sentences.h"
#include "interp/lint/context.h"

namespace rpl::check {
namespace {

constexpr std::string_view kMark = "rpl-ignore";

/// The largest number of lines between a comment and the line it applies to.
constexpr std::size_t kMostLines = 16;

struct Suppression {
  Span span;         // of the comment
  std::string code;  // "RPL6001"
  bool has_reason;
  std::uint32_t line;  // of the findings it applies to
  std::uint32_t next;  // the second such line, or the same
  bool used = false;
};

std::uint32_t LineOf(const Sources& sources, std::uint32_t file, std::uint32_t offset) {
  const std::vector<std::uint32_t>& lines = sources.at(file).lines;
  return static_cast<std::uint32_t>(std::upper_bound(lines.begin(), lines.end(), offset) -
                                    lines.begin());
}

/// The sentences of a file with their lines and literals, those with errors included, except for
/// bare sentences with errors, which are prose.
class SentenceLines {
 public:
  SentenceLines(const Context& context, const Document& document) {
    const Sources& sources = context.sources;
    const std::string_view text = sources.at(document.file).text;
    std::vector<Span> sentences;
    const auto cut = [&](std::size_t begin, std::size_t end) {
      SentenceCutter cutter(text, document.file, static_cast<std::uint32_t>(begin),
                            static_cast<std::uint32_t>(end), Newlines::kEndSentences);
      while (const std::optional<Cut> sentence = cutter.Next())
        sentences.push_back({document.file, sentence->begin, sentence->end});
    };
    if (IsPlainRpl(sources.at(document.file).name)) {
      cut(MarkSize(text), text.size());
    } else {
      for (const Block& block : ReadBlocks(sources, document.file))
        if (IsRplFence(block)) cut(block.content.begin, block.content.end);
      for (const PlacedSentence& placed : document.sentences)
        if (!placed.fenced) sentences.push_back(placed.sentence.span);
      for (const Scope& scope : document.scopes)
        if (scope.signature) sentences.push_back(scope.signature->span);
      std::ranges::sort(sentences, {}, &Span::begin);
    }
    for (const Span& sentence : sentences) {
      for (const Token& token : TokensOf(text, sentence.begin, sentence.end))
        if (token.kind == TokenKind::kString || token.kind == TokenKind::kRegex)
          literals_.push_back({document.file, token.begin, token.end});
      lines_.emplace_back(LineOf(sources, document.file, sentence.begin),
                          LineOf(sources, document.file, std::max(sentence.end, 1u) - 1));
    }
  }

  /// The first line of the sentence that has the line; the line itself outside of sentences.
  std::uint32_t FirstOf(std::uint32_t line) const {
    auto at = std::ranges::lower_bound(lines_, line, {},
                                       &std::pair<std::uint32_t, std::uint32_t>::second);
    return at != lines_.end() && at->first < line ? at->first : line;
  }

  bool IsInLiteral(std::size_t offset) const {
    const auto after = std::ranges::upper_bound(literals_, offset, {}, &Span::begin);
    return after != literals_.begin() && offset < std::prev(after)->end;
  }

 private:
  // In document order and disjoint.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> lines_;  // first and last
  std::vector<Span> literals_;
};

class SuppressionReader {
 public:
  SuppressionReader(const Sources& sources, std::uint32_t file, const SentenceLines& sentences)
      : sources_(sources), file_(file), sentences_(sentences), text_(sources.at(file).text) {}

  std::vector<Suppression> Read() {
    for (std::size_t at = text_.find(kMark); at != std::string_view::npos;
         at = text_.find(kMark, at + 1))
      if (!sentences_.IsInLiteral(at)) ReadAt(at, at + kMark.size());
    return std::move(out_);
  }

 private:
  void ReadAt(std::size_t mark, std::size_t behind) {
    std::size_t open = mark;
    while (open > 0 && text_[open - 1] == ' ') --open;
    const bool html = open >= 4 && text_.substr(open - 4, 4) == "<!--";
    if (!html && (open < 2 || text_.substr(open - 2, 2) != "--")) return;
    open -= html ? 4 : 2;
    if (open > 0 && text_[open - 1] == '`') return;
    std::size_t line_end = std::min(text_.find('\n', behind), text_.size());
    if (text_[line_end - 1] == '\r') --line_end;
    std::size_t end = line_end;
    std::size_t stop = line_end;
    if (html) {
      const std::size_t close = text_.substr(0, line_end).find("-->", behind);
      if (close == std::string_view::npos) return;
      stop = close;
      end = close + 3;
    }
    const std::string_view inside = text_.substr(behind, stop - behind);
    const std::size_t colon = inside.find(':');
    const std::string_view codes = inside.substr(0, colon);
    const std::string_view reason = colon == std::string_view::npos ? "" : inside.substr(colon + 1);
    const bool has_reason = std::any_of(reason.begin(), reason.end(),
                                        [](unsigned char c) { return std::isspace(c) == 0; });
    const std::uint32_t line = LineOf(sources_, file_, Offset(open));
    const auto& lines = sources_.at(file_).lines;
    // Backwards, so that with many comments on a line each examines only the text before it.
    std::size_t before = open;
    const std::size_t line_begin = std::max<std::size_t>(lines[line - 1], MarkSize(text_));
    while (before > line_begin && Blank(before - 1, before)) --before;
    const bool alone = before <= line_begin && Blank(end, line_end);
    std::uint32_t next = line;
    const std::size_t limit = std::min<std::size_t>(lines.size(), line + kMostLines);
    for (std::uint32_t k = line; alone && k < limit; ++k) {
      const std::size_t stop_line = k + 1 < lines.size() ? lines[k + 1] - 1 : text_.size();
      const std::string_view candidate = text_.substr(lines[k], stop_line - lines[k]);
      if (Blank(lines[k], stop_line)) continue;
      next = k + 1;
      if (!IsStacked(candidate)) break;
    }
    for (std::size_t at = codes.find("RPL"); at != std::string_view::npos;
         at = codes.find("RPL", at + 1)) {
      std::size_t stop_code = at + 3;
      while (stop_code < codes.size() && codes[stop_code] >= '0' && codes[stop_code] <= '9')
        ++stop_code;
      out_.push_back({{file_, Offset(open), Offset(end)},
                      std::string(codes.substr(at, stop_code - at)),
                      has_reason,
                      line,
                      next});
    }
  }

  // Whether a line between a comment and what it applies to is such a comment as well.
  static bool IsStacked(std::string_view line) {
    const std::string_view comment = Trimmed(line);
    return (comment.starts_with("--") || comment.starts_with("<!--")) &&
           comment.find(kMark) != comment.npos;
  }

  bool Blank(std::size_t begin, std::size_t end) const {
    return begin >= end ||
           text_.substr(begin, end - begin).find_first_not_of(" \t\r") == std::string_view::npos;
  }

  static std::uint32_t Offset(std::size_t at) { return static_cast<std::uint32_t>(at); }

  const Sources& sources_;
  std::uint32_t file_;
  const SentenceLines& sentences_;
  std::string_view text_;
  std::vector<Suppression> out_;
};

/// The suppressions of a code at one place, in the order of their comments. `begin` is before the
/// first that is unused.
struct Candidates {
  std::vector<std::size_t> list;
  std::size_t begin = 0;

  std::optional<std::size_t> Unused(const std::vector<Suppression>& all) {
    while (begin < list.size() && all[list[begin]].used) ++begin;
    return begin < list.size() ? std::optional(list[begin]) : std::nullopt;
  }
};

}  // namespace

// Each finding takes a suppression of its own as long as there is one, on its line or else in its
// sentence; a layout that moves both within the sentence leaves as many unused.
void ApplySuppressions(Context& context) {
  std::vector<Suppression> all;
  std::map<std::uint32_t, SentenceLines> sentences;  // by file, of those with suppressions
  for (const Document& document : context.documents) {
    const std::uint32_t file = document.file;
    if (!context.checked_files.contains(file) || sentences.contains(file)) continue;
    if (context.sources.at(file).text.find(kMark) == std::string::npos) continue;
    const auto read = sentences.emplace(file, SentenceLines(context, document)).first;
    for (Suppression& s : SuppressionReader(context.sources, file, read->second).Read())
      all.push_back(std::move(s));
  }
  if (all.empty()) return;
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::string>;  // file, line, code
  std::map<Key, Candidates> by_line, by_sentence;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Suppression& s = all[i];
    const SentenceLines& in = sentences.at(s.span.file);
    const auto add = [&](std::map<Key, Candidates>& to, std::uint32_t first, std::uint32_t second) {
      to[{s.span.file, first, s.code}].list.push_back(i);
      if (second != first) to[{s.span.file, second, s.code}].list.push_back(i);
    };
    add(by_line, s.line, s.next);
    add(by_sentence, in.FirstOf(s.line), in.FirstOf(s.next));
  }
  std::erase_if(context.findings, [&](const Finding& f) {
    const Diagnostic& d = f.diagnostic;
    const auto in = sentences.find(d.span.file);
    if (in == sentences.end()) return false;
    const std::uint32_t line = LineOf(context.sources, d.span.file, d.span.begin);
    const auto found = by_sentence.find({d.span.file, in->second.FirstOf(line), CodeText(d.code)});
    if (found == by_sentence.end()) return false;
    std::optional<std::size_t> taken;
    if (const auto exact = by_line.find({d.span.file, line, CodeText(d.code)});
        exact != by_line.end())
      taken = exact->second.Unused(all);
    if (!taken) taken = found->second.Unused(all);
    if (taken) all[*taken].used = true;
    return true;
  });
  for (const Suppression& s : all) {
    if (!s.used)
      context.Add(Code::kUnusedSuppression, s.span, "there is no " + s.code + " here to ignore",
                  "remove this comment");
    else if (!s.has_reason)
      context.Add(Code::kSuppressionWithoutReason, s.span,
                  s.code + " is ignored here without a reason",
                  "write why, as in `rpl-ignore " + s.code + ": the name is from the API`");
  }
}

}  // namespace rpl::check
