// SPDX-License-Identifier: Apache-2.0
//
// An agent that answers nothing and shows nothing, for sessions that are inspected but not
// continued: their calls stay open.
#ifndef RPL_RUNTIME_NOBODY_H_
#define RPL_RUNTIME_NOBODY_H_

#include <string>
#include <string_view>
#include <vector>

#include "runtime/ports.h"

namespace rpl {

/// Stateless.
class Nobody : public People, public Tools, public SourceAccess, public ChatSink {
 public:
  rpl::Answer Ask(const Question&, Pool&, std::string_view) override { return {}; }
  std::vector<rpl::Answer> Call(const std::vector<ToolCall>& calls, Pool&) override {
    return std::vector<rpl::Answer>(calls.size());
  }
  void Chat(const std::string&) override {}
};

}  // namespace rpl

#endif  // RPL_RUNTIME_NOBODY_H_
