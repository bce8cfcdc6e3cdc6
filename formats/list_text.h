// SPDX-License-Identifier: Apache-2.0
//
// Lists in sentences.
#ifndef RPL_FORMATS_LIST_TEXT_H_
#define RPL_FORMATS_LIST_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace rpl {

/// The elements as `show` prints them, "a, b or c" with `last` = " or "; "" if there are none.
template <typename List, typename Show>
std::string ListText(const List& list, std::string_view last, Show&& show) {
  std::string text;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) text += i + 1 == list.size() ? last : ", ";
    text += show(list[i]);
  }
  return text;
}

}  // namespace rpl

#endif  // RPL_FORMATS_LIST_TEXT_H_
