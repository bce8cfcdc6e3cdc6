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
#include "formats/utf8.h"
#include "grammar/document_lints.h"
#include "grammar/document_text.h"
#include "grammar/line_start.h"
#include "grammar/markdown.h"
#include "grammar/parser.h"
#include "grammar/sentences.h"
#include "grammar/signature_text.h"

namespace rpl {
namespace {

class DocumentReader {
 public:
  /// Reads the file up to `limit`, the start of a line or the end of the file.
  DocumentReader(const Sources& sources, std::uint32_t file, std::size_t limit, FactForm form,
                 Diagnostics& out)
      : file_(sources, file, limit),
        sources_(sources),
        text_(file_.text()),
        form_(form),
        out_(out),
        continuations_(file_, blocks_),
        heading_lints_(file_, out),
        prose_lints_(file_, out) {
    document_.file = file;
    document_.scopes.push_back({-1, 0, "", std::nullopt, {file, 0, 0}});
  }

  Document Read() {
    if (IsPlainRpl(sources_.at(document_.file).name)) {
      std::size_t begin = MarkSize(text_);
      AddSentences(file_.SpanOf(begin, text_.size()), /*fenced=*/false);
      return std::move(document_);
    }
    ReadBlocksUpToLimit();
    for (std::size_t i = 0; i < blocks_.size(); ++i) ReadBlock(i);
    return std::move(document_);
  }

 private:
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
        prose_lints_.Inside(block);
        if (block.kind == BlockKind::kList) prose_lints_.Listed(block);
        prose_lints_.Swallowed(block);
        AddProse(block.span.begin, block.span.end);
        break;
      case BlockKind::kCode:
      case BlockKind::kHtml: prose_lints_.Swallowed(block); break;
      case BlockKind::kBreak:
      case BlockKind::kFrontMatter: break;
    }
  }

  void ReadFence(const Block& fence) {
    const std::string_view tag = TagOf(fence.info);
    constexpr std::string_view kTag = "rpl";
    const bool capitals =
        tag != kTag && std::equal(tag.begin(), tag.end(), kTag.begin(), kTag.end(),
                                  [](char c, char lower) { return c == lower || c == lower - 32; });
    if (capitals)
      out_.Add(Code::kLooksLikeRpl,
               file_.SpanOf(fence.span.begin, LineEnd(text_, fence.span.begin)),
               "this fence is no RPL: its tag is `" + std::string(tag) + "`", "write `rpl`");
    if (tag != "rpl") return;
    AddSentences(fence.content, /*fenced=*/true);
    if (fence.closed) return;
    std::size_t end = TrimmedEnd(text_, fence.span.begin, LineEnd(text_, fence.span.begin));
    out_.Add(Code::kUnclosedFence, file_.SpanOf(fence.span.begin, end),
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
    heading_lints_.Underlined(block);
    ReadSignature(index, scope);
    current_ = static_cast<int>(document_.scopes.size());
    document_.scopes.push_back(std::move(scope));
  }

  /// Sets title and signature of `scope`. Text that begins like a signature but is none is an error
  /// if it has a mark of RPL; otherwise it belongs to the title (decision 102).
  void ReadSignature(std::size_t index, Scope& scope) {
    const Span heading = blocks_[index].content;
    const std::vector<SignatureCandidate> candidates =
        SignatureCandidates(heading, continuations_.TextFor(index));
    Diagnostics found;
    const SignatureCandidate* broken = nullptr;
    for (const SignatureCandidate& c : candidates) {
      const bool meant = c.start == Start::kCall || c.start == Start::kVariable;
      Diagnostics ignored;
      Diagnostics& failed = meant && !broken ? found : ignored;
      if (TrySignature(index, c, scope, failed)) {
        SetTitle(scope, heading.begin, c.title_end);
        if (scope.title.empty()) heading_lints_.Titleless(heading);
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
      return heading_lints_.Title(first);
    }
    if (ReadTitlelessSignature(index, scope)) return;
    SetTitle(scope, heading.begin, heading.end);
    heading_lints_.Plain(heading);
  }

  /// True if the heading has a mark of RPL from `begin` on, or goes on right below with an arrow.
  bool IsMarked(std::size_t index, std::size_t begin) const {
    const Block& heading = blocks_[index];
    if (HasMark(text_.substr(begin, heading.content.end - begin))) return true;
    const std::size_t below = continuations_.ContinuationOf(index);
    return below != kNowhere && continuations_.IsRightBelow(heading, below) &&
           (StartsWithAt(text_, below, "<-") || StartsWithAt(text_, below, "->"));
  }

  void SetTitle(Scope& scope, std::size_t begin, std::size_t end) {
    scope.title.assign(text_.substr(begin, TrimmedEnd(text_, begin, end) - begin));
    std::replace_if(scope.title.begin(), scope.title.end(), IsSpace, ' ');
  }

  /// `# rel(?a)` is a signature with a lint; a heading that only resembles one (`# main() in C`),
  /// or has no mark of RPL (`# startTimer()`), is a title. True if it is a signature.
  bool ReadTitlelessSignature(std::size_t index, Scope& scope) {
    const Span heading = blocks_[index].content;
    if (SignatureStart(continuations_.TextFor(index), heading.begin) != Start::kCall) return false;
    if (!HasNameMark(sources_.Text(heading))) {
      heading_lints_.Unmarked(heading);
      return false;
    }
    Diagnostics found;
    if (TrySignature(index, {heading.begin, heading.begin, Start::kCall}, scope, found)) {
      heading_lints_.Titleless(heading);
      return true;
    }
    if (!heading_lints_.underlined()) heading_lints_.Title(found.all().front());
    return false;
  }

  /// Parses the signature at `c`, with the paragraph that continues it. False if it is none; the
  /// first of `found` is then an error.
  bool TrySignature(std::size_t index, const SignatureCandidate& c, Scope& scope,
                    Diagnostics& found) {
    const Block& heading = blocks_[index];
    const std::size_t below = continuations_.ContinuationOf(index);
    if (below != kNowhere) {
      const std::size_t end =
          continuations_.ContinuationEnd(c.begin, below, blocks_[index + 1].span.end);
      if (Accept(continuations_.Joined(), file_.SpanOf(c.begin, end), scope, found)) {
        out_.Add(Code::kSignatureContinued, file_.SpanOf(below, end),
                 "the signature of a heading goes on in the paragraph below it",
                 "write it in one line, or as a rule in an `rpl` fence");
        body_begin_ = end;
        return true;
      }
      // Only a separate paragraph may begin with such a mark by chance.
      if (continuations_.IsRightBelow(heading, below)) return false;
      found = Diagnostics();
    }
    return Accept(sources_, file_.SpanOf(c.begin, heading.content.end), scope, found);
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
      if (first < line_end && text[first] == '#') prose_lints_.HeadingMark(first, line_end);
      prose_lints_.Bracketed(first, line_end);
      const Start start = continues_failed
                              ? Start::kProse
                              : StartOf(text, first, text.substr(first, line_end - first));
      if (start == Start::kProse && !continues_failed) prose_lints_.LookAlike(first, end);
      if (start != Start::kProse) {
        const std::size_t limit = budget > 0 ? end : line_end;
        std::size_t stop = SentenceEnd(text_, static_cast<std::uint32_t>(first),
                                       static_cast<std::uint32_t>(limit));
        stop = TrimmedEnd(text, first, stop);
        const BareSentence read = ReadBareSentence(first, stop, start);
        if (read == BareSentence::kRead) {
          if (previous < line) prose_lints_.Slashes(previous, line);
          prose_lints_.Slashes(std::min(LineEnd(text, stop) + 1, end), end);
          next = file_.PassComments(std::min(LineEnd(text, stop) + 1, end), end);
          if (file_.PassComments(prose, line) != line) AddProse(prose, line);
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

  enum class BareSentence { kRead, kProse, kUnclosed };

  BareSentence ReadBareSentence(std::size_t begin, std::size_t end, Start start) {
    Diagnostics found;
    std::optional<Sentence> sentence = ParseSentence(sources_, file_.SpanOf(begin, end), found);
    if (start == Start::kFenced) {
      if (sentence)
        out_.Add(Code::kLooksLikeRpl, file_.SpanOf(begin, end),
                 "this line reads as RPL and is taken as prose: it begins with no call",
                 "put it into an `rpl` fence");
      return BareSentence::kProse;
    }
    if (sentence && start != Start::kVariable) {
      for (const Diagnostic& d : found.all()) Report(d);
      for (const Node& clause : sentence->rule.tail) prose_lints_.TestedCall(clause);
      document_.sentences.push_back({current_, std::move(*sentence), false});
      return BareSentence::kRead;
    }
    if (found.size() == 0) return BareSentence::kProse;
    const Diagnostic& first = found.all().front();
    if (prose_lints_.Continued(begin, end))
      return IsUnclosed(first) ? BareSentence::kUnclosed : BareSentence::kProse;
    if (start != Start::kMaybe) prose_lints_.Failed(first);
    return IsUnclosed(first) ? BareSentence::kUnclosed : BareSentence::kProse;
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
    const Span span = file_.SpanOf(begin, end);
    document_.prose.push_back({current_, span, EmphasisedSpans(text_, span)});
  }

  const DocumentText file_;
  const Sources& sources_;
  std::string_view text_;  // up to the limit
  FactForm form_;
  Diagnostics& out_;
  Document document_;
  std::vector<Block> blocks_;
  int current_ = 0;
  std::size_t body_begin_ = 0;  // everything before it belongs to a signature
  HeadingContinuations continuations_;
  HeadingLints heading_lints_;
  ProseLints prose_lints_;
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
