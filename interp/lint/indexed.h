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
  std::set<std::string> relations;  // named by a hint, or by the file's name of rows
  bool others = false;              // some source may state others
};

Indexed IndexedBy(const std::deque<Document>& documents);

}  // namespace rpl::check

#endif  // RPL_INTERP_LINT_INDEXED_H_
