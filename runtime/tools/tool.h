// SPDX-License-Identifier: Apache-2.0
//
// Tools as commands: a call is a process that reads one line of JSON and writes one (docs/tools.md,
// §13, §14).
//
//   on its standard input   {"rpl":1,"id":"…","tool":"stock","args":["nuts"],"deadlineMs":30000}
//   on its standard output  {"id":"…","result":…} or {"id":"…","error":{"code":"…","message":"…"}}
//
// The life of a call: the process starts from its argument list (no shell) in its folder, with the
// configured environment variables and the three standard descriptors only. The request is written
// and standard input closed; standard output is read to its end and must be one JSON object;
// standard error is a log, line by line. The call ends when the process and all its descendants are
// gone and its three pipes are closed.
//
// A call fails only through its result. Errors by code:
//
//   not-started      no such program, no such folder, no descriptor left
//   timeout          it ran longer than its time
//   too-much-output  its standard output was larger than its limit
//   signal, exit     it was ended by a signal, or ended with a status other than 0
//   no-reply         its standard output was empty
//   bad-reply        its output is no reply to this request
//   left-children    it ended, and processes that it started did not
//   interrupted      the run was interrupted, before or while it ran
//   not-recorded     `starting` returned false: it was not started
//   tool             it replied with an error of its own
//
// The first cause counts. A process that continues after an error receives SIGTERM and after the
// grace SIGKILL, with its whole group and the descendants that left it. The output of a tool is
// untrusted.
#ifndef RPL_RUNTIME_TOOLS_TOOL_H_
#define RPL_RUNTIME_TOOLS_TOOL_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/tools/tool_config.h"

namespace rpl {

/// The result of a call.
struct ToolResult {
  bool ok = false;
  nlohmann::ordered_json result;  // if ok
  std::string code;               // of the error, from the list above
  std::string message;            // for people; the tool's own if `code` is "tool"
  std::string tool_code;          // if `code` is "tool": the tool's own code
  double took_ms = 0;             // wall time from start to end
};

/// A call to make. Borrows its command.
struct CommandCall {
  std::string id;
  const ToolCommand* command = nullptr;
  nlohmann::ordered_json args;  // a list
  /// Called immediately before the process starts; false prevents the start. May be empty.
  std::function<bool()> starting = nullptr;
  /// Called when the call has ended, except after `interrupted` and `not-recorded`. May be empty.
  std::function<void(const ToolResult&)> finished = nullptr;
  /// A line to write instead of the request; the reply may then be any one JSON value.
  std::optional<std::string> line = std::nullopt;
};

/// The request, without its newline.
std::string RequestLine(const CommandCall& call);

/// The settings of a batch.
struct ToolRun {
  std::size_t concurrency = 4;  // calls at a time, at least 1
  /// Receives the log of a tool, one line at a time without its end: UTF-8, otherwise unescaped.
  /// May be empty.
  std::function<void(const std::string& tool, const std::string& line)> log;
  /// Polled while calls run; true ends them all. May be empty.
  std::function<bool()> interrupted;
  /// The time between SIGTERM and SIGKILL, and the time for descendants to end after the process.
  std::chrono::milliseconds grace{500};
};

/// Held while a batch of calls runs: there is one at a time in a process. The constructor waits
/// until it is held, or an interrupt ends the wait; `interrupted` may be empty.
class BatchLock {
 public:
  explicit BatchLock(const std::function<bool()>& interrupted);
  bool is_held() const { return lock_.owns_lock(); }

 private:
  std::unique_lock<std::timed_mutex> lock_;
};

/// Runs the calls on the calling thread's event loop: they start in order and run concurrently, up
/// to the concurrency. The results are in the order of the calls. Callbacks come on the calling
/// thread and must not throw.
///
/// While it runs, this process handles SIGINT, SIGTERM and SIGHUP, unless LeaveSignals was called;
/// one that arrives ends the calls like an interrupt, and is raised again before the function
/// returns. A handler of SIGINT that the caller has stays in force during `starting` and
/// `finished`, which may wait. All descriptors of the process from 3 on are close-on-exec
/// afterwards. There is one batch at a time in a process (BatchLock); callbacks run none.
std::vector<ToolResult> RunTools(const std::vector<CommandCall>& calls, const ToolRun& run);

/// From now on RunTools leaves all signals to this process, which may want to end the calls itself
/// (ToolRun::interrupted), or to let them end. To be called before the first RunTools.
void LeaveSignals();

}  // namespace rpl

#endif  // RPL_RUNTIME_TOOLS_TOOL_H_
