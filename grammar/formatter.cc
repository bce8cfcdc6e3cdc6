// SPDX-License-Identifier: Apache-2.0
//
// All edits are proposed first, region by region. Then they are tried together, and if the document
// reads differently, by halves, until the responsible edits are found.
#include "grammar/formatter.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>

#include "formats/character.h"
#include "formats/file_name.h"
#include "formats/utf8.h"
#include "grammar/layout.h"
#include "grammar/markdown.h"
#include "grammar/sentences.h"

namespace rpl {
namespace {

/// The maximal number of times that a text is read to find the edits that change its meaning; edits
/// that are untested by then are left out.
constexpr int kMaxTries = 200;

std::vector<Code> ErrorsOf(const Diagnostics& diagnostics) {
  std::vector<Code> codes;
  for (const Diagnostic& d : diagnostics.all()) {
    if (d.severity == Severity::kError) codes.push_back(d.code);
  }
  std::sort(codes.begin(), codes.end());
  return codes;
}

std::string ApplyTo(std::string_view text, const std::vector<Edit>& edits) {
  std::string out;
  std::size_t done = 0;
  for (const Edit& e : edits) {
    out += text.substr(done, e.span.begin - done);
    out += e.text;
    done = e.span.end;
  }
  out += text.substr(done);
  return out;
}

// --- Proposing ---------------------------------------------------------------------------

class Proposer {
 public:
  Proposer(const Sources& sources, const Document& document)
      : sources_(sources), document_(document), text_(sources.at(document.file).text) {
    const std::size_t newline = text_.find('\n');
    if (newline != text_.npos && newline > 0 && text_[newline - 1] == '\r') newline_ = "\r\n";
    for (const PlacedSentence& p : document.sentences) {
      sentence_ends_[p.sentence.span.begin] = p.sentence.span.end;
    }
  }

  std::vector<Edit> Propose() {
    if (HasExtension(sources_.at(document_.file).name, ".rpl")) {
      const std::size_t begin = MarkSize(text_);
      Region(SpanOf(begin, text_.size()), "");
      return std::move(edits_);
    }
    const std::vector<Block> blocks = ReadBlocks(sources_, document_.file);
    if (std::ranges::none_of(blocks, IsRplFence) && !HasMarkedSentence(sources_, document_))
      return {};
    std::size_t scope = 1;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const Block& block = blocks[i];
      if (block.kind == BlockKind::kHeading && scope < document_.scopes.size()) {
        Signature(document_.scopes[scope++], block,
                  i + 1 < blocks.size() ? &blocks[i + 1] : nullptr);
      } else if (IsRplFence(block)) {
        Region(block.content, BlanksBefore(block.span.begin));
      } else if (block.kind == BlockKind::kParagraph) {
        Paragraph(block.span);
      }
    }
    return std::move(edits_);
  }

 private:
  Span SpanOf(std::size_t begin, std::size_t end) const {
    return {document_.file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }

  void Add(Span span, std::string text) {
    if (sources_.Text(span) != text) edits_.push_back({span, std::move(text)});
  }

  /// The blanks at the beginning of the line of `at`: those before it or, for a block that begins
  /// with them, those from it on.
  std::string_view BlanksBefore(std::size_t at) const {
    const std::size_t newline = at == 0 ? text_.npos : text_.rfind('\n', at - 1);
    const std::size_t begin = newline == text_.npos ? 0 : newline + 1;
    std::size_t end = begin;
    while (end < text_.size() && (text_[end] == ' ' || text_[end] == '\t')) ++end;
    return text_.substr(begin, end - begin);
  }

  void LayOutAt(Span span, std::string_view indent) {
    if (indent.size() > static_cast<std::size_t>(kLayoutWidth)) return;
    Add(span, LayOut(sources_.Text(span), indent, newline_));
  }

  /// A fence's content or a whole file. Its sentences begin after `indent`.
  void Region(Span region, std::string_view indent) {
    std::vector<Span> cuts;
    bool broken = false;
    SentenceCutter cutter(text_, region.file, region.begin, region.end, Newlines::kEndSentences);
    while (const std::optional<Cut> cut = cutter.Next()) {
      const auto found = sentence_ends_.find(cut->begin);
      if (found == sentence_ends_.end()) broken = true;
      else cuts.push_back(SpanOf(cut->begin, found->second));
    }
    std::size_t done = region.begin;
    for (const Span& cut : cuts) {
      if (!broken) Gap(SpanOf(done, cut.begin), indent, done == region.begin, false);
      LayOutAt(cut, broken ? BlanksBefore(cut.begin) : indent);
      done = cut.end;
    }
    if (!broken) Gap(SpanOf(done, region.end), indent, done == region.begin, true);
  }

  /// The text between two sentences: a line end, comments, blank lines.
  void Gap(Span gap, std::string_view indent, bool first, bool last) {
    const std::string_view text = sources_.Text(gap);
    std::string out;
    int lines = first ? 1 : 0;  // line ends since the last text written
    int written = lines;        // those of them that are in the output
    auto end_lines = [&] {
      for (; written < std::min(lines, 2); ++written) out += newline_;
      lines = written = 0;
    };
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t begin = at;
      while (at < text.size() && IsBlankOrReturn(text[at])) ++at;
      if (at == text.size()) break;
      if (text[at] == '\n') {
        ++lines;
        ++at;
        continue;
      }
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const bool own_line = lines > 0;
      end_lines();
      if (own_line) out += indent;
      else out += at == begin ? " " : text.substr(begin, at - begin);
      out += WithoutBlanksAtEnd(text.substr(at, end - at));
      at = end;
    }
    const bool on_new_line = lines > 0;
    end_lines();
    if (!last && on_new_line) out += indent;
    Add(gap, std::move(out));
  }

  /// The bare sentences of a paragraph; each is at the beginning of a line.
  void Paragraph(Span paragraph) {
    auto next = sentence_ends_.lower_bound(paragraph.begin);
    for (; next != sentence_ends_.end() && next->first < paragraph.end; ++next) {
      LayOutAt(SpanOf(next->first, next->second), BlanksBefore(next->first));
    }
  }

  /// The signature of `heading`, which may continue in the block `below`.
  void Signature(const Scope& scope, const Block& heading, const Block* below) {
    if (!scope.signature) return;
    const Span span = scope.signature->span;
    const std::string_view raw = sources_.Text(span);
    std::string masked(raw);
    if (span.end > heading.content.end && below != nullptr && below->span.begin < span.end) {
      for (std::size_t at = heading.content.end; at < below->span.begin; ++at) {
        if (text_[at] != '\n') masked[at - span.begin] = ' ';
      }
    }
    Add(span, SpaceOut(masked, raw));
  }

  const Sources& sources_;
  const Document& document_;
  std::string_view text_;
  std::string_view newline_ = "\n";
  std::map<std::size_t, std::size_t> sentence_ends_;  // keyed by their beginnings
  std::vector<Edit> edits_;
};

// --- Trying ------------------------------------------------------------------------------

/// The search for the edits that leave the document as it reads.
class Trial {
 public:
  Trial(const Sources& sources, const Document& document, const Diagnostics& findings)
      : sources_(sources), document_(document), errors_(ErrorsOf(findings)) {}

  std::vector<Edit> Keep(const std::vector<Edit>& edits) {
    Try(edits, 0, edits.size());
    return std::move(kept_);
  }

 private:
  void Try(const std::vector<Edit>& edits, std::size_t begin, std::size_t end) {
    if (begin == end || tries_ == kMaxTries) return;
    ++tries_;
    std::vector<Edit> all = kept_;
    all.insert(all.end(), edits.begin() + static_cast<std::ptrdiff_t>(begin),
               edits.begin() + static_cast<std::ptrdiff_t>(end));
    if (ReadsTheSame(all)) {
      kept_ = std::move(all);
    } else if (end - begin > 1) {
      const std::size_t middle = begin + (end - begin) / 2;
      Try(edits, begin, middle);
      Try(edits, middle, end);
    }
  }

  bool ReadsTheSame(const std::vector<Edit>& edits) const {
    const Sources::File& old = sources_.at(document_.file);
    Sources sources;
    Diagnostics findings;
    const std::uint32_t file = sources.Add(old.name, ApplyTo(old.text, edits));
    const Document document = ReadDocument(sources, file, findings);
    return ErrorsOf(findings) == errors_ && SameDocument(sources_, document_, sources, document);
  }

  const Sources& sources_;
  const Document& document_;
  std::vector<Code> errors_;
  std::vector<Edit> kept_;
  int tries_ = 0;
};

bool SameScope(const Scope& a, const Scope& b) {
  return a.parent == b.parent && a.level == b.level && a.title == b.title &&
         a.signature == b.signature;
}

bool SamePlaced(const PlacedSentence& a, const PlacedSentence& b) {
  return a.scope == b.scope && a.fenced == b.fenced && a.sentence == b.sentence;
}

}  // namespace

std::vector<Edit> FormatEdits(const Sources& sources, std::uint32_t file, Diagnostics& out) {
  Diagnostics findings;
  const Document document = ReadDocument(sources, file, findings);
  for (const Diagnostic& d : findings.all()) out.Add(d);
  const std::vector<Edit> edits = Proposer(sources, document).Propose();
  return Trial(sources, document, findings).Keep(edits);
}

std::string ApplyEdits(const Sources& sources, std::uint32_t file, const std::vector<Edit>& edits) {
  return ApplyTo(sources.at(file).text, edits);
}

bool SameDocument(const Sources& a_sources, const Document& a, const Sources& b_sources,
                  const Document& b) {
  auto same_prose = [&](const Prose& x, const Prose& y) {
    return x.scope == y.scope && a_sources.Text(x.span) == b_sources.Text(y.span);
  };
  return std::equal(a.scopes.begin(), a.scopes.end(), b.scopes.begin(), b.scopes.end(),
                    SameScope) &&
         std::equal(a.sentences.begin(), a.sentences.end(), b.sentences.begin(), b.sentences.end(),
                    SamePlaced) &&
         std::equal(a.prose.begin(), a.prose.end(), b.prose.begin(), b.prose.end(), same_prose);
}

}  // namespace rpl
