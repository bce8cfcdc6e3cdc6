// SPDX-License-Identifier: Apache-2.0
#include "shell/terminal/limit_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <type_traits>

#include "formats/terminal_text.h"

namespace rpl {
namespace {

constexpr std::size_t kMany = 1'000'000'000;
constexpr std::size_t kMaxRows = 4'000'000'000;  // row ids have 32 bits

constexpr LimitName kLimits[] = {
    {"time", "SECONDS", "Evaluation time of one timestep, 0 for no limit", kMany,
     &SessionLimits::max_seconds},
    {"memory", "MB", "Memory of the process, 0 for no limit", kMany, &SessionLimits::max_megabytes},
    {"rows", "N", "Rows derived, 0 for no limit", kMaxRows, &SessionLimits::max_rows},
    {"rounds", "N", "Rounds of one stratum, 0 for no limit", kMany, &SessionLimits::max_rounds},
    {"depth", "N", "Nested calls, 0 for the maximum", kMostDepth, &SessionLimits::max_depth},
    {"timesteps", "N", "Timesteps of one run, 0 for no limit", kMany,
     &SessionLimits::max_timesteps},
};

}  // namespace

std::span<const LimitName> LimitNames() { return kLimits; }

std::string LimitText(const LimitName& limit, const SessionLimits& limits) {
  return std::visit([&](auto member) { return fmt::format("{}", limits.*member); }, limit.member);
}

std::string TakeLimit(const LimitName& limit, const std::string& text, SessionLimits& limits) {
  return std::visit(
      [&](auto member) {
        using Held = std::remove_reference_t<decltype(limits.*member)>;
        const auto most = static_cast<Held>(limit.most);
        Held number = 0;
        const char* const end = text.data() + text.size();
        const auto read = std::from_chars(text.data(), end, number);
        if (read.ec != std::errc{} || read.ptr != end || !(number >= 0 && number <= most))
          return fmt::format("expected a {} from 0 to {}, got `{}`",
                             std::is_integral_v<Held> ? "whole number" : "number", limit.most,
                             text);
        limits.*member = number;
        return std::string();
      },
      limit.member);
}

std::string TakeNamedLimit(const std::string& text, SessionLimits& limits) {
  const std::size_t blank = std::min(text.find_first_of(" \t"), text.size());
  const std::string name = text.substr(0, blank);
  const std::size_t value = text.find_first_not_of(" \t", blank);
  const auto limit = std::find_if(std::begin(kLimits), std::end(kLimits),
                                  [&](const LimitName& known) { return name == known.name; });
  if (limit == std::end(kLimits)) {
    std::string names;
    for (const LimitName& known : kLimits)
      names += fmt::format("{}{}", names.empty() ? "" : ", ", known.name);
    return fmt::format("no limit `{}`; there are {}", PrintableLine(name), names);
  }
  if (value == text.npos) return fmt::format("expected .limits {} {}", name, limit->unit);
  const std::string wrong = TakeLimit(*limit, text.substr(value), limits);
  return wrong.empty() ? "" : fmt::format(".limits {}: {}", name, PrintableLine(wrong));
}

}  // namespace rpl
