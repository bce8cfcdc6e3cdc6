// SPDX-License-Identifier: Apache-2.0
#include "checks/guard/zone_rule.h"

#include <chrono>

#include "formats/character.h"

namespace rpl {
namespace {

constexpr std::int64_t kDaySeconds = 86'400;

std::int64_t SecondsOf(std::chrono::sys_days days) {
  return days.time_since_epoch().count() * kDaySeconds;
}

}  // namespace

class ZoneRule::Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  std::optional<ZoneRule> Read() {
    ZoneRule out;
    if (!Name() || !Seconds(out.standard_)) return std::nullopt;
    out.standard_ = -out.standard_;  // they are written as UTC less local time
    if (rest_.empty()) return out;
    if (!Name()) return std::nullopt;
    out.saving_ = out.standard_ + 3600;
    if (!Next(',')) {
      if (!Seconds(out.saving_) || !Next(',')) return std::nullopt;
      out.saving_ = -out.saving_;
    }
    if (!Reads(out.begin_) || !Next(',') || !Reads(out.end_) || !rest_.empty()) return std::nullopt;
    return out;
  }

 private:
  bool Next(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // Letters, or anything in <>.
  bool Name() {
    std::size_t end = 0;
    if (Next('<')) {
      end = rest_.find('>');
      if (end == rest_.npos) return false;
      rest_.remove_prefix(end + 1);
      return true;
    }
    while (end < rest_.size() && IsLetter(rest_[end])) ++end;
    rest_.remove_prefix(end);
    return end > 0;
  }

  bool Number(int& to) {
    constexpr int kMost = 1000;
    to = 0;
    if (rest_.empty() || !IsDigit(rest_.front())) return false;
    for (; !rest_.empty() && IsDigit(rest_.front()) && to < kMost; rest_.remove_prefix(1))
      to = 10 * to + (rest_.front() - '0');
    return to < kMost;
  }

  // [+-]h[:m[:s]]
  bool Seconds(std::int64_t& to) {
    const bool negative = Next('-');
    if (!negative) Next('+');
    int hours = 0, minutes = 0, seconds = 0;
    if (!Number(hours)) return false;
    if (Next(':') && (!Number(minutes) || (Next(':') && !Number(seconds)))) return false;
    to = (negative ? -1 : 1) * (std::int64_t{hours} * 3600 + minutes * 60 + seconds);
    return true;
  }

  bool Reads(std::optional<Change>& to) {
    constexpr std::int64_t kAtTwo = 2 * 3600;
    Change& out = to.emplace(Change{Change::Kind::kWeekday, 0, 0, 0, kAtTwo});
    const auto within = [](int n, int least, int most) { return least <= n && n <= most; };
    if (Next('M')) {
      if (!Number(out.month) || !Next('.') || !Number(out.week) || !Next('.') || !Number(out.day) ||
          !within(out.month, 1, 12) || !within(out.week, 1, 5) || !within(out.day, 0, 6))
        return false;
    } else {
      out.kind = Next('J') ? Change::Kind::kLeapless : Change::Kind::kDay;
      if (!Number(out.day) || !within(out.day, out.kind == Change::Kind::kDay ? 0 : 1, 365))
        return false;
    }
    return !Next('/') || Seconds(out.seconds);
  }

  std::string_view rest_;
};

std::optional<ZoneRule> ZoneRule::Parse(std::string_view text) { return Reader(text).Read(); }

std::int64_t ZoneRule::Change::In(int year) const {
  using namespace std::chrono;
  const std::chrono::year y(year);
  sys_days at = y / January / 1;
  if (kind == Kind::kWeekday) {
    const std::chrono::month m(static_cast<unsigned>(month));
    const weekday d(static_cast<unsigned>(day));
    at = week == 5 ? sys_days(y / m / d[last]) : sys_days(y / m / d[static_cast<unsigned>(week)]);
  } else {
    constexpr int kBeforeMarch = 59;
    at += days(kind == Kind::kDay ? day : day - 1 + (y.is_leap() && day > kBeforeMarch ? 1 : 0));
  }
  return SecondsOf(at) + seconds;
}

std::int64_t ZoneRule::OffsetAt(std::int64_t time) const {
  if (!begin_) return standard_;
  using namespace std::chrono;
  const sys_seconds local{std::chrono::seconds(time + standard_)};
  const int year = static_cast<int>(year_month_day(floor<days>(local)).year());
  const std::int64_t begin = begin_->In(year) - standard_, end = end_->In(year) - saving_;
  const bool saves = begin < end ? begin <= time && time < end : time < end || begin <= time;
  return saves ? saving_ : standard_;
}

}  // namespace rpl
