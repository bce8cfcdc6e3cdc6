// SPDX-License-Identifier: Apache-2.0
#include "shell/pages/page_places.h"

#include <fmt/format.h>

#include "shell/pages/html.h"
#include "shell/pages/shown_document.h"

namespace rpl {

std::size_t LineCount(const Sources::File& source) {
  const std::size_t lines = source.lines.size();
  return lines > 0 && source.lines.back() == source.text.size() ? lines - 1 : lines;
}

std::string_view LineOf(const Sources::File& source, std::size_t line) {
  const std::size_t begin = source.lines[line];
  const std::size_t end =
      line + 1 < source.lines.size() ? source.lines[line + 1] : source.text.size();
  std::string_view text(source.text.data() + begin, end - begin);
  while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

std::string PagePlaces::FileId(std::uint32_t file) const {
  return fmt::format("f{}-{}", file, epoch_);
}

std::string PagePlaces::LineId(std::uint32_t file, std::size_t line) const {
  return fmt::format("L{}-f{}-{}", line, file, epoch_);
}

std::string PagePlaces::Link(const std::optional<Span>& place) const { return LinkTo(place, true); }

std::string PagePlaces::ShortLink(const std::optional<Span>& place) const {
  return LinkTo(place, false);
}

std::string PagePlaces::LinkTo(const std::optional<Span>& place, bool named) const {
  if (!place || place->file >= files_) return "";
  const Sources::File& source = sources_.at(place->file);
  const std::size_t line = sources_.PlaceOf(place->file, place->begin).line;
  const std::string where = fmt::format("{}:{}", Shown(source.name), line);
  const std::string shown = place->file == 0 ? std::to_string(line) : where;
  if (line > kPageSourceLines || line > LineCount(source))
    return " <span class=\"place\">" + shown + "</span>";
  const std::string name = named ? fmt::format(" title=\"{}\" aria-label=\"line {} of {}\"", where,
                                               line, Shown(source.name))
                                 : "";
  return fmt::format(" <a class=\"place\" href=\"#{}\"{}>{}</a>", LineId(place->file, line), name,
                     shown);
}

}  // namespace rpl
