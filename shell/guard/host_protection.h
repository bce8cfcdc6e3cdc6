// SPDX-License-Identifier: Apache-2.0
//
// The protection of a guard from its agent, whatever the protocol says: no call touches the
// protocol, the settings that start the guard, the record of the run, or a person's commands.
//
// It reads the rows of a call, and is no proof: a program may write what it likes, and whoever has
// the rights of the user may replace the guard itself (docs/bind.md).
#ifndef RPL_SHELL_GUARD_HOST_PROTECTION_H_
#define RPL_SHELL_GUARD_HOST_PROTECTION_H_

#include <string>
#include <vector>

#include "checks/calls/call_paths.h"
#include "checks/calls/call_rows.h"

namespace rpl {

/// What is protected for a protocol in a project, with the folder of its runs: files, and folders
/// with all that is in them, absolute, links resolved. The settings of hosts (hook_settings.h) are
/// among them.
std::vector<std::string> ProtectedOf(const std::string& protocol, const std::string& project,
                                     const std::string& runs);

/// Why the call is denied, or "". Throws std::filesystem::filesystem_error if a path cannot be
/// looked at.
std::string WhyProtected(const CallViews& views, const CallPlace& place,
                         const std::vector<std::string>& protects);

}  // namespace rpl

#endif  // RPL_SHELL_GUARD_HOST_PROTECTION_H_
