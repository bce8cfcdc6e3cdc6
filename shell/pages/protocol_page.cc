// SPDX-License-Identifier: Apache-2.0
#include "shell/pages/protocol_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "formats/character.h"
#include "grammar/markdown.h"
#include "shell/pages/html.h"
#include "shell/pages/shown_document.h"
#include "shell/pages/source_page.h"

namespace rpl {
namespace {

// A line of prose without the mark of a list or a quote, as its length.
std::size_t MarkOf(std::string_view line) {
  std::size_t at = line.find_first_not_of(' ');
  if (at == line.npos) return line.size();
  if (std::string_view("-*+>").find(line[at]) != std::string_view::npos) {
    ++at;
  } else {
    std::size_t end = at;
    while (end < line.size() && IsDigit(line[end])) ++end;
    if (end == at || end >= line.size() || (line[end] != '.' && line[end] != ')')) return at;
    at = end + 1;
  }
  return at < line.size() && line[at] == ' ' ? at + 1 : at;
}

class ProtocolWriter {
 public:
  ProtocolWriter(const PagePlaces& places, std::uint32_t file,
                 const std::vector<ProtocolNote>& notes, const std::vector<ToDo>& filled,
                 const PlacedFacts& used)
      : places_(places),
        sources_(places.sources()),
        file_(file),
        filled_(filled),
        used_(used),
        document_(ShownDocument(sources_, file)) {
    for (const ProtocolNote& note : notes)
      if (note.place.file == file) notes_.push_back(&note);
    std::stable_sort(notes_.begin(), notes_.end(),
                     [](const ProtocolNote* a, const ProtocolNote* b) {
                       return a->place.begin < b->place.begin;
                     });
  }

  std::string Write(const std::string& title) {
    out_ = "<div class=\"protocol\">\n";
    for (const Block& block : ReadBlocks(sources_, file_)) {
      if (block.span.begin >= Limit()) break;
      Take(block, title);
    }
    Close(Limit());
    return out_ + "</div>\n";
  }

 private:
  std::uint32_t Limit() const {
    const Sources::File& source = sources_.at(file_);
    return source.lines.size() > kPageSourceLines
               ? source.lines[kPageSourceLines]
               : static_cast<std::uint32_t>(source.text.size()) + 1;
  }

  void Take(const Block& block, const std::string& title) {
    switch (block.kind) {
      case BlockKind::kHeading: Heading(block, title); break;
      case BlockKind::kFence: Fence(block); break;
      case BlockKind::kCode:
      case BlockKind::kHtml:
        text_ += "<pre>" + ShownLines(sources_.Text(block.span)) + "</pre>\n";
        break;
      case BlockKind::kTable: Table(block); break;
      case BlockKind::kQuote:
      case BlockKind::kList: List(block); break;
      case BlockKind::kParagraph: Paragraph(block); break;
      case BlockKind::kBreak:
      case BlockKind::kScopeReturn:
      case BlockKind::kFrontMatter: break;
    }
  }

  // A section ends where the next heading begins.
  void Close(std::uint32_t end) {
    const std::string notes = Notes(end);
    if (!text_.empty() || !notes.empty())
      out_ += "<div class=\"section\"><div class=\"text\">" + text_ + "</div>" + notes + "</div>\n";
    text_.clear();
    has_used_ = false;
    begin_ = end;
    is_filled_ = false;
  }

  std::string Notes(std::uint32_t end) const {
    std::string out;
    std::size_t count = 0;
    for (auto at = std::partition_point(
             notes_.begin(), notes_.end(),
             [&](const ProtocolNote* note) { return note->place.begin < begin_; });
         at != notes_.end() && (*at)->place.begin < end; ++at)
      if (++count <= kSectionNotes)
        out += fmt::format("<p class=\"{}\">{}</p>", (*at)->kind, (*at)->html);
    if (count > kSectionNotes)
      out += "<p>" + Many(count - kSectionNotes, "more, below", "more, below") + "</p>";
    if (has_used_) out += "<p>A bar marks the rows that the answers rest on.</p>";
    return out.empty() ? "" : "<div class=\"margin\">" + out + "</div>";
  }

  void Heading(const Block& block, const std::string& title) {
    Close(block.span.begin);
    const auto scope =
        std::find_if(document_.scopes.begin() + 1, document_.scopes.end(),
                     [&](const Scope& s) { return s.span.begin == block.span.begin; });
    if (scope == document_.scopes.end()) return;
    scope_ = static_cast<int>(scope - document_.scopes.begin());
    const bool is_title = scope_ == 1 && scope->title == title;
    if (!is_title && !scope->title.empty())
      text_ += fmt::format("<h{0}>{1}{2}</h{0}>\n", scope->level <= 2 ? 3 : 4,
                           ShownProse(scope->title), places_.Link(scope->span));
    if (scope->signature)
      text_ += "<p class=\"signature\">" + InCode(sources_.Text(scope->signature->span)) + "</p>\n";
  }

  void Fence(const Block& block) {
    const bool rpl = IsRplFence(block);
    if (!rpl || SentencesFrom(block.content.begin) == SentencesFrom(block.content.end))
      Code(block.content, rpl);
    else Sentences(block.content);
  }

  // The sentences in a part of the document: facts as tables, others as written, and what stands
  // between them, which are comments.
  void Sentences(Span part) {
    const auto end = SentencesFrom(part.end);
    std::uint32_t from = part.begin;
    for (auto at = SentencesFrom(part.begin); at != end;) {
      Comment(from, at->sentence.span.begin);
      const bool table = IsTable(at, end);
      auto next = at + 1;
      while (next != end && !IsCommented(*(next - 1), *next) &&
             (table ? IsAlike(FactOf(*at), FactOf(*next)) : !IsTable(next, end)))
        ++next;
      from = (next - 1)->sentence.span.end;
      if (table) Facts(at, next);
      else Code({file_, at->sentence.span.begin, from}, true);
      at = next;
    }
    Comment(from, part.end);
  }

  std::string_view Between(std::uint32_t begin, std::uint32_t end) const {
    return begin < end ? sources_.Text({file_, begin, end}) : std::string_view();
  }

  bool IsCommented(const PlacedSentence& a, const PlacedSentence& b) const {
    return !IsAllSpace(Between(a.sentence.span.end, b.sentence.span.begin));
  }

  void Comment(std::uint32_t begin, std::uint32_t end) {
    std::string_view text = Between(begin, end);
    if (IsAllSpace(text)) return;
    while (IsSpace(text.front())) text.remove_prefix(1);
    while (IsSpace(text.back())) text.remove_suffix(1);
    text_ += "<pre class=\"comment\">" + ColouredRpl(text) + "</pre>\n";
  }

  // A call whose arguments are constants, as a sentence of its own; null for any other sentence.
  static const Call* FactOf(const PlacedSentence& placed) {
    const Rule& rule = placed.sentence.rule;
    if (!rule.heads.empty() || rule.tail.size() != 1 || !rule.constraints.empty() ||
        !rule.abductives.empty())
      return nullptr;
    const Call* call = rule.tail.front().As<Call>();
    if (call == nullptr || call->ns != Namespace::kRelation || call->args.empty()) return nullptr;
    const bool constant = std::ranges::all_of(call->args, IsLiteral);
    return constant ? call : nullptr;
  }

  static bool IsAlike(const Call* a, const Call* b) {
    return a != nullptr && b != nullptr && a->label == b->label && a->args.size() == b->args.size();
  }

  bool IsTable(std::vector<PlacedSentence>::const_iterator at,
               std::vector<PlacedSentence>::const_iterator end) const {
    return at + 1 != end && IsAlike(FactOf(*at), FactOf(*(at + 1))) && !IsCommented(*at, *(at + 1));
  }

  void Facts(std::vector<PlacedSentence>::const_iterator begin,
             std::vector<PlacedSentence>::const_iterator end) {
    text_ += "<table class=\"facts\"><caption><code>" + Shown(FactOf(*begin)->label) +
             "</code></caption><tbody>";
    const auto shown = std::min<std::ptrdiff_t>(end - begin, kFenceLines);
    for (auto at = begin; at != begin + shown; ++at) {
      const bool used = used_.contains({file_, at->sentence.span.begin});
      has_used_ = has_used_ || used;
      text_ += used ? "<tr class=\"used\">" : "<tr>";
      for (const Node& arg : FactOf(*at)->args) {
        const String* said = arg.As<String>();
        text_ += "<td>" +
                 (said != nullptr ? ShownLines(said->text) : InCode(sources_.Text(arg.span))) +
                 "</td>";
      }
      text_ += "<td class=\"at\">" + places_.Link(at->sentence.span) + "</td></tr>";
    }
    text_ += "</tbody></table>\n";
    if (end - begin > shown)
      text_ += "<p class=\"note\">" +
               Many(static_cast<std::size_t>(end - begin - shown), "more row, in the source",
                    "more rows, in the source") +
               "</p>\n";
  }

  void Code(Span span, bool rpl) {
    std::string_view inside = sources_.Text(span);
    std::size_t end = 0;
    std::size_t lines = 0;
    while (end < inside.size() && lines < kFenceLines) {
      end = std::min(inside.find('\n', end), inside.size() - 1) + 1;
      ++lines;
    }
    std::string_view rest = inside.substr(end);
    while (rest.ends_with('\n')) rest.remove_suffix(1);
    inside = inside.substr(0, end);
    while (inside.ends_with('\n')) inside.remove_suffix(1);
    if (inside.empty()) return;
    text_ += "<pre>" + (rpl ? ColouredRpl(inside) : ShownLines(inside)) + "</pre>\n";
    if (!rest.empty())
      text_ += "<p class=\"note\">" +
               Many(static_cast<std::size_t>(std::count(rest.begin(), rest.end(), '\n')) + 1,
                    "more line, in the source", "more lines, in the source") +
               "</p>\n";
  }

  // --- prose -------------------------------------------------------------------------------

  // The first prose that ends behind a position, and the first sentence from it on: a document has
  // them in order.
  std::vector<Prose>::const_iterator ProseFrom(std::uint32_t at) const {
    return std::partition_point(document_.prose.begin(), document_.prose.end(),
                                [&](const Prose& prose) { return prose.span.end <= at; });
  }
  std::vector<PlacedSentence>::const_iterator SentencesFrom(std::uint32_t at) const {
    return std::partition_point(
        document_.sentences.begin(), document_.sentences.end(),
        [&](const PlacedSentence& placed) { return placed.sentence.span.begin < at; });
  }

  // The emphasised spans of the prose, without their marks, as ranges of `text`.
  std::string Unmarked(Span span, TextRanges& holes) const {
    std::string text;
    std::uint32_t from = span.begin;
    for (auto prose = ProseFrom(span.begin); prose != document_.prose.end(); ++prose) {
      if (prose->span.begin >= span.end) break;
      for (const ProseSpan& hole : prose->spans) {
        if (hole.span.begin < from || hole.span.end > span.end) continue;
        text += sources_.Text({file_, from, hole.span.begin});
        const std::size_t begin = text.size();
        text += sources_.Text({file_, hole.span.begin + 2, hole.span.end - 2});
        holes.emplace_back(begin, text.size());
        from = hole.span.end;
      }
    }
    return text + std::string(sources_.Text({file_, from, span.end}));
  }

  std::string Said(Span span) const {
    TextRanges holes;
    const std::string text = Unmarked(span, holes);
    return ShownProse(text, holes, "hole");
  }

  // The only text that the run filled in for the scope, or null.
  const ToDo* FilledHere(std::uint32_t end) const {
    const ToDo* found = nullptr;
    for (const ToDo& to_do : filled_) {
      if (to_do.place.file != file_ || to_do.place.begin < begin_ || to_do.place.begin >= end)
        continue;
      if (found != nullptr || to_do.values.empty()) return nullptr;
      found = &to_do;
    }
    return found;
  }

  std::uint32_t EndOfScope() const {
    const auto next = static_cast<std::size_t>(scope_) + 1;
    return next < document_.scopes.size() ? document_.scopes[next].span.begin : Limit();
  }

  void Paragraph(const Block& block) {
    struct Piece {
      Span span;
      bool prose;
    };
    std::vector<Piece> pieces;
    for (auto prose = ProseFrom(block.span.begin); prose != document_.prose.end(); ++prose) {
      if (prose->span.begin >= block.span.end) break;
      if (prose->span.begin >= block.span.begin) pieces.push_back({prose->span, true});
    }
    for (auto placed = SentencesFrom(block.span.begin); placed != document_.sentences.end();
         ++placed) {
      if (placed->sentence.span.begin >= block.span.end) break;
      pieces.push_back({placed->sentence.span, false});
    }
    std::sort(pieces.begin(), pieces.end(),
              [](const Piece& a, const Piece& b) { return a.span.begin < b.span.begin; });
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      if (!pieces[i].prose) {
        const std::size_t first = i;
        while (i + 1 < pieces.size() && !pieces[i + 1].prose) ++i;
        Sentences(Cover(pieces[first].span, pieces[i].span));
      } else if (const ToDo* filled = FilledHere(EndOfScope()); filled == nullptr) {
        text_ += "<p>" + Said(pieces[i].span) + "</p>\n";
      } else if (!is_filled_) {
        text_ +=
            "<p class=\"filled\">" + ShownProse(Flowing(filled->text), filled->values) + "</p>\n";
        is_filled_ = true;
      }
    }
  }

  void List(const Block& block) {
    if (is_filled_ || FilledHere(EndOfScope()) != nullptr) {
      if (!is_filled_) Paragraph(block);
      return;
    }
    // An item reaches to the next line with a mark.
    const bool quote = block.kind == BlockKind::kQuote;
    text_ += quote ? "<blockquote>" : "<ul>";
    const std::string_view whole = sources_.Text(block.span);
    bool open = false;
    for (std::size_t at = 0; at < whole.size();) {
      const std::size_t end = std::min(whole.find('\n', at), whole.size());
      const std::string_view line = whole.substr(at, end - at);
      const std::size_t mark = MarkOf(line);
      const bool begins = mark > 0 && line.find_first_not_of(' ') < mark;
      if (begins && !quote) {
        text_ += open ? "</li><li>" : "<li>";
        open = true;
      } else {
        text_ += "\n";
      }
      const auto base = static_cast<std::uint32_t>(block.span.begin);
      text_ += Said({file_, base + static_cast<std::uint32_t>(at + mark),
                     base + static_cast<std::uint32_t>(end)});
      at = end + 1;
    }
    text_ += quote ? "</blockquote>\n" : open ? "</li></ul>\n" : "</ul>\n";
  }

  void Table(const Block& block) {
    text_ += "<table>";
    const std::string_view whole = sources_.Text(block.span);
    std::size_t number = 0;
    for (std::size_t at = 0; at < whole.size(); ++number) {
      const std::size_t end = std::min(whole.find('\n', at), whole.size());
      std::string_view line = whole.substr(at, end - at);
      at = end + 1;
      if (number == 1) continue;  // the line of hyphens
      const std::size_t first = line.find_first_not_of(" |");
      line.remove_prefix(std::min(first, line.size()));
      while (line.ends_with(' ') || line.ends_with('|') || line.ends_with('\r'))
        line.remove_suffix(1);
      const char* cell = number == 0 ? "th" : "td";
      text_ += "<tr>";
      for (std::size_t from = 0; from <= line.size();) {
        std::size_t bar = line.find('|', from);
        while (bar != line.npos && bar > 0 && line[bar - 1] == '\\') bar = line.find('|', bar + 1);
        bar = std::min(bar, line.size());
        text_ += fmt::format("<{0}>{1}</{0}>", cell, ShownProse(line.substr(from, bar - from)));
        from = bar + 1;
      }
      text_ += "</tr>";
    }
    text_ += "</table>\n";
  }

  const PagePlaces& places_;
  const Sources& sources_;
  const std::uint32_t file_;
  std::vector<const ProtocolNote*> notes_;  // of this file, by place
  const std::vector<ToDo>& filled_;
  const PlacedFacts& used_;
  const Document document_;
  std::string out_;
  std::string text_;         // of the section that is open
  std::uint32_t begin_ = 0;  // of this section
  int scope_ = 0;            // its scope
  bool is_filled_ = false;   // its filled text is written
  bool has_used_ = false;    // it has rows that the answers rest on
};

}  // namespace

std::string ProtocolHtml(const PagePlaces& places, std::uint32_t file, const std::string& title,
                         const std::vector<ProtocolNote>& notes, const std::vector<ToDo>& filled,
                         const PlacedFacts& used) {
  return ProtocolWriter(places, file, notes, filled, used).Write(title);
}

}  // namespace rpl
