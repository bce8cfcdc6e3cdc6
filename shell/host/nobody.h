// SPDX-License-Identifier: Apache-2.0
//
// An agent for what is looked at and not gone on with: it answers nothing and shows nothing,
// so what is asked for stays open.
#ifndef RPL_SHELL_HOST_NOBODY_H_
#define RPL_SHELL_HOST_NOBODY_H_

#include <string>

#include "runtime/agent.h"

namespace rpl {

class Nobody : public Agent {
 public:
  rpl::Answer Answer(const Request&, Pool&, bool) override { return {}; }
  void Chat(const std::string&) override {}
  void OfferToContinue(const std::string&) override {}
};

}  // namespace rpl

#endif  // RPL_SHELL_HOST_NOBODY_H_
