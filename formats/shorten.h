// SPDX-License-Identifier: Apache-2.0
//
// Shortening of untrusted texts and lists for messages, so that no message grows with its input.
#ifndef RPL_FORMATS_SHORTEN_H_
#define RPL_FORMATS_SHORTEN_H_

#include <algorithm>
#include <cstddef>
#include <string>

namespace rpl {

/// The text if it has at most `bytes` bytes; else that many or fewer, cut between characters,
/// followed by `…`.
std::string Shortened(std::string text, std::size_t bytes);

/// The first `most` elements, printed by `show` and separated by commas, then "and N more" if the
/// list is longer.
template <typename List, typename Show>
std::string FirstOf(const List& list, std::size_t most, Show&& show,
                    std::string_view between = ", ") {
  std::string text;
  for (std::size_t i = 0; i < std::min(list.size(), most); ++i)
    text.append(i == 0 ? std::string_view() : between).append(show(list[i]));
  if (list.size() > most) text += " and " + std::to_string(list.size() - most) + " more";
  return text;
}

}  // namespace rpl

#endif  // RPL_FORMATS_SHORTEN_H_
