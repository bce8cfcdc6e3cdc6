// SPDX-License-Identifier: Apache-2.0
//
// Erasing from a table with open addressing and linear probing (RowTable, IdTable).
#ifndef RPL_INTERP_STORE_CLOSE_GAP_H_
#define RPL_INTERP_STORE_CLOSE_GAP_H_

#include <cstddef>

#include "interp/store/pages.h"

namespace rpl {

/// Frees the slot at `gap`: the entries behind it that a search would miss from now on move up.
/// `home(slot)` is the place where the search for an entry begins. There are `mask + 1` slots, a
/// power of two; a free one is `Slot{}`, and there is one.
template <typename Slot, typename Home>
void CloseGap(PageArray<Slot>& slots, std::size_t mask, std::size_t gap, const Home& home) {
  for (std::size_t at = (gap + 1) & mask; slots[at] != Slot{}; at = (at + 1) & mask) {
    if (((at - home(slots[at])) & mask) < ((at - gap) & mask)) continue;
    slots[gap] = slots[at];
    gap = at;
  }
  slots[gap] = Slot{};
}

}  // namespace rpl

#endif  // RPL_INTERP_STORE_CLOSE_GAP_H_
