// SPDX-License-Identifier: Apache-2.0
//
// The data of a zone is read on its first use, the list of zone names once.
#include "checks/guard/zone.h"

#include <date/tz.h>
#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <unordered_map>

#include "formats/glob.h"

namespace rpl {
namespace {

using Zones = std::unordered_map<std::string, const date::time_zone*>;

const Zones& AllZones() {
  static const Zones zones = [] {
    Zones by_name;
    for (const date::time_zone& zone : date::get_tzdb().zones)
      by_name.emplace(FoldCase(zone.name()), &zone);
    return by_name;
  }();
  return zones;
}

using Time = date::sys_time<std::chrono::microseconds>;

}  // namespace

std::optional<LocalTime> LocalTimeAt(Moment moment, std::string_view zone) {
  try {  // the library throws if the data cannot be read
    const Zones& zones = AllZones();
    const auto found = zones.find(FoldCase(zone));
    if (found == zones.end()) return std::nullopt;
    const auto local = found->second->to_local(Time(std::chrono::microseconds(moment)));
    const auto days = date::floor<date::days>(local);
    const date::weekday day(days);
    const auto minutes = date::floor<std::chrono::minutes>(local - days);
    return LocalTime{static_cast<int>(day.iso_encoding()) - 1, static_cast<int>(minutes.count())};
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::string MomentText(Moment moment) {
  const Time time{std::chrono::microseconds(moment)};
  const auto days = date::floor<date::days>(time);
  const date::year_month_day day(days);
  const date::hh_mm_ss clock(date::floor<std::chrono::milliseconds>(time - days));
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(day.year()),
                     static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     clock.subseconds().count());
}

}  // namespace rpl
