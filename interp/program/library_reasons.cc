// SPDX-License-Identifier: Apache-2.0
#include "interp/program/library_reasons.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "interp/program/operators.h"
#include "interp/store/integer.h"

namespace rpl {
namespace library_reasons {
namespace {

constexpr std::size_t kShownBytes = 60;  // of a value in a reason, at most

enum class Takes { kAny, kList, kDate, kWholeDays, kWholeNumber };

// What a relation takes, by argument; those after the last one are of any kind.
struct Signature {
  std::string_view label;
  Takes arguments[3];
};

constexpr Signature kRelations[] = {
    {"std#average", {Takes::kList}},
    {"std#date-parts", {Takes::kDate}},
    {"std#day-date", {Takes::kWholeDays}},
    {"std#day-number", {Takes::kDate}},
    {"std#days-after", {Takes::kDate, Takes::kWholeDays}},
    {"std#days-between", {Takes::kDate, Takes::kDate}},
    {"std#distinct", {Takes::kList}},
    {"std#length", {Takes::kList}},
    {"std#max", {Takes::kList}},
    {"std#member", {Takes::kAny, Takes::kList}},
    {"std#min", {Takes::kList}},
    {"std#modulo", {Takes::kWholeNumber, Takes::kWholeNumber}},
    {"std#weekday", {Takes::kDate}},
};

constexpr std::int64_t kFirstDay = -719'528;  // 0000-01-01
constexpr std::int64_t kLastDay = 2'932'896;  // 9999-12-31

// The number of a date, or of the date of a time as it is written.
std::optional<std::int64_t> DayOf(const Pool& pool, Value v) {
  constexpr std::size_t kDateBytes = 10;
  constexpr std::int64_t kMicrosOfDay = 86'400'000'000;
  if (v.kind() != Kind::kString || !ParseInstant(pool.TextOf(v))) return std::nullopt;
  const auto micros = ParseInstant(pool.TextOf(v).substr(0, kDateBytes));
  return micros ? std::optional(*micros / kMicrosOfDay - (*micros % kMicrosOfDay < 0)) : micros;
}

bool IsTaken(const Pool& pool, Takes takes, Value v) {
  switch (takes) {
    case Takes::kAny: return true;
    case Takes::kList:
      return v.kind() == Kind::kList || v.kind() == Kind::kSet || v.kind() == Kind::kMap;
    case Takes::kDate: return DayOf(pool, v).has_value();
    case Takes::kWholeDays:
    case Takes::kWholeNumber: return Pool::IsInt(v);
  }
  return true;
}

std::string_view NameOf(Takes takes) {
  switch (takes) {
    case Takes::kAny: return "any value";
    case Takes::kList: return "a list";
    case Takes::kDate: return "a date such as \"2026-03-01\"";
    case Takes::kWholeDays: return "whole days";
    case Takes::kWholeNumber: return "whole numbers";
  }
  return "";
}

const Signature* Find(std::string_view label) {
  const auto* at = std::ranges::find(kRelations, label, &Signature::label);
  return at == std::end(kRelations) ? nullptr : at;
}

bool IsEmpty(const Pool& pool, Value v) {
  return (v.kind() == Kind::kList || v.kind() == Kind::kSet) && pool.ItemsOf(v).empty();
}

// Where the day with that number would be.
std::string Beyond(const Pool& pool, std::string_view label, std::int64_t from, Value days) {
  const auto count = pool.Int64Of(days);
  const std::string of = std::string(label) + " gives dates of the years 0 to 9999: ";
  const bool later = count ? *count > kLastDay - from : !pool.IntegerOf(days).IsNegative();
  if (later) return of + "this one is beyond the year 9999";
  if (!count || *count < kFirstDay - from) return of + "this one is before the year 0";
  return "";
}

// What an argument is of which the relation takes another kind; "" if there is none.
std::string WrongKind(const Pool& pool, std::string_view label, std::span<const Value> key) {
  const Signature* relation = Find(label);
  if (relation == nullptr) return "";
  for (std::size_t i = 0; i < std::min(key.size(), std::size(relation->arguments)); ++i) {
    const Takes takes = relation->arguments[i];
    if (key[i].is_none() || IsTaken(pool, takes, key[i])) continue;
    const std::string shown = Text(pool, key[i], kShownBytes);
    return "it takes " + std::string(NameOf(takes)) + ", got " +
           (Pool::IsNumber(key[i]) ? shown : std::string(KindName(key[i])) + ": " + shown);
  }
  return "";
}

}  // namespace
}  // namespace library_reasons

bool IsOfLibrary(std::string_view name) { return name.starts_with("std#"); }

std::string WhyLibraryUndefined(const Pool& pool, std::string_view label,
                                std::span<const Value> key, const std::string& inner) {
  using namespace library_reasons;
  if (std::string why = WrongKind(pool, label, key); !why.empty()) return why;
  if (label == "std#average" && !key.empty() && IsEmpty(pool, key[0]))
    return "std#average of an empty list";
  return inner;
}

std::string WhyLibraryEmpty(const Pool& pool, std::string_view label, std::span<const Value> key) {
  using namespace library_reasons;
  if (std::string why = WrongKind(pool, label, key); !why.empty()) return why;
  if (label == "std#member" && key.size() == 2 && IsEmpty(pool, key[1]))
    return "std#member of an empty list is nothing";
  if (key.empty() || key[0].is_none()) return "";
  if ((label == "std#min" || label == "std#max") && IsEmpty(pool, key[0]))
    return std::string(label) + " of an empty list is nothing";
  if (label == "std#day-date" && Pool::IsInt(key[0])) return Beyond(pool, label, 0, key[0]);
  if (label == "std#days-after" && Pool::IsInt(key[1]))
    if (const auto day = DayOf(pool, key[0])) return Beyond(pool, label, *day, key[1]);
  return "";
}

}  // namespace rpl
