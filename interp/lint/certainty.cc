// SPDX-License-Identifier: Apache-2.0
#include "interp/lint/certainty.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "formats/character.h"
#include "grammar/line_start.h"
#include "grammar/parser.h"
#include "grammar/sentences.h"
#include "interp/lint/context.h"

namespace rpl::check {
namespace {

/// Lines above an edit in which its sentence may begin, and bytes to either side that are read.
constexpr int kMostAbove = 20;
constexpr std::size_t kMostBytes = 4000;

struct MendedText {
  std::string text;
  std::size_t size = 0;  // with the last edit
};

/// `head`, and the text from `begin` to `end` with the edits.
MendedText Mended(std::string head, std::string_view text, std::size_t begin, std::size_t end,
                  const std::vector<Edit>& edits) {
  MendedText out{std::move(head)};
  for (const Edit& edit : edits) {
    out.text += text.substr(begin, edit.span.begin - begin);
    out.text += edit.text;
    begin = edit.span.end;
  }
  out.size = out.text.size();
  out.text += text.substr(begin, end - begin);
  return out;
}

/// True if a sentence begins the text, parses, and ends behind the edits; with `whole`, at the end
/// of the text.
bool Reads(MendedText mended, bool whole) {
  Sources sources;
  const std::uint32_t file = sources.Add("", std::move(mended.text));
  const std::string_view all = sources.at(file).text;
  const auto limit = static_cast<std::uint32_t>(all.size());
  const std::size_t end = whole ? limit : TrimmedEnd(all, 0, SentenceEnd(all, 0, limit));
  if (end < mended.size) return false;
  Diagnostics ignored;
  const Span span{file, 0, static_cast<std::uint32_t>(end)};
  const std::optional<Sentence> s =
      whole ? ParseSignature(sources, span, ignored) : ParseSentence(sources, span, ignored);
  return s && (!whole || !s->rule.heads.empty() || !s->rule.constraints.empty());
}

/// The end of the paragraph of `at`, as far as it is read.
std::size_t ParagraphEnd(std::string_view text, std::size_t at) {
  const std::size_t limit = std::min(text.size(), at + kMostBytes);
  std::size_t end = LineEnd(text, at);
  while (end < limit) {
    const std::size_t next = LineEnd(text, end + 1);
    if (SkipSpace(text, end + 1) >= next) break;
    end = next;
  }
  return std::min(end, limit);
}

bool HeadingReadsWith(std::string_view text, std::size_t line, const std::vector<Edit>& edits) {
  constexpr std::string_view kDelimiter = " - ";
  const std::size_t end = TrimmedEnd(text, line, LineEnd(text, line));
  if (end - line > kMostBytes) return false;
  const std::size_t first = edits.front().span.begin;
  const std::size_t title = SkipBlanks(text, text.find_first_not_of('#', line));
  if (title <= first && Reads(Mended("", text, title, end, edits), /*whole=*/true)) return true;
  for (std::size_t at = text.find(kDelimiter, line); at < first;
       at = text.find(kDelimiter, at + 1)) {
    const std::size_t begin = SkipBlanks(text, at + kDelimiter.size());
    if (begin > first || edits.back().span.end > end) return false;
    if (Reads(Mended("", text, begin, end, edits), /*whole=*/true)) return true;
  }
  return false;
}

}  // namespace

bool Certainty::IsInRpl(Span place) {
  if (IsPlainRpl(context_.sources.at(place.file).name)) return true;
  const Block* block = BlockAt(place);
  return block != nullptr && IsRplFence(*block) && block->content.begin <= place.begin &&
         place.begin <= block->content.end;
}

bool Certainty::Is(const Part& part) {
  const Span span = part.sentence->span;
  return IsInRpl(span) || HasNameMark(context_.sources.Text(span));
}

bool Certainty::HasSentence(std::uint32_t file) {
  if (!has_files_) {
    has_files_ = true;
    for (const Part& part : context_.parts)
      if (!files_.contains(part.document->file) && Is(part)) files_.insert(part.document->file);
  }
  return files_.contains(file);
}

bool Certainty::IsLineOfRpl(Span place) {
  const Sources::File& file = context_.sources.at(place.file);
  const std::uint32_t begin =
      file.lines[context_.sources.PlaceOf(place.file, place.begin).line - 1];
  const std::string_view line = std::string_view(file.text).substr(begin);
  return HasNameMark(line.substr(0, LineEnd(line, 0))) || HasSentence(place.file);
}

const std::vector<Block>& Certainty::BlocksOf(std::uint32_t file) {
  auto [at, is_new] = blocks_.try_emplace(file);
  if (is_new) at->second = ReadBlocks(context_.sources, file);
  return at->second;
}

const Block* Certainty::BlockAt(Span place) {
  const std::vector<Block>& blocks = BlocksOf(place.file);
  const auto after = std::ranges::upper_bound(blocks, place.begin, {},
                                              [](const Block& b) { return b.span.begin; });
  return after == blocks.begin() ? nullptr : &*std::prev(after);
}

bool ReadsWith(const Sources& sources, const std::vector<Edit>& edits) {
  const Span first = edits.front().span;
  const Sources::File& file = sources.at(first.file);
  const std::string_view text = file.text;
  const std::size_t number = sources.PlaceOf(first.file, first.begin).line - 1;
  const std::size_t own = SkipBlanks(text, file.lines[number]);
  if (StartsWithAt(text, own, "#")) return HeadingReadsWith(text, own, edits);
  const std::size_t end = ParagraphEnd(text, edits.back().span.end);
  for (int above = 0; above < kMostAbove; ++above) {
    if (number < static_cast<std::size_t>(above)) return false;
    const std::size_t line = file.lines[number - static_cast<std::size_t>(above)];
    const std::size_t begin = SkipBlanks(text, line);
    if (first.begin - line > kMostBytes || SkipSpace(text, begin) != begin) return false;
    if (begin <= first.begin && Reads(Mended("", text, begin, end, edits), /*whole=*/false))
      return true;
  }
  return false;
}

bool ContinuesWith(const Sources& sources, Span signature, const Edit& edit) {
  const std::string_view text = sources.at(edit.span.file).text;
  if (signature.end - signature.begin > kMostBytes) return false;
  std::string head = std::string(sources.Text(signature)) + " ";
  const std::size_t end = ParagraphEnd(text, edit.span.end);
  return Reads(Mended(std::move(head), text, edit.span.begin, end, {edit}), /*whole=*/false);
}

}  // namespace rpl::check
