// SPDX-License-Identifier: Apache-2.0
//
// Names and texts as SQL has them.
#ifndef RPL_FORMATS_SQL_TEXT_H_
#define RPL_FORMATS_SQL_TEXT_H_

#include <string>
#include <string_view>

namespace rpl {

/// "name", an identifier, with its quotes doubled. REQUIRES: no NUL.
std::string SqlName(std::string_view name);

/// 'text', a literal, with its quotes doubled. REQUIRES: no NUL.
std::string SqlQuoted(std::string_view text);

}  // namespace rpl

#endif  // RPL_FORMATS_SQL_TEXT_H_
