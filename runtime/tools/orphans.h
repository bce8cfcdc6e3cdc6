// SPDX-License-Identifier: Apache-2.0
//
// The descendants that a tool leaves behind: their detection, termination and reaping.
//
// A keeper (keeper.h) sees to them as long as it lives. Without one, or when it was killed, a tool
// leads a process group of its own, but its descendants may leave that group. While an Orphans
// exists, this process is therefore a "child subreaper": it adopts descendants whose parents ended,
// and recognises them by a session of their own, or by a mark in their environment. Linux only:
// reads /proc.
#ifndef RPL_RUNTIME_TOOLS_ORPHANS_H_
#define RPL_RUNTIME_TOOLS_ORPHANS_H_

#include <sys/types.h>

#include <string>
#include <vector>

namespace rpl {

/// The subreaper state of the process. REQUIRES: one at a time in a process.
class Orphans {
 public:
  /// The environment variable with the mark.
  static constexpr const char* kVariable = "RPL_TOOL_CALL";

  /// Makes the process a subreaper; the destructor restores the previous state.
  Orphans();
  ~Orphans();
  Orphans(const Orphans&) = delete;
  Orphans& operator=(const Orphans&) = delete;

  /// A mark that is unique among the calls of this process. Thread-safe.
  static std::string NewMark();

  /// A child that is none of a tool: its owner ends and reaps it (server_process.h). Any thread.
  static void Spare(pid_t child);
  static void Forget(pid_t child);

  /// True if a process of the group `leader` or with the mark is running; reaps those that ended.
  /// `leaders` are children that the caller reaps itself. REQUIRES: `leader` was reaped.
  bool Remain(pid_t leader, const std::string& mark, const std::vector<pid_t>& leaders);

  /// Sends SIGKILL to all processes that Remain would find.
  void Kill(pid_t leader, const std::string& mark, const std::vector<pid_t>& leaders);

 private:
  /// The running children with the mark, or in another session; reaps adopted children that ended.
  std::vector<pid_t> Marked(const std::string& mark, const std::vector<pid_t>& leaders);
  std::vector<pid_t> MarkedNow(const std::string& mark, const std::vector<pid_t>& leaders,
                               bool& reaped);

  int adopted_before_ = 0;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_TOOLS_ORPHANS_H_
