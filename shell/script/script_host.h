// SPDX-License-Identifier: Apache-2.0
//
// An agent's host in a test script: calls that the protocol decides about, and how they end.
#ifndef RPL_SHELL_SCRIPT_SCRIPT_HOST_H_
#define RPL_SHELL_SCRIPT_SCRIPT_HOST_H_

#include <cstdint>
#include <optional>
#include <string>

#include "checks/calls/call_rows.h"
#include "runtime/host/host_calls.h"
#include "runtime/host/host_log.h"

namespace rpl {

class Session;

/// The project is a folder without files, `/project`, in which all calls are made.
class ScriptHost {
 public:
  HostDescription& calls() { return calls_; }

  /// A call, `TOOL {ARGUMENTS}` with arguments in JSON. Returns what is wrong about the text, or
  /// "".
  std::string Call(const std::string& text, Session& session);
  /// The last call ended with a result in JSON, or, after the word `failed`, failed. The same.
  std::string Result(const std::string& text);
  /// The agent wants to end its turn.
  void End(Session& session);

  /// Why the last event was denied, "" if it passed; nullopt before the first.
  const std::optional<std::string>& denied() const { return denied_; }

 private:
  void Decide(Session& session, const CallViews& views);

  HostLog log_;
  HostCalls calls_{log_};
  std::optional<std::string> denied_;
  std::int64_t call_ = 0;  // the last one that passed, or 0
};

}  // namespace rpl

#endif  // RPL_SHELL_SCRIPT_SCRIPT_HOST_H_
