// SPDX-License-Identifier: Apache-2.0
//
// Processes that a tool leaves behind: found, ended and reaped.
//
// A tool leads a process group of its own, but what it starts may leave that group. So
// while an Orphans lives, this process adopts the descendants whose parents ended (a
// "child subreaper"), and knows those of a tool by a mark in their environment. What also
// drops its environment is not found.
#ifndef RPL_RUNTIME_TOOLS_ORPHANS_H_
#define RPL_RUNTIME_TOOLS_ORPHANS_H_

#include <sys/types.h>

#include <string>
#include <vector>

namespace rpl {

class Orphans {
 public:
  /// The environment variable that holds the mark.
  static constexpr const char* kVariable = "RPL_TOOL_CALL";

  Orphans();
  ~Orphans();
  Orphans(const Orphans&) = delete;
  Orphans& operator=(const Orphans&) = delete;

  /// A mark that no other call of this process has.
  static std::string NewMark();

  /// Whether something of the group `leader` or with the mark still runs; reaps what does
  /// not. REQUIRES: the leader itself has been reaped. `leaders` are the children that
  /// somebody else reaps.
  bool Remain(pid_t leader, const std::string& mark, const std::vector<pid_t>& leaders);

  /// Ends, without a chance to object, what Remain would find now.
  void Kill(pid_t leader, const std::string& mark, const std::vector<pid_t>& leaders);

 private:
  std::vector<pid_t> Marked(const std::string& mark, const std::vector<pid_t>& leaders);

  int adopted_before_ = 0;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_TOOLS_ORPHANS_H_
