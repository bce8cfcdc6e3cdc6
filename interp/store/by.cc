// SPDX-License-Identifier: Apache-2.0
#include "interp/store/by.h"

#include <algorithm>
#include <array>

namespace rpl {
namespace {

constexpr std::array<std::string_view, 6> kNames = {"program", "person", "host",
                                                    "model",   "tool",   "file"};

}  // namespace

std::string_view NameOf(By by) { return kNames[static_cast<std::size_t>(by)]; }

std::optional<By> ByOf(std::string_view name) {
  const auto* const at = std::find(kNames.begin(), kNames.end(), name);
  if (at == kNames.end()) return std::nullopt;
  return static_cast<By>(at - kNames.begin());
}

}  // namespace rpl
