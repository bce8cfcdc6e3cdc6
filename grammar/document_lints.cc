// SPDX-License-Identifier: Apache-2.0
#include "grammar/document_lints.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/character.h"
#include "formats/look_alike.h"
#include "grammar/line_start.h"
#include "grammar/parser.h"
#include "grammar/sentences.h"
#include "grammar/signature_text.h"

namespace rpl {
namespace {

// Adds the finding `what` about the character at `at`, which looks like one of RPL.
void AddLookAlike(const DocumentText& file, std::size_t at, const std::string& what,
                  Diagnostics& out) {
  const LookAlike found = *LookAlikeAt(file.text(), at);
  out.Add(Code::kLooksLikeRpl, file.SpanOf(at, at + found.size),
          what + ": " + found.Shown() + " stands here", found.Hint());
}

bool IsWord(Operator op) {
  switch (op) {
    case Operator::kUnion:
    case Operator::kIntersect:
    case Operator::kDifference:
    case Operator::kIn:
    case Operator::kNotIn:
    case Operator::kBefore:
    case Operator::kAfter: return true;
    default: return false;
  }
}

}  // namespace

// --- headings -----------------------------------------------------------------------------

void HeadingLints::Underlined(const Block& heading) { underlined_ = IsUnderlined(heading); }

bool HeadingLints::IsUnderlined(const Block& heading) {
  const std::size_t end = heading.content.end;
  const std::size_t below = SkipSpace(file_.text(), LineEnd(file_.text(), end));
  if (below >= heading.span.end) return false;  // no underline
  const std::string_view lines =
      file_.text().substr(heading.content.begin, end - heading.content.begin);
  const std::size_t newline = lines.rfind('\n');
  const std::size_t line = heading.content.begin + (newline == kNowhere ? 0 : newline + 1);
  const std::size_t first = SkipBlanks(file_.text(), line);
  std::size_t stop = end;
  if (!file_.IsBareSentence(first, end, stop)) return false;
  if (newline == kNowhere && !file_.IsGround(file_.SpanOf(first, stop))) return false;
  out_.Add(Code::kUnderlinedRpl,
           file_.SpanOf(below, TrimmedEnd(file_.text(), below, LineEnd(file_.text(), below))),
           "this line makes `" + file_.FirstLineOf(first, stop) + "` a heading",
           "leave a blank line before it");
  return true;
}

void HeadingLints::Plain(Span heading) {
  if (!underlined_ && !LookAlike(heading)) Delimiter(heading);
}

bool HeadingLints::LookAlike(Span heading) {
  const std::string_view line = file_.sources().Text(heading);
  Respelt plain = WithoutLookAlikes(line);
  if (plain.places.empty()) return false;
  const std::size_t first = plain.places.front();
  const bool delimits =
      first > 0 && IsBlank(line[first - 1]) && LookAlikeAt(line, first)->write == '-';
  if (delimits) return false;  // perhaps the delimiter
  const bool titleless = StartOf(plain.text, 0, {}) == Start::kCall && HasNameMark(plain.text);
  Sources sources;
  const std::uint32_t file = sources.Add("", std::move(plain.text));
  const Span span{file, 0, static_cast<std::uint32_t>(sources.at(file).text.size())};
  if (!HasSignature(sources, span) && !(titleless && IsSignature(sources, span))) return false;
  AddLookAlike(file_, heading.begin + first,
               "this heading reads like a signature and is taken as a title", out_);
  return true;
}

void HeadingLints::Delimiter(Span heading) {
  const std::string_view line = file_.text().substr(heading.begin, heading.end - heading.begin);
  const bool variables = line.find("(?") != kNowhere || line.find("($") != kNowhere ||
                         line.find(" ?") != kNowhere || line.find(" $") != kNowhere;
  if (!variables && line.find(" <- ") == kNowhere) return;
  int tries = 0;
  bool word_ended = false;  // the first word is left to ReadTitlelessSignature
  for (std::size_t at = 0; at < line.size() && tries < kMaxSignatureTries; ++at) {
    // Not inside a label or run of parentheses, so that each is scanned once.
    const bool begins = word_ended && !IsBlank(line[at]) && line[at] != '(' &&
                        !IsNameChar(line[at - 1]) && line[at - 1] != '.' && line[at - 1] != '#';
    word_ended = word_ended || IsBlank(line[at]) || line[at] == ':' || line[at] == '-' ||
                 static_cast<unsigned char>(line[at]) >= 0x80;
    if (!begins || StartOf(line, at, {}) != Start::kCall) continue;
    ++tries;
    Diagnostics ignored;
    const Span span = file_.SpanOf(heading.begin + at, heading.end);
    const std::optional<Sentence> signature = ParseSignature(file_.sources(), span, ignored);
    if (!signature || !Defines(*signature)) continue;
    std::vector<std::string> names;
    for (const Node& head : signature->rule.heads) CollectVariables(head, names);
    for (const Node& tail : signature->rule.tail) CollectVariables(tail, names);
    if (names.empty() && signature->rule.tail.empty()) continue;
    return out_.Add(Code::kLooksLikeRpl, span,
                    "this heading ends like a signature and is taken as a title",
                    "write ` - ` between the title and the signature");
  }
}

void HeadingLints::Title(const Diagnostic& failed) {
  out_.Add(Code::kLooksLikeRpl, failed.span,
           "this heading reads like a signature and is taken as a title: " + failed.message,
           failed.hint);
}

void HeadingLints::Unmarked(Span heading) {
  Diagnostics found;
  const std::optional<Sentence> s = ParseSignature(file_.sources(), heading, found);
  if (underlined_ || !s || !Defines(*s) || found.size() > 0) return;
  out_.Add(Code::kLooksLikeRpl, heading,
           "this heading reads like a signature and is taken as a title",
           "write `# Title - ` before it if it is one");
}

void HeadingLints::Titleless(Span heading) {
  if (underlined_) return;
  out_.Add(Code::kHeadingWithoutTitle, heading, "this heading is a signature without a title",
           "write `# Title - ` before it");
}

// --- prose and other blocks ---------------------------------------------------------------

void ProseLints::Inside(const Block& block) {
  const std::string where = block.kind == BlockKind::kList ? "a list item" : "a quote";
  for (const Block& inside : block.inside) {
    if (IsRplFence(inside))
      out_.Add(Code::kSwallowedLines, file_.WithoutBlanks(inside.span),
               "this fence stands in " + where + " and is not read as RPL",
               "write it outside of it, from the start of a line");
    if (inside.kind == BlockKind::kHeading && HasSignature(file_.sources(), inside.content))
      out_.Add(Code::kSwallowedLines, file_.WithoutBlanks(inside.span),
               "this heading stands in " + where + " and defines nothing",
               "write it outside of it, from the start of a line");
  }
}

std::string_view ProseLints::TakenAs(const Block& block) const {
  switch (block.kind) {
    case BlockKind::kList: return "text of the list item above it";
    case BlockKind::kTable: return "a row of the table above it";
    case BlockKind::kQuote: return "text of the quote above it";
    case BlockKind::kCode: return "indented code";
    default: break;
  }
  const std::string_view html =
      file_.text().substr(block.span.begin, block.span.end - block.span.begin);
  const std::size_t name = html.find('<') + 1;
  if (name < html.size() && (html[name] == '!' || html[name] == '?')) return "";
  for (const std::string_view tag : {"pre", "script", "style", "textarea"})
    if (StartsWithAt(html, name, tag)) return "";
  return "HTML";
}

void ProseLints::Swallowed(const Block& block) {
  const std::string_view taken = TakenAs(block);
  if (taken.empty()) return;
  const bool list = block.kind == BlockKind::kList;
  const bool table = block.kind == BlockKind::kTable;
  const bool code = block.kind == BlockKind::kCode;
  const std::string_view text = file_.text().substr(0, block.span.end);
  std::size_t budget = kRetryFactor * (block.span.end - block.span.begin);
  std::size_t line = code ? block.span.begin : LineEnd(text, block.span.begin) + 1;
  const bool barred =
      StartsWithAt(text, SkipBlanks(text, block.span.begin), "|");  // each row begins with `|`
  for (; line < text.size(); line = LineEnd(text, line) + 1) {
    const std::size_t first = SkipBlanks(text, line);
    const std::size_t line_end = LineEnd(text, first);
    if (first == line_end) continue;
    // An item's own lines are indented by two columns or more.
    if (!code && (first - line >= (list ? 2 : 4) || text[line] == '\t')) continue;
    const std::string_view row = text.substr(first, line_end - first);
    if (table && !barred && row.find('|') != kNowhere) continue;
    std::size_t stop = line_end;
    // Below a sentence `<` would go on with it.
    const std::size_t limit = block.kind == BlockKind::kHtml ? line_end : text.size();
    if (budget == 0 || !file_.IsBareSentence(first, limit, stop)) {
      budget -= std::min(budget, stop - first);
      continue;
    }
    out_.Add(
        Code::kSwallowedLines, file_.SpanOf(first, stop),
        "`" + file_.FirstLineOf(first, stop) + "` is read as " + std::string(taken) +
            ", not as RPL",
        code ? "indent it less, or put an example into a fence" : "leave a blank line before it");
    return;
  }
}

void ProseLints::Listed(const Block& block) {
  const std::string_view text = file_.text().substr(0, block.span.end);
  for (std::size_t line = block.span.begin; line < text.size(); line = LineEnd(text, line) + 1) {
    std::size_t at = SkipBlanks(text, line);
    const std::size_t end = TrimmedEnd(text, at, LineEnd(text, at));
    while (at < end && IsDigit(text[at])) ++at;
    if (at == end || std::string_view("-*+.)").find(text[at]) == kNowhere) continue;
    const std::size_t first = SkipBlanks(text, at + 1);
    if (first == at + 1 || StartOf(text.substr(0, end), first, {}) != Start::kCall) continue;
    if (!file_.IsGround(file_.SpanOf(first, end))) continue;
    out_.Add(Code::kLooksLikeRpl, file_.SpanOf(first, end),
             "`" + file_.FirstLineOf(first, end) + "` is the text of a list item, not RPL",
             "write each fact on a line of its own, without `" +
                 std::string(text.substr(SkipBlanks(text, line), at + 1 - SkipBlanks(text, line))) +
                 "`");
    return;
  }
}

void ProseLints::LookAlike(std::size_t begin, std::size_t end) {
  constexpr std::size_t kMostBytes = 2000;
  const std::string_view line = file_.text().substr(begin, LineEnd(file_.text(), begin) - begin);
  if (std::ranges::all_of(line, [](char c) { return static_cast<signed char>(c) >= 0; })) return;
  Respelt plain = WithoutLookAlikes(line);
  if (plain.places.empty()) return;
  std::size_t at = SkipBlanks(plain.text, 0);
  const Start start = StartOf(plain.text, at, plain.text);
  if (start != Start::kCall && start != Start::kMaybe) return;
  plain = WithoutLookAlikes(file_.text().substr(begin, std::min(end - begin, kMostBytes)));
  Sources sources;
  const std::uint32_t file = sources.Add("", std::move(plain.text));
  const std::string_view text = sources.at(file).text;
  std::size_t stop =
      SentenceEnd(text, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(text.size()));
  stop = TrimmedEnd(text, at, stop);
  Diagnostics ignored;
  const Span span{file, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(stop)};
  if (ParseSentence(sources, span, ignored))
    AddLookAlike(file_, begin + plain.places.front(),
                 "this line reads like RPL and is taken as prose", out_);
}

void ProseLints::HeadingMark(std::size_t begin, std::size_t end) {
  const std::string_view line = file_.text().substr(begin, end - begin);
  const std::size_t delimiter = line.rfind(" - ");
  if (delimiter == kNowhere || line[std::min(line.find_first_not_of('#'), end - begin - 1)] == ' ')
    return;
  Diagnostics ignored;
  const std::size_t at = begin + delimiter + 3;
  const std::optional<Sentence> signature =
      ParseSignature(file_.sources(), file_.SpanOf(at, TrimmedEnd(file_.text(), at, end)), ignored);
  if (!signature || !Defines(*signature)) return;
  out_.Add(Code::kLooksLikeRpl, file_.SpanOf(begin, TrimmedEnd(file_.text(), begin, end)),
           "this line reads like a heading with a signature and is taken as prose",
           "write a blank behind `#`");
}

void ProseLints::Bracketed(std::size_t begin, std::size_t end) {
  std::size_t at = begin;
  while (at < end &&
         (file_.text()[at] == '[' || file_.text()[at] == '#' || file_.text()[at] == '{'))
    ++at;
  if (at == begin || at - begin > 2 || StartOf(file_.text().substr(0, end), at, {}) != Start::kCall)
    return;
  const Span span = file_.SpanOf(begin, TrimmedEnd(file_.text(), begin, end));
  Diagnostics ignored;
  const std::optional<Node> term = ParseTerm(file_.sources(), span, ignored);
  const Collection* c = term ? term->As<Collection>() : nullptr;
  const auto is_call = [](const Node& item) { return item.As<Call>() != nullptr; };
  if (c == nullptr || !std::ranges::all_of(c->items, is_call)) return;
  out_.Add(Code::kLooksLikeRpl, span, "a collection is a value, and states no facts",
           "write each fact on a line of its own, without brackets");
}

void ProseLints::Slashes(std::size_t line, std::size_t end) {
  const std::size_t at = SkipBlanks(file_.text(), line);
  if (at >= end || !(StartsWithAt(file_.text(), at, "//") || StartsWithAt(file_.text(), at, "/*")))
    return;
  const Span mark = file_.SpanOf(at, at + 2);
  if (mark == last_lint_) return;
  last_lint_ = mark;
  out_.Add(Code::kLooksLikeRpl, mark,
           "`" + std::string(file_.text().substr(at, 2)) +
               "` does not begin a comment: this line is prose",
           "write `--`");
}

bool ProseLints::Continued(std::size_t begin, std::size_t end) {
  const std::size_t line_end = LineEnd(file_.text(), begin);
  const std::size_t line = file_.PassComments(std::min(line_end + 1, end), end);
  const std::size_t next = SkipBlanks(file_.text(), line);
  if (next >= end || !IsLetter(file_.text()[next])) return false;
  std::size_t line_begin = begin;
  while (line_begin > 0 && IsBlank(file_.text()[line_begin - 1])) --line_begin;
  if (next - line > begin - line_begin) return false;  // indented: meant to continue
  std::size_t stop = line_end;
  if (!file_.IsBareSentence(begin, line_end, stop)) return false;
  AddContinued(begin, stop, next);
  return true;
}

void ProseLints::AddContinued(std::size_t begin, std::size_t end, std::size_t next) {
  std::size_t word_end = next;
  while (word_end < file_.text().size() && !IsSpace(file_.text()[word_end])) ++word_end;
  const std::string word(file_.text().substr(next, word_end - next));
  out_.Add(Code::kContinuedByText, file_.SpanOf(next, word_end),
           "`" + word + "` continues `" + file_.FirstLineOf(begin, end) +
               "` above it, which is not read by itself",
           "leave a blank line before text");
}

void ProseLints::TestedCall(const Node& node) {
  const Node* left = nullptr;
  if (const Binary* b = node.As<Binary>(); b && IsWord(b->op)) left = &b->sides[0];
  if (const Within* w = node.As<Within>()) left = &w->parts[0];
  if (const Between* b = node.As<Between>()) left = &b->parts[0];
  const Call* call = left ? left->As<Call>() : nullptr;
  if (call && call->ns == Namespace::kRelation) {
    const std::size_t next = SkipSpace(file_.text(), left->span.end);
    const std::string_view gap = file_.text().substr(left->span.end, next - left->span.end);
    if (gap.find('\n') != kNowhere) return AddContinued(left->span.begin, left->span.end, next);
  }
  ForEachChild(node, [&](const Node& child) { TestedCall(child); });
}

void ProseLints::Failed(const Diagnostic& error) {
  if (error.span == last_lint_) return;
  last_lint_ = error.span;
  out_.Add(Code::kLooksLikeRpl, error.span,
           "this line reads like RPL and is taken as prose: " + error.message, error.hint);
}

}  // namespace rpl
