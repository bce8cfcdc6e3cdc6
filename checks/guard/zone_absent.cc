// SPDX-License-Identifier: Apache-2.0
//
// Where the system has no data of time zones, UTC alone is known.
#include <chrono>

#include "checks/guard/zone.h"
#include "formats/glob.h"

namespace rpl {

std::optional<LocalTime> LocalTimeAt(Moment moment, std::string_view zone) {
  const std::string name = FoldCase(zone);
  if (name != "utc" && name != "etc/utc") return std::nullopt;
  using std::chrono::floor;
  const std::chrono::microseconds time{moment};
  const auto days = floor<std::chrono::days>(time);
  const auto since_monday = (days.count() % 7 + 7 + 3) % 7;  // 1970-01-01 was a Thursday
  return LocalTime{static_cast<int>(since_monday),
                   static_cast<int>(floor<std::chrono::minutes>(time - days).count())};
}

}  // namespace rpl
