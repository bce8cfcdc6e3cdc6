// SPDX-License-Identifier: Apache-2.0
//
// The rule at the end of a zone's data (TZif, RFC 9636): the daylight saving time of all years
// after the last change that the data list, which may be long ago.
//
//   CET-1CEST,M3.5.0,M10.5.0/3     from the last Sunday of March to that of October
//   <+0330>-3:30                   the same offset all year
#ifndef RPL_CHECKS_GUARD_ZONE_RULE_H_
#define RPL_CHECKS_GUARD_ZONE_RULE_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace rpl {

class ZoneRule {
 public:
  /// nullopt if the text is no such rule.
  static std::optional<ZoneRule> Parse(std::string_view text);

  /// Local time less UTC, in seconds, at a time in seconds since 1970.
  std::int64_t OffsetAt(std::int64_t time) const;

 private:
  /// A time of the year, in seconds of local time, as it was before.
  struct Change {
    enum class Kind : std::uint8_t {
      kWeekday,   // Mm.w.d: the w-th (5: the last) weekday d of the month m; Sunday is 0
      kLeapless,  // Jn: day n of the year from 1, without 29 February
      kDay,       // n: day n of the year from 0
    };
    Kind kind;
    int month, week, day;
    std::int64_t seconds;  // from the beginning of the day; may lie outside of it

    std::int64_t In(int year) const;
  };
  class Reader;

  std::int64_t standard_ = 0;
  std::int64_t saving_ = 0;
  std::optional<Change> begin_, end_;  // of daylight saving time
};

}  // namespace rpl

#endif  // RPL_CHECKS_GUARD_ZONE_RULE_H_
