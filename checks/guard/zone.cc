// SPDX-License-Identifier: Apache-2.0
//
// The library reads the data of a zone on its first use, and the list of zone names once. It does
// not read the rule at the end of the data, by which times after the last listed change go.
#include "checks/guard/zone.h"

#include <date/tz.h>

#include <chrono>
#include <exception>
#include <fstream>
#include <iterator>
#include <mutex>
#include <unordered_map>

#include "checks/guard/zone_rule.h"
#include "formats/glob.h"

namespace rpl {
namespace {

using Zones = std::unordered_map<std::string, const date::time_zone*>;

const Zones& AllZones() {
  static const Zones zones = [] {
    Zones by_name;
    for (const date::time_zone& zone : date::get_tzdb().zones) {
      // Files of the system that stand for one zone or another.
      if (zone.name() == "localtime" || zone.name() == "posixrules") continue;
      by_name.emplace(FoldCase(zone.name()), &zone);
    }
    return by_name;
  }();
  return zones;
}

using Time = date::sys_time<std::chrono::microseconds>;

constexpr const char* kFolder = "/usr/share/zoneinfo/";

// The rule at the end of the zone's data; nullopt if it has none. Thread-safe.
const std::optional<ZoneRule>& RuleOf(const std::string& zone) {
  static std::mutex mutex;
  static std::unordered_map<std::string, std::optional<ZoneRule>> rules;
  const std::lock_guard lock(mutex);
  const auto [at, is_new] = rules.try_emplace(zone);
  if (!is_new) return at->second;
  std::ifstream file(kFolder + zone, std::ios::binary);
  const std::string data(std::istreambuf_iterator<char>(file), {});
  if (!data.ends_with('\n')) return at->second;
  const std::size_t end = data.size() - 1;
  const std::size_t begin = end == 0 ? data.npos : data.rfind('\n', end - 1);
  if (begin != data.npos) at->second = ZoneRule::Parse(data.substr(begin + 1, end - begin - 1));
  return at->second;
}

// Local time less UTC.
std::chrono::seconds OffsetAt(const date::time_zone& zone, date::sys_seconds time) {
  const date::sys_info info = zone.get_info(time);
  // The end of what lasts, as far as the listed changes tell.
  constexpr date::sys_seconds kNever = date::sys_days(date::year(9000) / 1 / 1);
  if (info.end < kNever) return info.offset;
  const std::optional<ZoneRule>& rule = RuleOf(zone.name());
  return rule ? std::chrono::seconds(rule->OffsetAt(time.time_since_epoch().count())) : info.offset;
}

}  // namespace

std::optional<LocalTime> LocalTimeAt(Moment moment, std::string_view zone) {
  try {  // the library throws if the data cannot be read
    const Zones& zones = AllZones();
    const auto found = zones.find(FoldCase(zone));
    if (found == zones.end()) return std::nullopt;
    const Time time(std::chrono::microseconds{moment});
    const Time local = time + OffsetAt(*found->second, date::floor<std::chrono::seconds>(time));
    const auto days = date::floor<date::days>(local);
    const date::weekday day(days);
    const auto minutes = date::floor<std::chrono::minutes>(local - days);
    return LocalTime{static_cast<int>(day.iso_encoding()) - 1, static_cast<int>(minutes.count())};
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace rpl
