// SPDX-License-Identifier: Apache-2.0
#include "shell/pages/source_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "shell/pages/html.h"
#include "shell/pages/shown_document.h"

namespace rpl {
namespace {

// Writes the lines of a file. Spans are met in order, so a line costs what stands in it.
class SourceWriter {
 public:
  SourceWriter(const Sources::File& source, const Document* document)
      : source_(source), plain_rpl_(document != nullptr && IsPlainRpl(source.name)) {
    if (document == nullptr || plain_rpl_) return;
    spans_ = RplSpansOf(*document);
    for (std::size_t i = 1; i < document->scopes.size(); ++i)
      headings_.push_back(document->scopes[i].span);
  }

  std::string Line(std::size_t line) {
    const std::string_view text = LineOf(source_, line);
    if (plain_rpl_) return ColouredRpl(text);
    const std::size_t begin = source_.lines[line];
    const std::size_t end = begin + text.size();
    while (heading_ < headings_.size() && headings_[heading_].end <= begin) ++heading_;
    const bool heading = heading_ < headings_.size() && headings_[heading_].begin < end;
    while (next_ < spans_.size() && spans_[next_].end <= begin) ++next_;
    std::string out;
    std::size_t at = begin;
    for (std::size_t i = next_; i < spans_.size() && spans_[i].begin < end; ++i) {
      const std::size_t from = std::max<std::size_t>(spans_[i].begin, at);
      const std::size_t to = std::min<std::size_t>(spans_[i].end, end);
      out += Outside(Part(at, from), heading) + ColouredRpl(Part(from, to));
      at = to;
    }
    return out + Outside(Part(at, end), heading);
  }

 private:
  std::string_view Part(std::size_t begin, std::size_t end) const {
    return std::string_view(source_.text).substr(begin, end - begin);
  }

  static std::string Outside(std::string_view text, bool heading) {
    if (text.empty()) return "";
    const std::string shown = Shown(text);
    if (heading) return "<b>" + shown + "</b>";
    const std::size_t first = text.find_first_not_of(' ');
    const bool comment = text.substr(std::min(first, text.size())).starts_with("-- ") ||
                         text.starts_with("```") || text.starts_with("~~~");
    return comment ? "<span class=\"c\">" + shown + "</span>" : shown;
  }

  const Sources::File& source_;
  const bool plain_rpl_;
  std::vector<Span> spans_;
  std::vector<Span> headings_;
  std::size_t next_ = 0;     // the first span that may reach into this line
  std::size_t heading_ = 0;  // likewise
};

}  // namespace

std::string SourceHtml(const PagePlaces& places, std::uint32_t file,
                       const std::map<std::size_t, LineMark>& marks) {
  const Sources::File& source = places.sources().at(file);
  const std::size_t lines = LineCount(source);
  Document document;
  if (IsDocumentName(source.name)) document = ShownDocument(places.sources(), file);
  SourceWriter writer(source, IsDocumentName(source.name) ? &document : nullptr);
  std::string out = "<pre class=\"source\">";
  for (std::size_t i = 0; i < std::min(lines, kPageSourceLines); ++i) {
    const auto mark = marks.find(i + 1);
    const bool marked = mark != marks.end();
    out += fmt::format(
        "<span class=\"line{}\" id=\"{}\"{}>{}\n</span>", marked ? " " + mark->second.style : "",
        places.LineId(file, i + 1),
        marked && !mark->second.note.empty() ? " title=\"" + Shown(mark->second.note) + "\"" : "",
        writer.Line(i));
  }
  out += "</pre>\n";
  if (lines > kPageSourceLines)
    out += fmt::format("<p class=\"note\">{} not shown.</p>\n",
                       Many(lines - kPageSourceLines, "more line is", "more lines are"));
  return out;
}

}  // namespace rpl
