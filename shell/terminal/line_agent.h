// SPDX-License-Identifier: Apache-2.0
//
// The agent of a host program (`--answers -`): each question is written as a JSON object on one
// line, and each reply is read as one.
//
//   {"schema":"rpl.request/1","id":"…","kind":"choose","key":"focus","prompt":"…",
//    "options":[…],"place":"p.md:3:1","again":false}
//   {"id":"…","value":V}  or "metadata":{…}, "decline":true, "cancel":true in place of value
//
// A reply must have the id of the last request. An invalid reply is reported on the error stream
// (blank lines are skipped silently) and the request is repeated with "again" true, as it is for a
// choice outside the options. At the end of input there is no answer (kNobody).
#ifndef RPL_SHELL_TERMINAL_LINE_AGENT_H_
#define RPL_SHELL_TERMINAL_LINE_AGENT_H_

#include <functional>
#include <optional>
#include <ostream>
#include <string>

#include "runtime/ports.h"

namespace rpl {

/// The agent. Replies are untrusted.
class LineAgent : public People {
 public:
  /// Gives one line without its end; nullopt at the end.
  using LineReader = std::function<std::optional<std::string>()>;

  /// Requests go to `out`. Borrows the streams.
  LineAgent(LineReader read_line, std::ostream& out, std::ostream& err)
      : read_line_(std::move(read_line)), out_(out), err_(err) {}

  rpl::Answer Ask(const Question& question, Pool& pool, std::string_view refused) override;

 private:
  LineReader read_line_;
  std::ostream& out_;
  std::ostream& err_;
};

}  // namespace rpl

#endif  // RPL_SHELL_TERMINAL_LINE_AGENT_H_
