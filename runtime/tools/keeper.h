// SPDX-License-Identifier: Apache-2.0
//
// The process between rpl and a tool: no process of the tool outlives it, and it does not outlive
// rpl, however that ends.
//
//   rpl ── keeper ── tool ── …
//
// The keeper is a "child subreaper": whatever the tool starts stays below it, even with a session
// of its own and an empty environment. It ends with the status of the tool, once the descendants
// of the tool have ended or, after the grace, were killed. On kKeeperEnds, and when rpl ends, it
// kills them all, even if the tool stopped it. Linux only: reads /proc.
//
// The keeper is the program itself, started with another name, so that it needs no file of its own.
#ifndef RPL_RUNTIME_TOOLS_KEEPER_H_
#define RPL_RUNTIME_TOOLS_KEEPER_H_

#include <sys/types.h>

#include <csignal>
#include <string>
#include <vector>

namespace rpl {

/// Ends a keeper and all processes below it, see EndKeeper.
inline constexpr int kKeeperEnds = SIGUSR1;
/// Sends it to a keeper, which may be stopped.
void EndKeeper(pid_t keeper);
/// Its descriptor for a report.
inline constexpr int kKeeperReports = 3;

/// What a keeper has to say besides the status of the tool.
struct KeeperReport {
  int start_error = 0;         // errno, if the tool could not be started
  bool left_children = false;  // processes of the tool were killed after the grace
};

/// In a process that was started as a keeper, is its whole life. In any other it returns, and the
/// program is known to be able to keep. To be called first in main; takes no memory. Before main,
/// when the C library does not know the environment yet, it comes as `environment`.
void BeKeeper(int argc, char** argv, char** environment = nullptr);
/// Whether BeKeeper was called.
bool CanKeep();
/// The command line of a keeper of the calling process, for the executable /proc/self/exe.
std::vector<std::string> KeeperCommand(const std::vector<std::string>& tool, long long grace_ms);

}  // namespace rpl

#endif  // RPL_RUNTIME_TOOLS_KEEPER_H_
