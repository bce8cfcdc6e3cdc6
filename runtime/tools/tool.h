// SPDX-License-Identifier: Apache-2.0
//
// Tools as commands: a call is a process that reads one line of JSON and writes one
// (docs/tools.md).
//
//   on its standard input   {"rpl":1,"id":"…","tool":"stock","args":["nuts"],"deadlineMs":30000}
//   on its standard output  {"id":"…","result":…} or {"id":"…","error":{"code":"…","message":"…"}}
//
// The life of a call: started from its argument list (no shell) in its folder, with the
// environment variables that are named and no descriptor but the three standard ones; the
// request is written and standard input closed; standard output is read to its end and is
// one JSON object; standard error is log, line by line. The call is over when the process
// and everything that it started is gone, and its three pipes are closed.
//
// A call never fails otherwise than by its result. Errors by code:
//
//   not-started      no such program, no such folder, no descriptor left
//   timeout          it ran longer than its time
//   too-much-output  its standard output was larger than its limit
//   signal, exit     it was ended by a signal, or ended with a status other than 0
//   no-reply         its standard output was empty
//   bad-reply        what it wrote is no reply to this request
//   left-children    it ended, and processes that it started did not
//   interrupted      the run was interrupted, before or while it ran
//   not-recorded     `starting` said no: it was not started
//   tool             it replied with an error of its own
//
// The first cause counts. A process that goes on after an error gets SIGTERM and then
// SIGKILL, it and its whole group, and whatever it left behind elsewhere.
#ifndef RPL_RUNTIME_TOOLS_TOOL_H_
#define RPL_RUNTIME_TOOLS_TOOL_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/tools/tool_config.h"

namespace rpl {

struct ToolResult {
  bool ok = false;
  nlohmann::ordered_json result;  // when ok
  std::string code;               // of the error, from the list above
  std::string message;            // for people, and of the tool itself when `code` is "tool"
  std::string tool_code;          // when `code` is "tool": the tool's own
  double took_ms = 0;             // from its start to its end
};

struct ToolCall {
  std::string id;
  const ToolCommand* command = nullptr;
  nlohmann::ordered_json args;  // a list
  /// Called right before the process is started, which it is not when this gives false. May be
  /// empty.
  std::function<bool()> starting = nullptr;
  /// Called when the call has ended, unless an interrupt ended it or it was not recorded; may be
  /// empty.
  std::function<void(const ToolResult&)> finished = nullptr;
  /// In place of the request: this line is written, and the reply is any one JSON value.
  std::optional<std::string> line = std::nullopt;
};

/// The request as it is written, without its newline.
std::string RequestLine(const ToolCall& call);

struct ToolRun {
  std::size_t concurrency = 4;  // calls at a time, at least 1
  /// Receives the log of a tool, a line at a time without its end, in UTF-8 and otherwise
  /// as the tool wrote it. May be empty.
  std::function<void(const std::string& tool, const std::string& line)> log;
  /// Polled while calls run; true ends them all. May be empty.
  std::function<bool()> interrupted;
  /// Between SIGTERM and SIGKILL, and for what a tool started to end after it.
  std::chrono::milliseconds grace{500};
};

/// Runs the calls, in order as there is room, side by side up to the concurrency. The
/// results stand in the order of the calls, however they ended. Callbacks must not throw.
///
/// While it runs, this process catches SIGINT, SIGTERM and SIGHUP; one that comes ends the
/// calls as an interrupt does, and is raised again before the function returns. All its
/// descriptors from 3 on are closed on exec from then on.
std::vector<ToolResult> RunTools(const std::vector<ToolCall>& calls, const ToolRun& run);

}  // namespace rpl

#endif  // RPL_RUNTIME_TOOLS_TOOL_H_
