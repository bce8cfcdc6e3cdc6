// SPDX-License-Identifier: Apache-2.0
//
// The block reader: CommonMark's algorithm for blocks, reduced to the top level.
//
// A file is read line by line. Between two lines the state consists of the open containers (quotes,
// lists, items), outermost first, and the kind of the innermost leaf (a paragraph, a fence, ...). A
// line is matched against them from outside in; its rest may open new containers and one leaf,
// continue the leaf, or continue a paragraph lazily, which closes nothing. A block is added to the
// result when it opens outside all containers; every later line that is not blank and opens no
// other top-level block belongs to it. So nested blocks are tracked, which determines the end of a
// list, but are not part of the result. For
//
//    0  # Edit - edit(?d) ##
//   21  ```rpl
//   28  draft(?d)
//   38  ```
//
// the blocks are
//
//   kHeading  span [0, 20)   content [2, 17)   level 1
//   kFence    span [21, 41)  content [28, 38)  info "rpl"
//
// The text of a line is scanned a bounded number of times, for any contents: blanks once
// (Cursor::Look keeps its result), a possible thematic break once (break_killer_), and containers
// nest at most kMaxContainers deep, beyond which their marks are text.
#include "grammar/markdown.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "formats/character.h"
#include "formats/utf8.h"

namespace rpl {
namespace {

/// The marks of deeper quotes and items are text. CommonMark has no such limit.
constexpr std::size_t kMaxContainers = 100;
/// Columns of indentation that make a line code instead of a mark.
constexpr std::size_t kCodeIndent = 4;
constexpr std::size_t kTabStop = 4;

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::size_t TrimmedSize(std::string_view s) {
  std::size_t n = s.size();
  while (n > 0 && IsBlank(s[n - 1])) --n;
  return n;
}

/// The length of the run of `c` at `at`.
std::size_t RunOf(std::string_view s, std::size_t at, char c) {
  std::size_t end = at;
  while (end < s.size() && s[end] == c) ++end;
  return end - at;
}

bool StartsWithNoCase(std::string_view s, std::string_view lower) {
  if (s.size() < lower.size()) return false;
  for (std::size_t i = 0; i < lower.size(); ++i) {
    if (Lower(s[i]) != lower[i]) return false;
  }
  return true;
}

// ---------------------------------------------------------------------------------------
// HTML blocks: the start and end conditions 1 to 7 of CommonMark; 0 is no start.

constexpr std::array<std::string_view, 4> kRawTags = {"pre", "script", "style", "textarea"};

constexpr std::array<std::string_view, 62> kBlockTags = {
    "address",  "article",  "aside",    "base",       "basefont", "blockquote", "body",   "caption",
    "center",   "col",      "colgroup", "dd",         "details",  "dialog",     "dir",    "div",
    "dl",       "dt",       "fieldset", "figcaption", "figure",   "footer",     "form",   "frame",
    "frameset", "h1",       "h2",       "h3",         "h4",       "h5",         "h6",     "head",
    "header",   "hr",       "html",     "iframe",     "legend",   "li",         "link",   "main",
    "menu",     "menuitem", "nav",      "noframes",   "ol",       "optgroup",   "option", "p",
    "param",    "section",  "source",   "summary",    "table",    "tbody",      "td",     "tfoot",
    "th",       "thead",    "title",    "tr",         "track",    "ul"};
static_assert(std::is_sorted(kBlockTags.begin(), kBlockTags.end()));

/// The end of the tag name at `at`, or `at` when there is none.
std::size_t TagNameEnd(std::string_view s, std::size_t at) {
  if (at >= s.size() || !IsLetter(s[at])) return at;
  while (at < s.size() && (IsLetter(s[at]) || IsDigit(s[at]) || s[at] == '-')) ++at;
  return at;
}

/// The end of the attribute value at `at` (after `=`), or npos.
std::size_t AttributeValueEnd(std::string_view s, std::size_t at) {
  if (at >= s.size()) return s.npos;
  if (s[at] == '"' || s[at] == '\'') {
    std::size_t close = s.find(s[at], at + 1);
    return close == s.npos ? s.npos : close + 1;
  }
  std::size_t end = std::min(s.find_first_of(" \t\"'=<>`", at), s.size());
  return end == at ? s.npos : end;
}

/// True if `s` is one complete open or closing tag and blanks (condition 7).
bool IsTagAlone(std::string_view s) {
  bool closing = s.size() > 1 && s[1] == '/';
  std::size_t name = closing ? 2 : 1;
  std::size_t at = TagNameEnd(s, name);
  if (at == name) return false;
  while (!closing) {
    std::size_t next = SkipBlanks(s, at);
    bool attribute =
        next > at && next < s.size() && (IsLetter(s[next]) || s[next] == '_' || s[next] == ':');
    if (!attribute) break;
    at = next;
    while (at < s.size() && (IsLetter(s[at]) || IsDigit(s[at]) ||
                             std::string_view("_:.-").find(s[at]) != std::string_view::npos)) {
      ++at;
    }
    std::size_t equals = SkipBlanks(s, at);
    if (equals < s.size() && s[equals] == '=') {
      at = AttributeValueEnd(s, SkipBlanks(s, equals + 1));
      if (at == s.npos) return false;
    }
  }
  at = SkipBlanks(s, at);
  if (!closing && at < s.size() && s[at] == '/') ++at;
  return at < s.size() && s[at] == '>' && SkipBlanks(s, at + 1) == s.size();
}

/// The condition that `s`, which begins with `<`, meets. Condition 7 does not interrupt a
/// paragraph.
int HtmlStart(std::string_view s, bool in_paragraph) {
  auto ends_name = [&](std::size_t at) { return at == s.size() || IsBlank(s[at]) || s[at] == '>'; };
  for (std::string_view tag : kRawTags) {
    if (StartsWithNoCase(s.substr(1), tag) && ends_name(1 + tag.size())) return 1;
  }
  if (s.starts_with("<!--")) return 2;
  if (s.starts_with("<?")) return 3;
  if (s.starts_with("<![CDATA[")) return 5;
  if (s.size() > 2 && s[1] == '!' && IsLetter(s[2])) return 4;

  std::size_t name = s.size() > 1 && s[1] == '/' ? 2 : 1;
  std::size_t end = TagNameEnd(s, name);
  std::array<char, 12> lower{};
  if (end - name < lower.size()) {
    std::transform(s.begin() + name, s.begin() + end, lower.begin(), Lower);
    std::string_view tag(lower.data(), end - name);
    if (std::binary_search(kBlockTags.begin(), kBlockTags.end(), tag) &&
        (ends_name(end) || s.substr(end).starts_with("/>"))) {
      return 6;
    }
  }
  return !in_paragraph && IsTagAlone(s) ? 7 : 0;
}

/// True if the line `s` contains the end of an HTML block of `kind`; 6 and 7 end at a blank line.
bool HtmlEnds(std::string_view s, int kind) {
  switch (kind) {
    case 1:
      for (std::size_t at = s.find("</"); at != s.npos; at = s.find("</", at + 2)) {
        for (std::string_view tag : kRawTags) {
          std::size_t close = at + 2 + tag.size();
          if (StartsWithNoCase(s.substr(at + 2), tag) && close < s.size() && s[close] == '>') {
            return true;
          }
        }
      }
      return false;
    case 2: return s.find("-->") != s.npos;
    case 3: return s.find("?>") != s.npos;
    case 4: return s.find('>') != s.npos;
    case 5: return s.find("]]>") != s.npos;
    default: return false;
  }
}

// ---------------------------------------------------------------------------------------
// Tables: one row is cut at each `|` that no backslash escapes.

std::size_t CellsOf(std::string_view row) {
  row = Trimmed(row);
  if (row.starts_with('|')) row.remove_prefix(1);
  std::size_t cells = 1;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] == '\\') ++i;
    else if (row[i] == '|' && i + 1 < row.size()) ++cells;
  }
  return cells;
}

/// True if `s` is a delimiter row like `|:--|---|`: `:`, dashes, `:` in each cell.
bool IsDelimiterRow(std::string_view s) {
  s = Trimmed(s);
  std::size_t at = s.starts_with('|') ? 1 : 0;
  while (at < s.size()) {
    at = SkipBlanks(s, at);
    if (at < s.size() && s[at] == ':') ++at;
    std::size_t dashes = RunOf(s, at, '-');
    if (dashes == 0) return false;
    at += dashes;
    if (at < s.size() && s[at] == ':') ++at;
    at = SkipBlanks(s, at);
    if (at == s.size()) return true;
    if (s[at++] != '|') return false;
  }
  return s.size() > 1;
}

// ---------------------------------------------------------------------------------------

/// A position in one line. A tab counts as columns up to the next multiple of four; the position
/// may be inside a tab, whose columns before it are consumed.
class Cursor {
 public:
  explicit Cursor(std::string_view line) : line_(line) {}

  /// Finds the next non-blank character. Required after each move and before the queries below.
  void Look() {
    if (first_ < offset_ || !looked_) {
      first_ = offset_;
      first_column_ = column_;
      for (; first_ < line_.size() && IsBlank(line_[first_]); ++first_) {
        first_column_ += line_[first_] == '\t' ? kTabStop - first_column_ % kTabStop : 1;
      }
      looked_ = true;
    }
  }

  std::size_t first() const { return first_; }
  std::size_t indent() const { return first_column_ - column_; }
  bool blank() const { return first_ == line_.size(); }
  /// REQUIRES: not blank().
  char mark() const { return line_[first_]; }
  std::string_view rest() const { return line_.substr(first_); }
  std::size_t column() const { return column_; }
  bool AtBlank() const { return offset_ < line_.size() && IsBlank(line_[offset_]); }
  bool AtEnd() const { return offset_ == line_.size(); }

  /// Moves to `bytes` after the first non-blank character.
  void PassMark(std::size_t bytes) {
    offset_ = first_ + bytes;
    column_ = first_column_ + bytes;
  }

  /// Skips `count` columns of blanks.
  void PassColumns(std::size_t count) {
    while (count > 0 && AtBlank()) {
      std::size_t width = line_[offset_] == '\t' ? kTabStop - column_ % kTabStop : 1;
      std::size_t used = std::min(width, count);
      column_ += used;
      count -= used;
      if (used == width) ++offset_;
    }
  }

 private:
  std::string_view line_;
  std::size_t offset_ = 0;
  std::size_t column_ = 0;
  std::size_t first_ = 0;
  std::size_t first_column_ = 0;
  bool looked_ = false;
};

/// The property that distinguishes the items of one list from those of the next: the bullet, or the
/// character after the number.
struct ListMark {
  char type = 0;
  std::size_t size = 0;  // bytes of the mark; 0 if there is none
};

ListMark ListMarkOf(std::string_view s, bool in_paragraph) {
  std::size_t at = 0;
  if (s[0] != '-' && s[0] != '*' && s[0] != '+') {
    while (at < s.size() && at < 9 && IsDigit(s[at])) ++at;
    if (at == 0 || at == s.size() || (s[at] != '.' && s[at] != ')')) return {};
    // Only a list that starts at 1 interrupts a paragraph: other numbers are wrapped text.
    bool counts_from_one = s[at - 1] == '1' && s.find_first_not_of('0') == at - 1;
    if (in_paragraph && !counts_from_one) return {};
  }
  ListMark mark{s[at], at + 1};
  if (mark.size < s.size() && !IsBlank(s[mark.size])) return {};
  if (in_paragraph && SkipBlanks(s, mark.size) == s.size()) return {};
  return mark;
}

/// The length of the line that begins `text`, without its line end.
std::size_t LineSize(std::string_view text) {
  return std::min(text.find_first_of("\r\n"), text.size());
}

/// The bytes of the line end that begins `text`.
std::size_t LineEndSize(std::string_view text) {
  return text.starts_with("\r\n") ? 2 : text.empty() ? 0 : 1;
}

/// The size of the front matter that begins `text`, without its last line end; 0 if none does.
std::size_t FrontMatterSize(std::string_view text) {
  const std::size_t first = LineSize(text);
  const std::string_view mark = text.substr(0, TrimmedSize(text.substr(0, first)));
  if (mark != "---" && mark != "+++") return 0;
  for (std::size_t at = first + LineEndSize(text.substr(first)); at < text.size();) {
    const std::string_view rest = text.substr(at);
    const std::size_t size = LineSize(rest);
    const std::string_view line = rest.substr(0, TrimmedSize(rest.substr(0, size)));
    if (line == mark || line == "...") return at + size;
    at += size + LineEndSize(rest.substr(size));
  }
  return 0;
}

class BlockReader {
 public:
  BlockReader(std::string_view text, std::uint32_t file) : text_(text), file_(file) {}

  std::vector<Block> Read() {
    std::size_t at = MarkSize(text_);
    if (const std::size_t size = FrontMatterSize(text_.substr(at)); size > 0) {
      Append(BlockKind::kFrontMatter, SpanOf(at, at + size));
      at += size + LineEndSize(text_.substr(at + size));
    }
    std::size_t newline = 0;  // the first one at or after `at`
    while (at < text_.size()) {
      if (newline < at || newline == 0) newline = std::min(text_.find('\n', at), text_.size());
      const void* cr = std::memchr(text_.data() + at, '\r', newline - at);
      begin_ = at;
      end_ = cr ? static_cast<const char*>(cr) - text_.data() : newline;
      at = end_ + (text_.substr(end_, 2) == "\r\n" ? 2 : 1);
      next_ = std::min(at, text_.size());
      ReadLine();
    }
    Finish();
    return std::move(blocks_);
  }

 private:
  enum class Leaf { kNone, kParagraph, kFence, kCode, kHtml, kTable };

  // A quote; a list, which holds items only; an item, which a list holds.
  enum class Kind { kQuote, kList, kItem };
  struct Container {
    Kind kind;
    char list_type = 0;        // lists
    std::size_t width = 0;     // items: columns of indentation that continue it
    bool has_content = false;  // items: whether a block has opened inside
  };

  std::string_view Line() const { return text_.substr(begin_, end_ - begin_); }
  Span LineSpan() const { return SpanOf(begin_, end_); }
  Span SpanOf(std::size_t begin, std::size_t end) const {
    return {file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }

  void ReadLine() {
    Cursor cursor(Line());
    break_killer_ = 0;
    std::size_t matched = MatchContainers(cursor);
    cursor.Look();
    bool blank_line = SkipBlanks(Line(), 0) == Line().size();
    bool leaf_matched = matched == open_.size() && LeafContinues(cursor);
    if (leaf_matched && leaf_ == Leaf::kFence && EndsFence(cursor)) {
      CloseFence();
    } else if (IsScopeReturn(cursor, matched, leaf_matched)) {
      Begin(0, BlockKind::kScopeReturn);
    } else if (leaf_matched && leaf_ != Leaf::kParagraph && leaf_ != Leaf::kTable) {
      if (leaf_ == Leaf::kHtml && HtmlEnds(cursor.rest(), html_kind_)) leaf_ = Leaf::kNone;
    } else {
      ReadRest(cursor, matched, leaf_matched);
    }
    if (!blank_line) blocks_.back().span.end = static_cast<std::uint32_t>(end_);
  }

  /// The number of open containers that the line continues; `cursor` is then behind their marks.
  std::size_t MatchContainers(Cursor& cursor) const {
    std::size_t matched = 0;
    for (; matched < open_.size(); ++matched) {
      const Container& c = open_[matched];
      cursor.Look();
      if (c.kind == Kind::kQuote) {
        if (!IsQuoteMark(cursor)) break;
        PassQuoteMark(cursor);
      } else if (c.kind == Kind::kItem) {
        if (cursor.indent() < c.width && !(cursor.blank() && c.has_content)) break;
        cursor.PassColumns(c.width);
      }
    }
    return matched;
  }

  static bool IsQuoteMark(const Cursor& cursor) {
    return cursor.indent() < kCodeIndent && !cursor.blank() && cursor.mark() == '>';
  }
  static void PassQuoteMark(Cursor& cursor) {
    cursor.PassMark(1);
    cursor.PassColumns(1);
  }

  /// True if the line continues the open leaf, other than lazily; the end of a fence does.
  bool LeafContinues(const Cursor& cursor) const {
    switch (leaf_) {
      case Leaf::kNone: return false;
      case Leaf::kParagraph:
      case Leaf::kTable: return !cursor.blank();
      case Leaf::kCode: return cursor.blank() || cursor.indent() >= kCodeIndent;
      case Leaf::kHtml: return html_kind_ < 6 || !cursor.blank();
      case Leaf::kFence: return true;
    }
    return false;
  }

  bool EndsFence(const Cursor& cursor) const {
    if (cursor.indent() >= kCodeIndent) return false;
    std::string_view rest = cursor.rest();
    std::size_t run = RunOf(rest, 0, fence_mark_);
    return run >= fence_size_ && SkipBlanks(rest, run) == rest.size();
  }

  /// `--` in the top-level body. A list immediately before it does not contain it.
  bool IsScopeReturn(const Cursor& cursor, std::size_t matched, bool leaf_matched) const {
    if (matched > 1 || (matched == 1 && open_[0].kind != Kind::kList)) return false;
    if (leaf_matched && (leaf_ == Leaf::kFence || leaf_ == Leaf::kHtml)) return false;
    return cursor.indent() < kCodeIndent && Trimmed(cursor.rest()) == "--";
  }

  /// The line after the marks of the `matched` containers: new containers, then a leaf.
  void ReadRest(Cursor& cursor, std::size_t matched, bool leaf_matched) {
    const bool was_paragraph = leaf_ == Leaf::kParagraph;
    bool in_paragraph = leaf_matched && was_paragraph;
    bool opened = false;
    while (OpenContainer(cursor, matched, in_paragraph)) {
      opened = true;
      in_paragraph = false;
      matched = open_.size();
      cursor.Look();
    }
    if (OpenLeaf(cursor, matched, in_paragraph, /*may_be_code=*/opened || !was_paragraph)) return;
    if (cursor.blank()) {
      if (!opened) CloseTo(matched);
      return;
    }
    const bool lazy = !opened && !leaf_matched && was_paragraph;
    if (leaf_matched && leaf_ == Leaf::kTable) return;
    if (!in_paragraph && !lazy) {
      Begin(matched, BlockKind::kParagraph);
      leaf_ = Leaf::kParagraph;
      row_ = previous_row_ = {};
    }
    previous_row_ = row_;
    row_ = SpanOf(begin_ + cursor.first(), end_);
  }

  /// A quote or an item that begins here, with the list around an item. A thematic break and an
  /// underline take precedence over a bullet.
  bool OpenContainer(Cursor& cursor, std::size_t matched, bool in_paragraph) {
    if (cursor.blank() || cursor.indent() >= kCodeIndent) return false;
    if (matched + 2 > kMaxContainers) return false;
    if (cursor.mark() == '>') {
      Begin(matched, BlockKind::kQuote);
      open_.push_back({Kind::kQuote});
      PassQuoteMark(cursor);
      return true;
    }
    if (!std::strchr("-*+0123456789", cursor.mark())) return false;
    if (in_paragraph && UnderlineLevel(cursor.rest()) > 0) return false;
    if (IsThematicBreak(cursor)) return false;
    ListMark mark = ListMarkOf(cursor.rest(), in_paragraph);
    if (mark.size == 0) return false;
    OpenItem(cursor, matched, mark);
    return true;
  }

  void OpenItem(Cursor& cursor, std::size_t matched, ListMark mark) {
    const bool same_list = matched > 0 && open_[matched - 1].kind == Kind::kList &&
                           open_[matched - 1].list_type == mark.type;
    if (same_list) {
      CloseTo(matched);
    } else {
      Begin(matched, BlockKind::kList);
      open_.push_back({Kind::kList, mark.type});
    }
    std::size_t width = cursor.indent() + mark.size;
    cursor.PassMark(mark.size);
    Cursor behind = cursor;
    cursor.PassColumns(5);
    std::size_t blanks = cursor.column() - behind.column();
    if (blanks == 0 || blanks >= 5 || cursor.AtEnd()) {
      // An item that begins with a blank line or with code: one column belongs to the mark.
      cursor = behind;
      cursor.PassColumns(1);
      blanks = 1;
    }
    open_.push_back({Kind::kItem, 0, width + blanks});
  }

  /// A leaf other than a paragraph that begins here, an underline that turns the open paragraph
  /// into a heading, or a delimiter row that turns its last line into a table.
  bool OpenLeaf(const Cursor& cursor, std::size_t matched, bool in_paragraph, bool may_be_code) {
    if (cursor.blank()) return false;
    if (cursor.indent() >= kCodeIndent) {
      if (!may_be_code) return false;
      Begin(matched, BlockKind::kCode);
      leaf_ = Leaf::kCode;
      return true;
    }
    switch (cursor.mark()) {
      case '#': return OpenHeading(cursor, matched);
      case '`':
      case '~': return OpenFence(cursor, matched);
      case '<': return OpenHtml(cursor, matched, in_paragraph);
      case '=':
      case '-':
        if (in_paragraph && Underline(cursor)) return true;
        break;
      case '|':
      case ':':
      case '*':
      case '_': break;
      default: return false;
    }
    if (IsThematicBreak(cursor)) {
      Begin(matched, BlockKind::kBreak);
      return true;
    }
    return in_paragraph && StartTable(cursor);
  }

  bool OpenHeading(const Cursor& cursor, std::size_t matched) {
    std::string_view rest = cursor.rest();
    std::size_t level = RunOf(rest, 0, '#');
    if (level > 6 || (level < rest.size() && !IsBlank(rest[level]))) return false;
    std::size_t end = TrimmedSize(rest);
    std::size_t marks = end;
    while (marks > level && rest[marks - 1] == '#') --marks;
    if (marks < end && IsBlank(rest[marks - 1])) end = TrimmedSize(rest.substr(0, marks));
    std::size_t begin = std::min(SkipBlanks(rest, level), end);
    const std::size_t base = begin_ + cursor.first();
    Block& block = BeginOrNote(matched, BlockKind::kHeading, base);
    block.level = static_cast<int>(level);
    block.content = SpanOf(base + std::max(begin, level), base + std::max(end, level));
    return true;
  }

  bool OpenFence(const Cursor& cursor, std::size_t matched) {
    std::string_view rest = cursor.rest();
    std::size_t size = RunOf(rest, 0, rest[0]);
    if (size < 3) return false;
    std::string_view info = Trimmed(rest.substr(size));
    if (rest[0] == '`' && info.find('`') != info.npos) return false;
    Block& block = BeginOrNote(matched, BlockKind::kFence, begin_ + cursor.first());
    block.info = info;
    if (open_.empty()) {
      block.closed = false;
      block.content = SpanOf(next_, next_);
    }
    leaf_ = Leaf::kFence;
    fence_mark_ = rest[0];
    fence_size_ = size;
    return true;
  }

  void CloseFence() {
    if (open_.empty()) {
      blocks_.back().closed = true;
      blocks_.back().content.end = static_cast<std::uint32_t>(begin_);
    }
    leaf_ = Leaf::kNone;
  }

  bool OpenHtml(const Cursor& cursor, std::size_t matched, bool in_paragraph) {
    int kind = HtmlStart(cursor.rest(), in_paragraph || leaf_ == Leaf::kParagraph);
    if (kind == 0) return false;
    Begin(matched, BlockKind::kHtml);
    html_kind_ = kind;
    leaf_ = HtmlEnds(cursor.rest(), kind) ? Leaf::kNone : Leaf::kHtml;
    return true;
  }

  /// 1 for `===`, 2 for `---`, 0 for any other text. `--` is one only inside containers; elsewhere
  /// it is handled before.
  static int UnderlineLevel(std::string_view rest) {
    std::size_t run = RunOf(rest, 0, rest[0]);
    if (SkipBlanks(rest, run) != rest.size()) return 0;
    return rest[0] == '=' ? 1 : rest[0] == '-' ? 2 : 0;
  }

  bool Underline(const Cursor& cursor) {
    int level = UnderlineLevel(cursor.rest());
    if (level == 0) return false;
    if (open_.empty()) {
      Block& block = blocks_.back();
      std::string_view lines = text_.substr(block.span.begin, row_.end - block.span.begin);
      block.kind = BlockKind::kHeading;
      block.level = level;
      block.content =
          SpanOf(block.span.begin + SkipBlanks(lines, 0), block.span.begin + TrimmedSize(lines));
    } else if (previous_row_.end == 0) {
      Block& block = Note(BlockKind::kHeading, row_);
      block.level = level;
      block.content.end =
          block.content.begin +
          static_cast<std::uint32_t>(TrimmedSize(text_.substr(row_.begin, row_.end - row_.begin)));
    }
    leaf_ = Leaf::kNone;
    return true;
  }

  bool IsThematicBreak(const Cursor& cursor) {
    char mark = cursor.mark();
    if (mark != '*' && mark != '-' && mark != '_') return false;
    if (break_killer_ > cursor.first()) return false;
    std::string_view rest = cursor.rest();
    std::size_t count = 0;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      if (rest[i] == mark) {
        ++count;
      } else if (!IsBlank(rest[i])) {
        break_killer_ = cursor.first() + i;
        return false;
      }
    }
    return count >= 3;
  }

  /// A delimiter row under the last line of the paragraph, with as many cells.
  bool StartTable(const Cursor& cursor) {
    if (!IsDelimiterRow(cursor.rest())) return false;
    std::string_view header = text_.substr(row_.begin, row_.end - row_.begin);
    if (CellsOf(header) != CellsOf(cursor.rest())) return false;
    if (open_.empty()) {
      if (previous_row_.end > 0) {
        Block& paragraph = blocks_.back();
        paragraph.span.end = paragraph.content.end = previous_row_.end;
        std::size_t begin = row_.begin;
        while (begin > 0 && IsBlank(text_[begin - 1])) --begin;
        Append(BlockKind::kTable, SpanOf(begin, end_));
      } else {
        blocks_.back().kind = BlockKind::kTable;
      }
    }
    leaf_ = Leaf::kTable;
    return true;
  }

  /// Closes the open leaf and all but `depth` containers.
  void CloseTo(std::size_t depth) {
    open_.resize(depth, Container{Kind::kQuote});
    leaf_ = Leaf::kNone;
  }

  /// A block begins inside the outermost `depth` containers, or beside the list that is the last of
  /// them. Returns it if it is a top-level block.
  Block* Begin(std::size_t depth, BlockKind kind) {
    if (depth > 0 && open_[depth - 1].kind == Kind::kList) --depth;
    CloseTo(depth);
    if (depth > 0) {
      open_.back().has_content = true;
      return nullptr;
    }
    return &Append(kind, LineSpan());
  }

  /// As Begin, but returns a block inside containers, too; `mark` is where it begins on its line.
  Block& BeginOrNote(std::size_t depth, BlockKind kind, std::size_t mark) {
    Block* const block = Begin(depth, kind);
    return block ? *block : Note(kind, SpanOf(mark, end_));
  }

  /// REQUIRES: a container is open, so that the last block is a quote or a list.
  Block& Note(BlockKind kind, Span span) {
    Block& block = blocks_.back().inside.emplace_back();
    block.kind = kind;
    block.span = block.content = span;
    if (kind == BlockKind::kFence) block.content.begin = span.end;
    return block;
  }

  Block& Append(BlockKind kind, Span span) {
    Block& block = blocks_.emplace_back();
    block.kind = kind;
    block.span = block.content = span;
    return block;
  }

  /// Sets the content of blocks that end with their last line, and of a fence that the file cuts
  /// off.
  void Finish() {
    for (Block& block : blocks_) {
      if (block.kind == BlockKind::kHeading || block.kind == BlockKind::kFence) continue;
      block.content = block.span;
    }
    if (leaf_ != Leaf::kFence || !open_.empty()) return;
    Block& fence = blocks_.back();
    std::size_t end = text_.size();
    fence.content.end = static_cast<std::uint32_t>(end);
    if (text_.ends_with('\n')) --end;
    if (end > 0 && text_[end - 1] == '\r') --end;
    fence.span.end = std::max(fence.span.end, static_cast<std::uint32_t>(end));
  }

  std::string_view text_;
  std::uint32_t file_;
  std::vector<Block> blocks_;

  // The line being read: its first byte, its end without line end, the next line.
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t next_ = 0;
  std::size_t break_killer_ = 0;  // a position before it begins no thematic break

  std::vector<Container> open_;  // Invariant: an item directly follows its list.
  Leaf leaf_ = Leaf::kNone;      // inside the last of open_
  Span row_;                     // paragraphs: the last line after its marks,
  Span previous_row_;            // and the one before; end 0 when there is none
  char fence_mark_ = 0;
  std::size_t fence_size_ = 0;
  int html_kind_ = 0;
};

}  // namespace

std::string_view TagOf(std::string_view info) {
  constexpr std::string_view kEnds = " \t,{}";
  const bool braces = info.starts_with('{');
  std::size_t at = braces ? 1 : 0;
  for (;;) {
    at = SkipBlanks(info, at);
    const std::size_t end = std::min(info.find_first_of(kEnds, at), info.size());
    const std::string_view word = info.substr(at, end - at);
    const bool is_id = braces && word.starts_with('#');
    if (!is_id) return braces && word.starts_with('.') ? word.substr(1) : word;
    at = end;
  }
}

bool IsRplFence(const Block& block) {
  return block.kind == BlockKind::kFence && TagOf(block.info) == "rpl";
}

std::vector<Block> ReadBlocks(const Sources& sources, std::uint32_t file) {
  return ReadBlocks(sources.at(file).text, file);
}

std::vector<Block> ReadBlocks(std::string_view text, std::uint32_t file) {
  return BlockReader(text, file).Read();
}

}  // namespace rpl
