// SPDX-License-Identifier: Apache-2.0
#include "runtime/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace rpl {
namespace {

constexpr std::array<std::string_view, 28> kVerbs = {"",           "rule",
                                                     "constraint", "asserted",
                                                     "retracted",  "left to its rules",
                                                     "resolved",   "declined",
                                                     "decided",    "derived",
                                                     "live",       "violated",
                                                     "undecided",  "stopped in",
                                                     "considered", "eligible",
                                                     "ineligible", "passed over",
                                                     "plan",       "created",
                                                     "dispatched", "refused",
                                                     "satisfied",  "unsatisfied",
                                                     "waiting",    "offered to continue after",
                                                     "trace",      "chat"};
static_assert(kVerbs.size() == static_cast<std::size_t>(LogLine::Verb::kChat) + 1);

}  // namespace

std::string_view VerbText(LogLine::Verb verb) { return kVerbs[static_cast<std::size_t>(verb)]; }

std::string SaidText(const LogLine& line) {
  const std::string_view verb = VerbText(line.verb);
  std::string out = std::string(verb) + (verb.empty() ? "" : " ") + line.text;
  std::replace(out.begin(), out.end(), '\n', ' ');
  return out;
}

std::string LogText(const LogLine& line) {
  return fmt::format("{}.{} {}", line.timestep, line.phase, SaidText(line));
}

std::string OneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace rpl
