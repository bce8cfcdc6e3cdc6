// SPDX-License-Identifier: Apache-2.0
//
// The agent of a host program: questions leave as JSON objects, one a line, and replies
// come as such (`--answers -`).
//
//   {"schema":"rpl.request/1","id":"…","kind":"choose","key":"focus","prompt":"…",
//    "options":[…],"place":"p.md:3:1","again":false}
//   {"id":"…","value":V}  or "metadata":{…}, "decline":true, "cancel":true in place of value
//
// A reply must have the id of the request just made. What is not understood is told on the
// error stream (blank lines pass without a word) and the request is made again, with "again" true,
// as it is for a choice outside the options. At the end of input nobody answers.
#ifndef RPL_SHELL_HOST_LINE_AGENT_H_
#define RPL_SHELL_HOST_LINE_AGENT_H_

#include <functional>
#include <optional>
#include <ostream>
#include <string>

#include "runtime/agent.h"

namespace rpl {

class LineAgent : public Agent {
 public:
  using LineReader = std::function<std::optional<std::string>()>;

  /// Requests go to `out`; chat too, when `chat`. Borrows the streams.
  LineAgent(LineReader read_line, std::ostream& out, std::ostream& err, bool chat)
      : read_line_(std::move(read_line)), out_(out), err_(err), chat_(chat) {}

  rpl::Answer Answer(const Request& request, Pool& pool, bool again) override;
  void Chat(const std::string& line) override;
  void OfferToContinue(const std::string&) override {}

 private:
  LineReader read_line_;
  std::ostream& out_;
  std::ostream& err_;
  bool chat_;
};

}  // namespace rpl

#endif  // RPL_SHELL_HOST_LINE_AGENT_H_
