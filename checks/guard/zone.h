// SPDX-License-Identifier: Apache-2.0
//
// Time as policies mean it: moments, and the local time of an IANA zone.
//
// Zones come from the system's data (/usr/share/zoneinfo), daylight saving included; their
// names are compared without case.
#ifndef RPL_CHECKS_GUARD_ZONE_H_
#define RPL_CHECKS_GUARD_ZONE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rpl {

/// Microseconds since 1970-01-01T00:00:00Z.
using Moment = std::int64_t;
inline constexpr Moment kSecond = 1'000'000;

struct LocalTime {
  int day = 0;     // of the week: 0 is Monday
  int minute = 0;  // of the day
};

/// nullopt when the system knows no such zone.
std::optional<LocalTime> LocalTimeAt(Moment moment, std::string_view zone);

/// "2026-01-02T00:00:00.000Z".
std::string MomentText(Moment moment);

}  // namespace rpl

#endif  // RPL_CHECKS_GUARD_ZONE_H_
