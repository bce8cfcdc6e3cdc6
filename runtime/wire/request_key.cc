// SPDX-License-Identifier: Apache-2.0
#include "runtime/wire/request_key.h"

namespace rpl {

bool KeyFits(const Request& request, std::string_view key) {
  if (key == request.id) return true;
  if (key.starts_with('?') || key.starts_with('$')) key.remove_prefix(1);
  return !key.empty() &&
         (key == request.name || key == request.relation_asked() || key == request.tool);
}

}  // namespace rpl
