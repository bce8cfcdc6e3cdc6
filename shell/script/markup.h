// SPDX-License-Identifier: Apache-2.0
//
// Text in HTML and XML.
#ifndef RPL_SHELL_SCRIPT_MARKUP_H_
#define RPL_SHELL_SCRIPT_MARKUP_H_

#include <string>
#include <string_view>

namespace rpl {

/// The text for an element or a quoted attribute of HTML or XML. Bytes that are not UTF-8, and
/// characters that XML 1.0 does not have, become U+FFFD.
std::string MarkupText(std::string_view text);

}  // namespace rpl

#endif  // RPL_SHELL_SCRIPT_MARKUP_H_
