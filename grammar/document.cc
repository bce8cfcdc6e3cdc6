// SPDX-License-Identifier: Apache-2.0
//
// From blocks to scopes, sentences and prose.
//
// The blocks of the file are visited in order; current_ is the scope of the next one. A heading
// closes the scopes of its level and deeper and opens one; `--` returns to the parent. For
//
//    0  # Edit - edit(?d)
//   18    <- draft(?d)
//   33  Revise __the draft__.
//   55  user("a")
//
// the heading opens scope 1, level 1, title "Edit". The paragraph below it begins with a
// connective, so its first line belongs to the signature: ParseSignature gets [9, 32), in which the
// line break counts as a blank. The rest of the paragraph, [33, 64), is searched for bare lines of
// RPL: prose [33, 54) with a span "the-draft", and one sentence [55, 64).
//
// The first characters of a line or of a heading's tail decide whether it could be RPL (StartOf);
// only such text reaches the parser, so prose costs a constant per line.
#include "grammar/document.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "formats/character.h"
#include "formats/look_alike.h"
#include "formats/utf8.h"
#include "grammar/line_start.h"
#include "grammar/markdown.h"
#include "grammar/parser.h"
#include "grammar/sentences.h"

namespace rpl {
namespace {

/// The maximal number of ` - ` in a heading, counted from the last, behind which a signature is
/// tried.
constexpr int kMaxSignatureTries = 16;
/// The budget for bare sentences that fail, as a multiple of the size of their paragraph; when it
/// is spent, a sentence of the paragraph ends with its line.
constexpr std::size_t kRetryFactor = 8;

/// A signature is a definition: a head, a rule or a constraint, not an expression.
bool Defines(const Sentence& s) { return !s.rule.heads.empty() || !s.rule.constraints.empty(); }

// ---------------------------------------------------------------------------------------

class DocumentReader {
 public:
  /// Reads the file up to `limit`, the start of a line or the end of the file.
  DocumentReader(const Sources& sources, std::uint32_t file, std::size_t limit, FactForm form,
                 Diagnostics& out)
      : sources_(sources),
        text_(std::string_view(sources.at(file).text).substr(0, limit)),
        form_(form),
        out_(out) {
    document_.file = file;
    document_.scopes.push_back({-1, 0, "", std::nullopt, {file, 0, 0}});
  }

  Document Read() {
    if (IsPlainRpl(sources_.at(document_.file).name)) {
      std::size_t begin = MarkSize(text_);
      AddSentences(SpanOf(begin, text_.size()), /*fenced=*/false);
      return std::move(document_);
    }
    ReadBlocksUpToLimit();
    for (std::size_t i = 0; i < blocks_.size(); ++i) ReadBlock(i);
    return std::move(document_);
  }

 private:
  Span SpanOf(std::size_t begin, std::size_t end) const {
    return {document_.file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }

  /// The line at the limit, if any, is a query, `% ...`, and the last with text. It can
  /// neither begin a block other than a paragraph or code nor change the kind of an earlier
  /// one, so the blocks before the limit are those of the file without it.
  void ReadBlocksUpToLimit() {
    blocks_ = ReadBlocks(sources_, document_.file);
    const auto limit = static_cast<std::uint32_t>(text_.size());
    while (!blocks_.empty() && blocks_.back().span.begin >= limit) blocks_.pop_back();
    if (blocks_.empty()) return;
    Block& last = blocks_.back();
    last.span.end = std::min(last.span.end, limit);
    last.content.begin = std::min(last.content.begin, limit);
    last.content.end = std::min(last.content.end, limit);
  }

  void ReadBlock(std::size_t index) {
    const Block& block = blocks_[index];
    switch (block.kind) {
      case BlockKind::kHeading: ReadHeading(index); break;
      case BlockKind::kScopeReturn: ReadScopeReturn(index); break;
      case BlockKind::kParagraph: {
        std::size_t begin = std::max<std::size_t>(block.span.begin, body_begin_);
        ReadParagraph(begin, block.span.end);
        break;
      }
      case BlockKind::kFence: ReadFence(block); break;
      case BlockKind::kQuote:
      case BlockKind::kList:
      case BlockKind::kTable:
        LintInside(block);
        if (block.kind == BlockKind::kList) LintListed(block);
        LintSwallowed(block);
        AddProse(block.span.begin, block.span.end);
        break;
      case BlockKind::kCode:
      case BlockKind::kHtml: LintSwallowed(block); break;
      case BlockKind::kBreak:
      case BlockKind::kFrontMatter: break;
    }
  }

  /// RPL is read from the document's own blocks alone: what would be RPL there is named in a list
  /// or a quote.
  void LintInside(const Block& block) {
    const std::string where = block.kind == BlockKind::kList ? "a list item" : "a quote";
    for (const Block& inside : block.inside) {
      if (IsRplFence(inside))
        out_.Add(Code::kSwallowedLines, WithoutBlanks(inside.span),
                 "this fence stands in " + where + " and is not read as RPL",
                 "write it outside of it, from the start of a line");
      if (inside.kind == BlockKind::kHeading && HasSignature(sources_, inside.content))
        out_.Add(Code::kSwallowedLines, WithoutBlanks(inside.span),
                 "this heading stands in " + where + " and defines nothing",
                 "write it outside of it, from the start of a line");
    }
  }

  Span WithoutBlanks(Span span) const {
    return SpanOf(span.begin, TrimmedEnd(text_, span.begin, span.end));
  }

  /// True for the text of a heading that would be a definition among the document's own blocks.
  static bool HasSignature(const Sources& sources, Span heading) {
    const std::string_view text = sources.at(heading.file).text;
    return std::ranges::any_of(CandidatesOf(heading, text), [&](const Candidate& c) {
      return IsSignature(sources, {heading.file, static_cast<std::uint32_t>(c.begin), heading.end});
    });
  }

  static bool IsSignature(const Sources& sources, Span span) {
    Diagnostics ignored;
    const std::optional<Sentence> s = ParseSignature(sources, span, ignored);
    return s && Defines(*s);
  }

  /// True if bare RPL begins at `at`, the first character of a line that is not a blank, and parses
  /// whole before `end`. Sets `stop` to its end or, if it does not parse, to how far it was read.
  bool IsBareSentence(std::size_t at, std::size_t end, std::size_t& stop) {
    const std::string_view text = text_.substr(0, end);
    const Start start = StartOf(text, at, text.substr(at, LineEnd(text, at) - at));
    if (start != Start::kCall && start != Start::kMaybe) return false;
    stop = SentenceEnd(text_, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end));
    stop = TrimmedEnd(text, at, stop);
    Diagnostics found;
    if (ParseSentence(sources_, SpanOf(at, stop), found)) return true;
    if (found.size() > 0 && IsUnclosed(found.all().front())) stop = end;
    return false;
  }

  static bool IsUnclosed(const Diagnostic& d) {
    return d.code == Code::kUnclosedString || d.code == Code::kUnclosedBracket;
  }

  /// What Markdown makes of lines that it takes into a block above them, for messages; "" for an
  /// HTML block that ends with a mark of its own, as a comment does.
  std::string_view TakenAs(const Block& block) const {
    switch (block.kind) {
      case BlockKind::kList: return "text of the list item above it";
      case BlockKind::kTable: return "a row of the table above it";
      case BlockKind::kQuote: return "text of the quote above it";
      case BlockKind::kCode: return "indented code";
      default: break;
    }
    const std::string_view html = text_.substr(block.span.begin, block.span.end - block.span.begin);
    const std::size_t name = html.find('<') + 1;
    if (name < html.size() && (html[name] == '!' || html[name] == '?')) return "";
    for (const std::string_view tag : {"pre", "script", "style", "textarea"})
      if (StartsWithAt(html, name, tag)) return "";
    return "HTML";
  }

  /// CommonMark's lazy continuation: a line right below a list or a quote belongs to it, below a
  /// table it is a row, and below a tag HTML; and lines indented by four columns are code. Reports
  /// the first such line that would be RPL anywhere else. A block has at most one finding, because
  /// one change frees all that follow.
  void LintSwallowed(const Block& block) {
    const std::string_view taken = TakenAs(block);
    if (taken.empty()) return;
    const bool list = block.kind == BlockKind::kList;
    const bool table = block.kind == BlockKind::kTable;
    const bool code = block.kind == BlockKind::kCode;
    const std::string_view text = text_.substr(0, block.span.end);
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
      if (budget == 0 || !IsBareSentence(first, limit, stop)) {
        budget -= std::min(budget, stop - first);
        continue;
      }
      out_.Add(
          Code::kSwallowedLines, SpanOf(first, stop),
          "`" + FirstLineOf(first, stop) + "` is read as " + std::string(taken) + ", not as RPL",
          code ? "indent it less, or put an example into a fence" : "leave a blank line before it");
      return;
    }
  }

  /// `- edge(1, 2)`: a fact as a list item is text. Reports the first one of a list.
  void LintListed(const Block& block) {
    const std::string_view text = text_.substr(0, block.span.end);
    for (std::size_t line = block.span.begin; line < text.size(); line = LineEnd(text, line) + 1) {
      std::size_t at = SkipBlanks(text, line);
      const std::size_t end = TrimmedEnd(text, at, LineEnd(text, at));
      while (at < end && IsDigit(text[at])) ++at;
      if (at == end || std::string_view("-*+.)").find(text[at]) == kNowhere) continue;
      const std::size_t first = SkipBlanks(text, at + 1);
      if (first == at + 1 || StartOf(text.substr(0, end), first, {}) != Start::kCall) continue;
      if (!IsGround(SpanOf(first, end))) continue;
      out_.Add(
          Code::kLooksLikeRpl, SpanOf(first, end),
          "`" + FirstLineOf(first, end) + "` is the text of a list item, not RPL",
          "write each fact on a line of its own, without `" +
              std::string(text.substr(SkipBlanks(text, line), at + 1 - SkipBlanks(text, line))) +
              "`");
      return;
    }
  }

  /// A sentence as messages quote it.
  std::string FirstLineOf(std::size_t begin, std::size_t end) const {
    constexpr std::size_t kShown = 60;
    const std::string_view text = text_.substr(begin, end - begin);
    const std::string_view line = text.substr(0, TrimmedEnd(text, 0, LineEnd(text, 0)));
    if (line.size() <= kShown) return std::string(line) + (line.size() < text.size() ? " …" : "");
    return std::string(line.substr(0, line.find_first_of(" (") + 1)) + "…";
  }

  void ReadFence(const Block& fence) {
    const std::string_view tag = TagOf(fence.info);
    constexpr std::string_view kTag = "rpl";
    const bool capitals =
        tag != kTag && std::equal(tag.begin(), tag.end(), kTag.begin(), kTag.end(),
                                  [](char c, char lower) { return c == lower || c == lower - 32; });
    if (capitals)
      out_.Add(Code::kLooksLikeRpl, SpanOf(fence.span.begin, LineEnd(text_, fence.span.begin)),
               "this fence is no RPL: its tag is `" + std::string(tag) + "`", "write `rpl`");
    if (tag != "rpl") return;
    AddSentences(fence.content, /*fenced=*/true);
    if (fence.closed) return;
    std::size_t end = TrimmedEnd(text_, fence.span.begin, LineEnd(text_, fence.span.begin));
    out_.Add(Code::kUnclosedFence, SpanOf(fence.span.begin, end),
             "this fence is not closed: everything to the end of the file is RPL",
             "end it with a line of the same marks");
  }

  void ReadScopeReturn(std::size_t index) {
    const Span span = blocks_[index].span;
    if (current_ == 0) {
      out_.Add(Code::kScopeReturnAtDocument, span,
               "`--` returns to the parent scope, but no heading is open here");
      return;
    }
    current_ = document_.scopes[current_].parent;
    if (index == 0 || blocks_[index - 1].kind != BlockKind::kParagraph) return;
    const std::size_t above = blocks_[index - 1].span.end;
    const std::string_view gap = text_.substr(above, span.begin - above);
    if (gap.size() == 1 || gap == "\r\n") {
      out_.Add(Code::kScopeReturnUnderText, span,
               "`--` right under text is a scope return here and a heading to other readers",
               "put a blank line before it");
    }
  }

  // --- Headings --------------------------------------------------------------------------

  void ReadHeading(std::size_t index) {
    const Block& block = blocks_[index];
    while (document_.scopes[current_].level >= block.level) {
      current_ = document_.scopes[current_].parent;
    }
    Scope scope;
    scope.parent = current_;
    scope.level = block.level;
    scope.span = block.span;
    underlined_ = LintUnderlined(block);
    ReadSignature(index, scope);
    current_ = static_cast<int>(document_.scopes.size());
    document_.scopes.push_back(std::move(scope));
  }

  /// A line of dashes below a line makes a heading of it. True if that line looks like a sentence
  /// of its own: a fact, or the last of several lines. `draft(?d)` alone may be a signature.
  bool LintUnderlined(const Block& heading) {
    const std::size_t end = heading.content.end;
    const std::size_t below = SkipSpace(text_, LineEnd(text_, end));
    if (below >= heading.span.end) return false;  // no underline
    const std::string_view lines = text_.substr(heading.content.begin, end - heading.content.begin);
    const std::size_t newline = lines.rfind('\n');
    const std::size_t line = heading.content.begin + (newline == kNowhere ? 0 : newline + 1);
    const std::size_t first = SkipBlanks(text_, line);
    std::size_t stop = end;
    if (!IsBareSentence(first, end, stop)) return false;
    if (newline == kNowhere && !IsGround(SpanOf(first, stop))) return false;
    out_.Add(Code::kUnderlinedRpl, SpanOf(below, TrimmedEnd(text_, below, LineEnd(text_, below))),
             "this line makes `" + FirstLineOf(first, stop) + "` a heading",
             "leave a blank line before it");
    return true;
  }

  /// True for a call of a relation without variables.
  bool IsGround(Span span) {
    Diagnostics ignored;
    const std::optional<Sentence> s = ParseSentence(sources_, span, ignored);
    if (!s || !s->rule.heads.empty() || s->rule.tail.size() != 1) return false;
    const Call* call = s->rule.tail.front().As<Call>();
    return call && call->ns == Namespace::kRelation && !HasVariables(s->rule.tail.front());
  }

  /// Where a signature may begin in a heading, and where the title before it ends.
  struct Candidate {
    std::size_t title_end;
    std::size_t begin;
    Start start;
  };

  /// Sets title and signature of `scope`. Text that begins like a signature but is none is an error
  /// if it has a mark of RPL; otherwise it belongs to the title (decision 102).
  void ReadSignature(std::size_t index, Scope& scope) {
    const Span heading = blocks_[index].content;
    const std::vector<Candidate> candidates = CandidatesOf(heading, TextFor(index));
    Diagnostics found;
    const Candidate* broken = nullptr;
    for (const Candidate& c : candidates) {
      const bool meant = c.start == Start::kCall || c.start == Start::kVariable;
      Diagnostics ignored;
      Diagnostics& failed = meant && !broken ? found : ignored;
      if (TrySignature(index, c, scope, failed)) {
        SetTitle(scope, heading.begin, c.title_end);
        if (scope.title.empty()) LintTitleless(heading);
        return;
      }
      if (meant && !broken) broken = &c;
    }
    if (broken) {
      const Diagnostic& first = found.all().front();
      if (IsMarked(index, broken->begin)) {
        SetTitle(scope, heading.begin, broken->title_end);
        return Report(first);
      }
      SetTitle(scope, heading.begin, heading.end);
      return ReportTitle(first);
    }
    if (ReadTitlelessSignature(index, scope)) return;
    SetTitle(scope, heading.begin, heading.end);
    if (!underlined_ && !LintLookAlike(heading)) LintDelimiter(heading);
  }

  /// True if the heading would have a signature but for a character that looks like one of RPL.
  bool LintLookAlike(Span heading) {
    const std::string_view line = sources_.Text(heading);
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
    AddLookAlike(heading.begin + first,
                 "this heading reads like a signature and is taken as a title");
    return true;
  }

  void ReportTitle(const Diagnostic& failed) {
    out_.Add(Code::kLooksLikeRpl, failed.span,
             "this heading reads like a signature and is taken as a title: " + failed.message,
             failed.hint);
  }

  /// True if the heading has a mark of RPL from `begin` on, or goes on right below with an arrow.
  bool IsMarked(std::size_t index, std::size_t begin) const {
    const Block& heading = blocks_[index];
    if (HasMark(text_.substr(begin, heading.content.end - begin))) return true;
    const std::size_t below = ContinuationOf(index);
    return below != kNowhere && IsRightBelow(heading, below) &&
           (StartsWithAt(text_, below, "<-") || StartsWithAt(text_, below, "->"));
  }

  /// `# Trip: trip(?x)` and `# Trip — trip(?x)` are titles. An end of a heading that reads as a
  /// signature with variables is probably a misspelt signature.
  void LintDelimiter(Span heading) {
    const std::string_view line = text_.substr(heading.begin, heading.end - heading.begin);
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
      const Span span = SpanOf(heading.begin + at, heading.end);
      const std::optional<Sentence> signature = ParseSignature(sources_, span, ignored);
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

  void SetTitle(Scope& scope, std::size_t begin, std::size_t end) {
    scope.title.assign(text_.substr(begin, TrimmedEnd(text_, begin, end) - begin));
    std::replace_if(scope.title.begin(), scope.title.end(), IsSpace, ' ');
  }

  /// The last candidates of a heading, in order: a signature that contains ` - ` itself begins
  /// behind an earlier one (decision 102). A candidate that does not begin like a call can only be
  /// a constraint. `text` is that of the file, or Joined().
  static std::vector<Candidate> CandidatesOf(Span heading, std::string_view text) {
    std::vector<Candidate> candidates;
    const std::string_view line = text.substr(heading.begin, heading.end - heading.begin);
    const std::size_t last_arrow = line.rfind("->");
    for (std::size_t dash = line.rfind('-'); dash != kNowhere;
         dash = dash == 0 ? kNowhere : line.rfind('-', dash - 1)) {
      const bool delimits = (dash == 0 || IsBlank(line[dash - 1])) && dash + 1 < line.size() &&
                            IsBlank(line[dash + 1]);
      if (!delimits || line.substr(0, TrimmedEnd(line, 0, dash)).ends_with('<')) continue;
      const std::size_t begin = SkipBlanks(line, dash + 1);
      const Start start = SignatureStart(text, heading.begin + begin);
      const bool constraint = last_arrow != kNowhere && last_arrow > begin &&
                              !IsUpper(line[begin]) && MayBeConstraint(line.substr(begin));
      if (start != Start::kCall && start != Start::kVariable && !constraint) continue;
      candidates.push_back({heading.begin + dash, heading.begin + begin, start});
      if (candidates.size() == kMaxSignatureTries) break;
    }
    std::ranges::reverse(candidates);
    return candidates;
  }

  /// False for bare words alone, and for one before a further ` - `: it is no minuend.
  static bool MayBeConstraint(std::string_view text) {
    if (text.find_first_of("(?%$") == kNowhere) return false;
    const std::size_t word = text.find_first_of(" \t");
    if (word == kNowhere || !std::ranges::all_of(text.substr(0, word), IsNameChar)) return true;
    const std::size_t next = SkipBlanks(text, word);
    return IsDigit(text[0]) || !StartsWithAt(text, next, "-") || next + 1 == text.size() ||
           !IsBlank(text[next + 1]);
  }

  /// The text of the file in which a heading is followed by the paragraph that continues it, if
  /// any.
  std::string_view TextFor(std::size_t index) {
    return ContinuationOf(index) == kNowhere ? text_ : Joined().Text(WholeFile());
  }

  /// As StartOf; a bare name with `<-` counts as a call. Never kFenced, so no line is searched for
  /// an arrow.
  static Start SignatureStart(std::string_view text, std::size_t at) {
    const Start start = StartOf(text, at, {});
    return start == Start::kMaybe && text[at] != '(' ? Start::kCall : start;
  }

  /// `# rel(?a)` is a signature with a lint; a heading that only resembles one (`# main() in C`),
  /// or has no mark of RPL (`# startTimer()`), is a title. True if it is a signature.
  bool ReadTitlelessSignature(std::size_t index, Scope& scope) {
    const Span heading = blocks_[index].content;
    if (SignatureStart(TextFor(index), heading.begin) != Start::kCall) return false;
    if (!HasNameMark(sources_.Text(heading))) {
      LintUnmarked(heading);
      return false;
    }
    Diagnostics found;
    if (TrySignature(index, {heading.begin, heading.begin, Start::kCall}, scope, found)) {
      LintTitleless(heading);
      return true;
    }
    if (!underlined_) ReportTitle(found.all().front());
    return false;
  }

  /// A title that would be a fact in a sentence of its own.
  void LintUnmarked(Span heading) {
    Diagnostics found;
    const std::optional<Sentence> s = ParseSignature(sources_, heading, found);
    if (underlined_ || !s || !Defines(*s) || found.size() > 0) return;
    out_.Add(Code::kLooksLikeRpl, heading,
             "this heading reads like a signature and is taken as a title",
             "write `# Title - ` before it if it is one");
  }

  void LintTitleless(Span heading) {
    if (underlined_) return;
    out_.Add(Code::kHeadingWithoutTitle, heading, "this heading is a signature without a title",
             "write `# Title - ` before it");
  }

  /// Parses the signature at `c`, with the paragraph that continues it. False if it is none; the
  /// first of `found` is then an error.
  bool TrySignature(std::size_t index, const Candidate& c, Scope& scope, Diagnostics& found) {
    const Block& heading = blocks_[index];
    const std::size_t below = ContinuationOf(index);
    if (below != kNowhere) {
      const std::size_t end = ContinuationEnd(c.begin, below, blocks_[index + 1].span.end);
      if (Accept(Joined(), SpanOf(c.begin, end), scope, found)) {
        out_.Add(Code::kSignatureContinued, SpanOf(below, end),
                 "the signature of a heading goes on in the paragraph below it",
                 "write it in one line, or as a rule in an `rpl` fence");
        body_begin_ = end;
        return true;
      }
      // Only a separate paragraph may begin with such a mark by chance.
      if (IsRightBelow(heading, below)) return false;
      found = Diagnostics();
    }
    return Accept(sources_, SpanOf(c.begin, heading.content.end), scope, found);
  }

  bool Accept(const Sources& sources, Span span, Scope& scope, Diagnostics& found) {
    std::optional<Sentence> signature = ParseSignature(sources, span, found);
    if (!signature) return false;
    if (!Defines(*signature)) {
      found = Diagnostics();
      found.Add(Code::kBadHead, span, "expected the signature of a heading, got an expression",
                "write a relation, goal or tool call, a rule or a constraint");
      return false;
    }
    for (const Diagnostic& d : found.all()) Report(d);
    scope.signature = std::move(signature);
    return true;
  }

  void Report(const Diagnostic& d) { out_.Add(d); }

  /// True if no blank line stands between a heading and `below`.
  bool IsRightBelow(const Block& heading, std::size_t below) const {
    const std::string_view gap = text_.substr(heading.span.end, below - heading.span.end);
    return std::count(gap.begin(), gap.end(), '\n') < 2;
  }

  /// The place below a heading where a paragraph begins with a connective, or kNowhere.
  std::size_t ContinuationOf(std::size_t index) const {
    if (index + 1 == blocks_.size()) return kNowhere;
    const Block& next = blocks_[index + 1];
    if (next.kind != BlockKind::kParagraph) return kNowhere;
    std::size_t at = SkipBlanks(text_, next.span.begin);
    return IsConnectiveAt(text_, at) ? at : kNowhere;
  }

  /// The end of the signature that begins at `begin` and continues at `below`: its sentence, and
  /// further lines of the paragraph that begin with a connective.
  std::size_t ContinuationEnd(std::size_t begin, std::size_t below, std::size_t limit) {
    const std::string_view text = Joined().Text(WholeFile());
    const auto stop = static_cast<std::uint32_t>(limit);
    std::size_t end = SentenceEnd(text, static_cast<std::uint32_t>(begin), stop);
    if (end < below) end = SentenceEnd(text, static_cast<std::uint32_t>(below), stop);
    for (;;) {
      std::size_t next = SkipSpace(text.substr(0, limit), end);
      if (next == limit || next == end || !IsConnectiveAt(text, next)) {
        return TrimmedEnd(text, begin, end);
      }
      end = SentenceEnd(text, static_cast<std::uint32_t>(next), stop);
    }
  }

  Span WholeFile() const { return SpanOf(0, text_.size()); }

  /// The file with blanks in place of everything between the text of a heading and the paragraph
  /// that continues it: closing marks, underline, line ends.
  const Sources& Joined() {
    if (joined_) return *joined_;
    std::string text(text_);
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      if (blocks_[i].kind != BlockKind::kHeading) continue;
      std::size_t below = ContinuationOf(i);
      if (below == kNowhere) continue;
      std::fill(text.begin() + blocks_[i].content.end, text.begin() + below, ' ');
    }
    joined_.emplace();
    for (std::uint32_t file = 0; file < document_.file; ++file) joined_->Add("", "");
    joined_->Add("", std::move(text));
    return *joined_;
  }

  // --- Bodies ----------------------------------------------------------------------------

  /// Cuts a paragraph into bare sentences and the prose between them. Further lines of a sentence
  /// that failed are tried on their own unless they are indented deeper than its first line.
  /// Lines of `-- …` next to a sentence are comments of RPL; elsewhere they are prose.
  void ReadParagraph(std::size_t begin, std::size_t end) {
    const std::string_view text = text_.substr(0, end);
    std::size_t budget = kRetryFactor * (end - begin);
    std::size_t prose = begin;
    std::size_t failed_end = begin;  // of the last sentence that failed,
    std::size_t failed_indent = 0;   // and its indentation
    std::size_t previous = begin;    // the line above
    for (std::size_t line = begin; line < end;) {
      const std::size_t first = SkipSpace(text, line);
      const std::size_t line_end = LineEnd(text, first);
      const bool continues_failed = first < failed_end && first - line > failed_indent;
      std::size_t next = std::min(line_end + 1, end);
      if (first < line_end && text[first] == '#') LintHeadingMark(first, line_end);
      LintBracketed(first, line_end);
      const Start start = continues_failed
                              ? Start::kProse
                              : StartOf(text, first, text.substr(first, line_end - first));
      if (start == Start::kProse && !continues_failed) LintLookAlike(first, end);
      if (start != Start::kProse) {
        const std::size_t limit = budget > 0 ? end : line_end;
        std::size_t stop = SentenceEnd(text_, static_cast<std::uint32_t>(first),
                                       static_cast<std::uint32_t>(limit));
        stop = TrimmedEnd(text, first, stop);
        const BareSentence read = ReadBareSentence(first, stop, start);
        if (read == BareSentence::kRead) {
          if (previous < line) LintSlashes(previous, line);
          LintSlashes(std::min(LineEnd(text, stop) + 1, end), end);
          next = PassComments(std::min(LineEnd(text, stop) + 1, end), end);
          if (PassComments(prose, line) != line) AddProse(prose, line);
          prose = next;
        } else {
          // The search for the end of an unclosed sentence extends to the limit.
          const std::size_t cost = (read == BareSentence::kUnclosed ? limit : stop) - first;
          budget -= std::min(budget, cost);
          failed_end = stop;
          failed_indent = first - line;
        }
      }
      previous = line;
      line = next;
    }
    AddProse(prose, end);
  }

  /// The first line at or after `line` that is no comment, or `end`.
  std::size_t PassComments(std::size_t line, std::size_t end) const {
    while (line < end && StartsWithAt(text_, SkipBlanks(text_, line), "--"))
      line = std::min(LineEnd(text_, line) + 1, end);
    return line;
  }

  /// `first‑name("x")` with a character that only looks like one of RPL is prose.
  void LintLookAlike(std::size_t begin, std::size_t end) {
    constexpr std::size_t kMostBytes = 2000;
    const std::string_view line = text_.substr(begin, LineEnd(text_, begin) - begin);
    if (std::ranges::all_of(line, [](char c) { return static_cast<signed char>(c) >= 0; })) return;
    Respelt plain = WithoutLookAlikes(line);
    if (plain.places.empty()) return;
    std::size_t at = SkipBlanks(plain.text, 0);
    const Start start = StartOf(plain.text, at, plain.text);
    if (start != Start::kCall && start != Start::kMaybe) return;
    plain = WithoutLookAlikes(text_.substr(begin, std::min(end - begin, kMostBytes)));
    Sources sources;
    const std::uint32_t file = sources.Add("", std::move(plain.text));
    const std::string_view text = sources.at(file).text;
    std::size_t stop =
        SentenceEnd(text, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(text.size()));
    stop = TrimmedEnd(text, at, stop);
    Diagnostics ignored;
    const Span span{file, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(stop)};
    if (ParseSentence(sources, span, ignored))
      AddLookAlike(begin + plain.places.front(), "this line reads like RPL and is taken as prose");
  }

  void AddLookAlike(std::size_t at, const std::string& what) {
    const LookAlike found = *LookAlikeAt(text_, at);
    out_.Add(Code::kLooksLikeRpl, SpanOf(at, at + found.size),
             what + ": " + found.Shown() + " stands here", found.Hint());
  }

  /// `#Trip - %trip(?x)` is prose: a heading has a blank after its marks.
  void LintHeadingMark(std::size_t begin, std::size_t end) {
    const std::string_view line = text_.substr(begin, end - begin);
    const std::size_t delimiter = line.rfind(" - ");
    if (delimiter == kNowhere ||
        line[std::min(line.find_first_not_of('#'), end - begin - 1)] == ' ')
      return;
    Diagnostics ignored;
    const std::size_t at = begin + delimiter + 3;
    const std::optional<Sentence> signature =
        ParseSignature(sources_, SpanOf(at, TrimmedEnd(text_, at, end)), ignored);
    if (!signature || !Defines(*signature)) return;
    out_.Add(Code::kLooksLikeRpl, SpanOf(begin, TrimmedEnd(text_, begin, end)),
             "this line reads like a heading with a signature and is taken as prose",
             "write a blank behind `#`");
  }

  /// `[edge(1, 2), edge(2, 3)]`: facts as other languages list them.
  void LintBracketed(std::size_t begin, std::size_t end) {
    std::size_t at = begin;
    while (at < end && (text_[at] == '[' || text_[at] == '#' || text_[at] == '{')) ++at;
    if (at == begin || at - begin > 2 || StartOf(text_.substr(0, end), at, {}) != Start::kCall)
      return;
    const Span span = SpanOf(begin, TrimmedEnd(text_, begin, end));
    Diagnostics ignored;
    const std::optional<Node> term = ParseTerm(sources_, span, ignored);
    const Collection* c = term ? term->As<Collection>() : nullptr;
    const auto is_call = [](const Node& item) { return item.As<Call>() != nullptr; };
    if (c == nullptr || !std::ranges::all_of(c->items, is_call)) return;
    out_.Add(Code::kLooksLikeRpl, span, "a collection is a value, and states no facts",
             "write each fact on a line of its own, without brackets");
  }

  /// `// …` beside a sentence is no comment, but prose.
  void LintSlashes(std::size_t line, std::size_t end) {
    const std::size_t at = SkipBlanks(text_, line);
    if (at >= end || !(StartsWithAt(text_, at, "//") || StartsWithAt(text_, at, "/*"))) return;
    const Span mark = SpanOf(at, at + 2);
    if (mark == last_lint_) return;
    last_lint_ = mark;
    out_.Add(
        Code::kLooksLikeRpl, mark,
        "`" + std::string(text_.substr(at, 2)) + "` does not begin a comment: this line is prose",
        "write `--`");
  }

  enum class BareSentence { kRead, kProse, kUnclosed };

  BareSentence ReadBareSentence(std::size_t begin, std::size_t end, Start start) {
    Diagnostics found;
    std::optional<Sentence> sentence = ParseSentence(sources_, SpanOf(begin, end), found);
    if (start == Start::kFenced) {
      if (sentence)
        out_.Add(Code::kLooksLikeRpl, SpanOf(begin, end),
                 "this line reads as RPL and is taken as prose: it begins with no call",
                 "put it into an `rpl` fence");
      return BareSentence::kProse;
    }
    if (sentence && start != Start::kVariable) {
      for (const Diagnostic& d : found.all()) Report(d);
      for (const Node& clause : sentence->rule.tail) LintTestedCall(clause);
      document_.sentences.push_back({current_, std::move(*sentence), false});
      return BareSentence::kRead;
    }
    if (found.size() == 0) return BareSentence::kProse;
    const Diagnostic& first = found.all().front();
    if (LintContinued(begin, end))
      return IsUnclosed(first) ? BareSentence::kUnclosed : BareSentence::kProse;
    // A later line of the same sentence fails at the same place: one cause, one lint.
    if (start != Start::kMaybe && first.span != last_lint_) {
      last_lint_ = first.span;
      out_.Add(Code::kLooksLikeRpl, first.span,
               "this line reads like RPL and is taken as prose: " + first.message, first.hint);
    }
    return IsUnclosed(first) ? BareSentence::kUnclosed : BareSentence::kProse;
  }

  /// `draft(1)` and below it `in two versions`: the word continues the sentence, and neither line
  /// is read. REQUIRES: [begin, end) does not parse.
  bool LintContinued(std::size_t begin, std::size_t end) {
    const std::size_t line_end = LineEnd(text_, begin);
    const std::size_t line = PassComments(std::min(line_end + 1, end), end);
    const std::size_t next = SkipBlanks(text_, line);
    if (next >= end || !IsLetter(text_[next])) return false;
    std::size_t line_begin = begin;
    while (line_begin > 0 && IsBlank(text_[line_begin - 1])) --line_begin;
    if (next - line > begin - line_begin) return false;  // indented: meant to continue
    std::size_t stop = line_end;
    if (!IsBareSentence(begin, line_end, stop)) return false;
    AddContinued(begin, stop, next);
    return true;
  }

  /// The word at `next` continues the sentence above it, [begin, end).
  void AddContinued(std::size_t begin, std::size_t end, std::size_t next) {
    std::size_t word_end = next;
    while (word_end < text_.size() && !IsSpace(text_[word_end])) ++word_end;
    const std::string word(text_.substr(next, word_end - next));
    out_.Add(Code::kContinuedByText, SpanOf(next, word_end),
             "`" + word + "` continues `" + FirstLineOf(begin, end) +
                 "` above it, which is not read by itself",
             "leave a blank line before text");
  }

  /// `draft(1)` and below it `in stock`: RPL that tests a call, which never holds.
  void LintTestedCall(const Node& node) {
    const Node* left = nullptr;
    if (const Binary* b = node.As<Binary>(); b && IsWord(b->op)) left = &b->sides[0];
    if (const Within* w = node.As<Within>()) left = &w->parts[0];
    if (const Between* b = node.As<Between>()) left = &b->parts[0];
    const Call* call = left ? left->As<Call>() : nullptr;
    if (call && call->ns == Namespace::kRelation) {
      const std::size_t next = SkipSpace(text_, left->span.end);
      const std::string_view gap = text_.substr(left->span.end, next - left->span.end);
      if (gap.find('\n') != kNowhere) return AddContinued(left->span.begin, left->span.end, next);
    }
    ForEachChild(node, [&](const Node& child) { LintTestedCall(child); });
  }

  static bool IsWord(Operator op) {
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

  void AddSentences(Span span, bool fenced) {
    PlainFacts* const facts = form_ == FactForm::kPlain ? &document_.facts : nullptr;
    for (Sentence& s : ParseSentences(sources_, span, out_, facts)) {
      document_.sentences.push_back({current_, std::move(s), fenced});
    }
  }

  void AddProse(std::size_t begin, std::size_t end) {
    begin = SkipSpace(text_.substr(0, end), begin);
    end = TrimmedEnd(text_, begin, end);
    if (begin >= end) return;
    const Span span = SpanOf(begin, end);
    document_.prose.push_back({current_, span, EmphasisedSpans(text_, span)});
  }

  const Sources& sources_;
  std::string_view text_;  // up to the limit
  FactForm form_;
  Diagnostics& out_;
  Document document_;
  std::vector<Block> blocks_;
  int current_ = 0;
  std::size_t body_begin_ = 0;  // everything before it belongs to a signature
  Span last_lint_;              // of the last finding kLooksLikeRpl
  bool underlined_ = false;     // the current heading has a finding kUnderlinedRpl
  std::optional<Sources> joined_;
};

}  // namespace

Document ReadDocument(const Sources& sources, std::uint32_t file, Diagnostics& out, FactForm form,
                      std::size_t limit) {
  const std::string_view text = sources.at(file).text;
  if (!IsText(text, file, out)) {
    Document nothing;
    nothing.file = file;
    nothing.scopes.push_back({-1, 0, "", std::nullopt, {file, 0, 0}});
    return nothing;
  }
  return DocumentReader(sources, file, std::min(limit, text.size()), form, out).Read();
}

std::vector<std::string> VariablesAbove(const Document& document, int scope) {
  std::vector<std::string> out;
  VariableCollector variables(out);
  for (int at = scope; at > 0; at = document.scopes[static_cast<std::size_t>(at)].parent) {
    const std::optional<Sentence>& signature =
        document.scopes[static_cast<std::size_t>(at)].signature;
    if (signature)
      ForEachChild(signature->rule, [&](const Node& node) { variables.Collect(node); });
  }
  return out;
}

HeadingJoins::HeadingJoins(const Document& document) {
  std::vector<int> parents;
  std::vector<bool> have_signature;
  for (const Scope& scope : document.scopes) {
    parents.push_back(scope.parent);
    have_signature.push_back(scope.signature.has_value());
  }
  *this = HeadingJoins(parents, have_signature);
}

HeadingJoins::HeadingJoins(const std::vector<int>& parents, const std::vector<bool>& have_signature)
    : joined_(parents.size()) {
  for (std::size_t s = parents.size(); s-- > 1;) {
    if (have_signature[s]) joined_[s] = {static_cast<int>(s)};
    const auto parent = static_cast<std::size_t>(parents[s]);
    if (parent != 0 && !have_signature[parent])
      joined_[parent].insert(joined_[parent].end(), joined_[s].begin(), joined_[s].end());
  }
  for (std::vector<int>& list : joined_) std::sort(list.begin(), list.end());
}

const std::vector<int>* HeadingJoins::Of(int scope) {
  const std::vector<int>& joined = joined_[static_cast<std::size_t>(scope)];
  if (joined.size() <= 1) return &joined;
  if (joined.size() <= left_) {
    left_ -= joined.size();
    return &joined;
  }
  left_ = 0;
  ++refused_;
  return nullptr;
}

bool HasMarkedSentence(const Sources& sources, const Document& document) {
  const auto is_marked = [&](const Sentence& s) { return HasNameMark(sources.Text(s.span)); };
  return std::ranges::any_of(document.sentences,
                             [&](const PlacedSentence& p) { return is_marked(p.sentence); }) ||
         std::ranges::any_of(document.scopes, [&](const Scope& scope) {
           return scope.signature && is_marked(*scope.signature);
         });
}

}  // namespace rpl
