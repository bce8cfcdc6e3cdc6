// SPDX-License-Identifier: Apache-2.0
//
// Time as policies use it: moments, and the local time of an IANA zone.
//
// Zones come from the system's data (/usr/share/zoneinfo), including daylight saving time; their
// names are compared ignoring case.
#ifndef RPL_CHECKS_GUARD_ZONE_H_
#define RPL_CHECKS_GUARD_ZONE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rpl {

/// Microseconds since 1970-01-01T00:00:00Z.
using Moment = std::int64_t;
/// Moments per second.
inline constexpr Moment kSecond = 1'000'000;

/// A time of the week.
struct LocalTime {
  int day = 0;     // of the week: 0 is Monday
  int minute = 0;  // of the day
};

/// The local time in a zone; nullopt if the zone is unknown or its data cannot be read.
/// Thread-safe.
std::optional<LocalTime> LocalTimeAt(Moment moment, std::string_view zone);

/// The UTC time to the millisecond: "2026-01-02T00:00:00.000Z".
std::string MomentText(Moment moment);

}  // namespace rpl

#endif  // RPL_CHECKS_GUARD_ZONE_H_
