// SPDX-License-Identifier: Apache-2.0
#include "shell/gateway/withheld_results.h"

#include <algorithm>
#include <utility>

namespace rpl {
namespace {

constexpr std::size_t kMostDropped = 10'000;

}  // namespace

bool WithheldResults::Keep(WithheldResult result) {
  bytes_ += result.answer.size();
  kept_.push_back(std::move(result));
  bool dropped = false;
  while (kept_.size() > most_ || bytes_ > most_bytes_) {
    dropped = true;
    dropped_.push_back(kept_.front().digest);
    Erase(kept_.begin());
    if (dropped_.size() > kMostDropped) dropped_.pop_front();
  }
  return dropped;
}

WithheldResult* WithheldResults::Find(const std::string& digest) {
  const auto found = std::find_if(kept_.begin(), kept_.end(),
                                  [&](const auto& kept) { return kept.digest == digest; });
  return found == kept_.end() ? nullptr : &*found;
}

void WithheldResults::Remove(const WithheldResult* result) {
  Erase(
      std::find_if(kept_.begin(), kept_.end(), [&](const auto& kept) { return &kept == result; }));
}

bool WithheldResults::TakeDropped(const std::string& digest) {
  const auto found = std::find(dropped_.begin(), dropped_.end(), digest);
  if (found == dropped_.end()) return false;
  dropped_.erase(found);
  return true;
}

void WithheldResults::Erase(std::list<WithheldResult>::iterator at) {
  bytes_ -= at->answer.size();
  kept_.erase(at);
}

}  // namespace rpl
