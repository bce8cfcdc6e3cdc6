// SPDX-License-Identifier: Apache-2.0
//
// The texts about a denial: for the agent, and for the log of calls.
#ifndef RPL_SHELL_GUARD_DENIAL_TEXT_H_
#define RPL_SHELL_GUARD_DENIAL_TEXT_H_

#include <functional>
#include <string>
#include <vector>

#include "checks/calls/call_rows.h"
#include "runtime/host/host_log.h"
#include "runtime/step/host_check.h"

namespace rpl {

/// The findings against an event: the author's headings and prose, the questions that are open, and
/// what cannot be read (UnreadOf); "" if there is nothing against it. `protocol`: the name of its
/// file.
using UnreadOfReads = std::function<std::string(const std::vector<std::string>& reads)>;
std::string ReasonOf(const HostFindings& findings, const std::string& protocol,
                     const UnreadOfReads& unread);

/// What is not known of the first of these relations that has open rows, as in "what `$x` stands
/// for": of this call, or else of the last one that has such rows.
std::string UnreadOf(const std::vector<std::string>& reads, const CallViews& views,
                     const HostLog& log);

/// Of the last call that ran the program and is no evidence of it, what it lacks, for the agent; ""
/// if there is none, or a later one is evidence.
std::string NearEvidence(const WantedEvidence& wanted, const HostLog& log);

/// The rows of a call as the log has them.
std::vector<HostRow> RowsOf(const CallViews& views);

}  // namespace rpl

#endif  // RPL_SHELL_GUARD_DENIAL_TEXT_H_
