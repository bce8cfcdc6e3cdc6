// SPDX-License-Identifier: Apache-2.0
//
// The relations that sources of `$index` may state, as far as the program says so. The sources
// themselves are not read: they may not exist yet.
#ifndef RPL_INTERP_LINT_INDEXED_H_
#define RPL_INTERP_LINT_INDEXED_H_

#include <deque>
#include <set>
#include <string>

#include "grammar/document.h"

namespace rpl::check {

struct Indexed {
  /// Named by a hint, by the name of a file of rows, or, without an extension, as relations of a
  /// database are.
  std::set<std::string> relations;
  bool others = false;  // some source may state others
};

Indexed IndexedBy(const std::deque<Document>& documents);

}  // namespace rpl::check

#endif  // RPL_INTERP_LINT_INDEXED_H_
