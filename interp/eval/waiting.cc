// SPDX-License-Identifier: Apache-2.0
#include "interp/eval/waiting.h"

#include <algorithm>

namespace rpl {

// A clause that is tried for many rows waits for the same again and again.
void Waiting::Add(On on) {
  constexpr std::ptrdiff_t kRecent = 8;
  has_ |= on.has & on.of;
  const auto from = all_.end() - std::min<std::ptrdiff_t>(kRecent, std::ssize(all_));
  if (std::find(from, all_.end(), on) == all_.end()) all_.push_back(on);
}

void Waiting::Add(const Waiting& more) {
  for (const On& on : more.all_) Add(on);
}

void Waiting::Postpone(const Table* table) {
  const auto is_it = [&](const On& on) { return on.table == table; };
  std::stable_partition(all_.begin(), all_.end(), [&](const On& on) { return !is_it(on); });
}

void Waiting::KeepTools() {
  has_ &= kTools;
  std::erase_if(all_, [](const On& on) { return (on.has & on.of & kTools) == 0; });
  for (On& on : all_) on.of &= kTools;
}

}  // namespace rpl
