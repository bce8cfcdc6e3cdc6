// SPDX-License-Identifier: Apache-2.0
//
// A question as a person reads it. Where the prose of a heading names the relation of its choices,
// the question has that name: "Choose one valid-focus." A person reads "Choose one focus."; what is
// recorded, and what programs get, stays as it is.
#ifndef RPL_SHELL_TERMINAL_PROMPT_TEXT_H_
#define RPL_SHELL_TERMINAL_PROMPT_TEXT_H_

#include <iosfwd>
#include <string>
#include <string_view>

#include "runtime/ports.h"

namespace rpl {

/// The prompt of a request, or its call if it has none, for a terminal (Printable). In a question
/// with choices about `?size`, the word `valid-size` is told as "size", `known-size` as "known
/// size", and so other such words for choices in front of the name. No other word changes, so that
/// neither the author's "well-known" nor a value is told otherwise than it is.
std::string PromptFor(const Request& request);

/// The text with line ends in place of blanks, so that no word is broken on a terminal of that
/// width. A word that is wider than a line stays whole.
std::string Wrapped(std::string_view text, std::size_t width);
/// The same for standard output or error, if that is a terminal; for another stream the text as it
/// is.
std::string Fitted(std::string_view text, const std::ostream& stream);

}  // namespace rpl

#endif  // RPL_SHELL_TERMINAL_PROMPT_TEXT_H_
