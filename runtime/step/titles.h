// SPDX-License-Identifier: Apache-2.0
//
// The titles of the headings that places of documents stand under. A document is read once more,
// when its first place is asked for.
#ifndef RPL_RUNTIME_STEP_TITLES_H_
#define RPL_RUNTIME_STEP_TITLES_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "grammar/document.h"

namespace rpl {

class Titles {
 public:
  /// Borrows the sources.
  explicit Titles(const Sources& sources) : sources_(sources) {}

  /// The outermost first, each without its signature, unless that is all there is.
  std::vector<std::string> Above(const Span& place);

 private:
  const Sources& sources_;
  std::map<std::uint32_t, Document> documents_;  // by file
};

}  // namespace rpl

#endif  // RPL_RUNTIME_STEP_TITLES_H_
