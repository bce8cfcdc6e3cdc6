// SPDX-License-Identifier: Apache-2.0
#include "runtime/nobody.h"

#include <cstddef>

#include "formats/text_hash.h"

namespace rpl {

std::vector<Answer> Nobody::Call(const std::vector<ToolCall>& calls, Pool& pool) {
  std::vector<rpl::Answer> out(calls.size());
  for (std::size_t i = 0; reader_ && i < calls.size(); ++i) out[i] = reader_(calls[i], pool);
  return out;
}

std::vector<Answer> Nobody::ReadAgain(const std::vector<Reread>& calls, Pool& pool) {
  std::vector<rpl::Answer> out(calls.size());
  for (std::size_t i = 0; reader_ && i < calls.size(); ++i) {
    rpl::Answer read = reader_(calls[i].call, pool);
    if (read.source && HashOfText(read.source->text) != calls[i].hash) out[i] = std::move(read);
  }
  return out;
}

}  // namespace rpl
