// SPDX-License-Identifier: Apache-2.0
//
// An agent that answers nothing, for sessions that are inspected but not continued: their calls
// stay open. At most it reads sources, where a test holds their texts.
#ifndef RPL_RUNTIME_NOBODY_H_
#define RPL_RUNTIME_NOBODY_H_

#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/ports.h"

namespace rpl {

class Nobody : public People, public Tools, public SourceAccess {
 public:
  /// The reply to a call of `$index` whose source is there; none to other calls.
  using Reader = std::function<rpl::Answer(const ToolCall&, Pool&)>;

  Nobody() = default;
  explicit Nobody(Reader reader) : reader_(std::move(reader)) {}

  rpl::Answer Ask(const Question&, Pool&, std::string_view) override { return {}; }
  std::vector<rpl::Answer> Call(const std::vector<ToolCall>& calls, Pool& pool) override;
  std::vector<rpl::Answer> ReadAgain(const std::vector<Reread>& calls, Pool& pool) override;

 private:
  Reader reader_;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_NOBODY_H_
