// SPDX-License-Identifier: Apache-2.0
//
// Texts and lists of other people in a message.
#ifndef RPL_FORMATS_SHORTEN_H_
#define RPL_FORMATS_SHORTEN_H_

#include <algorithm>
#include <cstddef>
#include <string>

namespace rpl {

/// The text, or its first `bytes` bytes, without a part of a character, and an ellipsis.
std::string Shortened(std::string text, std::size_t bytes);

/// The first `most` of a list, each as `show` gives it, and how many more there are.
template <typename List, typename Show>
std::string FirstOf(const List& list, std::size_t most, Show&& show) {
  std::string text;
  for (std::size_t i = 0; i < std::min(list.size(), most); ++i)
    text += (i == 0 ? "" : ", ") + show(list[i]);
  if (list.size() > most) text += " and " + std::to_string(list.size() - most) + " more";
  return text;
}

}  // namespace rpl

#endif  // RPL_FORMATS_SHORTEN_H_
