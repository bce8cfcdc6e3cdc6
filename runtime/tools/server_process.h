// SPDX-License-Identifier: Apache-2.0
//
// A process that serves on its standard input and output for as long as rpl wants it.
//
// It runs below a keeper (runtime/tools/keeper.h), so that neither it nor what it starts survives
// rpl. Its end is asked for in steps, as MCP has it: its input is closed, then SIGTERM, then
// SIGKILL; the caller decides when. Reading and writing are the caller's, with poll(2): both ends
// are non-blocking.
#ifndef RPL_RUNTIME_TOOLS_SERVER_PROCESS_H_
#define RPL_RUNTIME_TOOLS_SERVER_PROCESS_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace rpl {

/// What to start.
struct ServerCommand {
  std::vector<std::string> argv;  // not empty; without `/` it is looked up in PATH
  std::string folder;             // working directory; "" for that of rpl
  /// Variables that are passed on; nullopt: all.
  std::optional<std::vector<std::string>> environment = std::nullopt;
  bool reads_log = false;  // its standard error is a pipe to rpl, else rpl's own
};

/// How it ended.
struct ServerEnd {
  int start_error = 0;  // errno, if it could not be started
  int status = 0;       // exit code
  int signal = 0;       // or the signal that ended it
};

class ServerProcess {
 public:
  ServerProcess() = default;
  /// Kills it, if it runs, and waits for the end of its keeper.
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;

  /// Starts it. Returns the reason why not, or ""; a program that does not exist is noticed later,
  /// in its end. REQUIRES: not started yet.
  [[nodiscard]] std::string Start(const ServerCommand& command);

  int input() const { return in_; }    // to write; -1 once closed
  int output() const { return out_; }  // to read; -1 once closed
  int log() const { return log_; }     // to read; -1 without
  bool runs() const { return pid_ > 0; }

  void CloseInput();
  void CloseOutput();
  void CloseLog();
  /// SIGTERM to the process and its group.
  void Terminate();
  /// SIGKILL to all that is below the keeper.
  void Kill();

  /// Its end, if it has ended; does not wait.
  std::optional<ServerEnd> TakeEnd();

 private:
  pid_t pid_ = 0;  // of the keeper; 0 before the start and after TakeEnd
  bool kept_ = false;
  int in_ = -1, out_ = -1, log_ = -1;
  int report_ = -1;  // from the keeper
};

}  // namespace rpl

#endif  // RPL_RUNTIME_TOOLS_SERVER_PROCESS_H_
