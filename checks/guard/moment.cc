// SPDX-License-Identifier: Apache-2.0
#include <date/date.h>
#include <fmt/format.h>

#include <chrono>

#include "checks/guard/zone.h"

namespace rpl {

std::string MomentText(Moment moment) {
  const date::sys_time<std::chrono::microseconds> time{std::chrono::microseconds(moment)};
  const auto days = date::floor<date::days>(time);
  const date::year_month_day day(days);
  const date::hh_mm_ss clock(date::floor<std::chrono::milliseconds>(time - days));
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(day.year()),
                     static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     clock.subseconds().count());
}

}  // namespace rpl
