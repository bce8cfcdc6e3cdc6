// SPDX-License-Identifier: Apache-2.0
//
// An agent that answers nothing and shows nothing, for sessions that are inspected but not
// continued: their calls stay open.
#ifndef RPL_RUNTIME_NOBODY_H_
#define RPL_RUNTIME_NOBODY_H_

#include <string>

#include "runtime/agent.h"

namespace rpl {

/// Stateless.
class Nobody : public Agent {
 public:
  rpl::Answer Ask(const Request&, Pool&, std::string_view) override { return {}; }
  void Chat(const std::string&) override {}
  void OfferToContinue(const std::string&) override {}
};

}  // namespace rpl

#endif  // RPL_RUNTIME_NOBODY_H_
