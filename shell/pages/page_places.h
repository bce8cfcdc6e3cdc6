// SPDX-License-Identifier: Apache-2.0
//
// Places of a session's sources on its page: the ids of lines, and the links that lead to them.
#ifndef RPL_SHELL_PAGES_PAGE_PLACES_H_
#define RPL_SHELL_PAGES_PAGE_PLACES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "formats/diagnostic.h"

namespace rpl {

/// The number of lines of a file. A line end at the end of the file begins no further line.
std::size_t LineCount(const Sources::File& source);
/// A line without its line end, from 0. REQUIRES: line < source.lines.size().
std::string_view LineOf(const Sources::File& source, std::size_t line);

/// The places of one epoch. Borrows the sources.
class PagePlaces {
 public:
  /// `epoch`: its number, from 1. Sources from `files` on are not on the page.
  PagePlaces(const Sources& sources, std::uint32_t files, std::size_t epoch)
      : sources_(sources), files_(files), epoch_(epoch) {}

  const Sources& sources() const { return sources_; }
  std::uint32_t files() const { return files_; }

  std::string FileId(std::uint32_t file) const;
  /// `line` counts from 1.
  std::string LineId(std::uint32_t file, std::size_t line) const;

  /// " 14" with a link to the line, and the name of the file before it if it is not the first; ""
  /// without a place. Without a link where the page does not have the line.
  std::string Link(const std::optional<Span>& place) const;
  /// The same without a name for readers of the screen, for long listings.
  std::string ShortLink(const std::optional<Span>& place) const;

 private:
  std::string LinkTo(const std::optional<Span>& place, bool named) const;

  const Sources& sources_;
  std::uint32_t files_;
  std::size_t epoch_;
};

}  // namespace rpl

#endif  // RPL_SHELL_PAGES_PAGE_PLACES_H_
