// SPDX-License-Identifier: Apache-2.0
//
// Sets of parties that state facts.
#ifndef RPL_INTERP_STORE_PARTIES_H_
#define RPL_INTERP_STORE_PARTIES_H_

#include <cstdint>

#include "interp/store/by.h"

namespace rpl {

/// A bit for each By.
using Parties = std::uint8_t;

constexpr Parties PartyBit(By by) { return static_cast<Parties>(1U << static_cast<int>(by)); }
inline constexpr Parties kAllParties = 0xFF;

}  // namespace rpl

#endif  // RPL_INTERP_STORE_PARTIES_H_
