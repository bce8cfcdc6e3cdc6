// SPDX-License-Identifier: Apache-2.0
//
// The titles of the headings that places of documents stand under. A document is read once.
#ifndef RPL_RUNTIME_STEP_TITLES_H_
#define RPL_RUNTIME_STEP_TITLES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "formats/diagnostic.h"

namespace rpl {

class Titles {
 public:
  /// Borrows the sources.
  explicit Titles(const Sources& sources) : sources_(sources) {}

  /// The outermost first, each without its signature. O(depth) but for the first call of a file.
  std::vector<std::string> Above(const Span& place);

 private:
  struct Heading {
    std::size_t begin;
    std::size_t level;
    std::ptrdiff_t above;  // the heading above it, or -1
    std::string title;
  };
  static std::vector<Heading> HeadingsOf(std::string_view text);

  const Sources& sources_;
  std::map<std::uint32_t, std::vector<Heading>> headings_;  // by file
};

}  // namespace rpl

#endif  // RPL_RUNTIME_STEP_TITLES_H_
