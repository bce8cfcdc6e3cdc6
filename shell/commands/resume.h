// SPDX-License-Identifier: Apache-2.0
//
// Going on with a session, as `rpl resume` and `rpl run --session` do.
#ifndef RPL_SHELL_COMMANDS_RESUME_H_
#define RPL_SHELL_COMMANDS_RESUME_H_

#include <string>
#include <vector>

#include "runtime/record/session_store.h"
#include "shell/program/options.h"

namespace rpl {

struct ProgramFile;

/// The help about a session that does not go on from an anchor.
inline constexpr const char* kDeparted =
    "events were rewritten or removed since, or this is a copy without its `-wal` file";

/// Continues the session named `path`, or begins it, as `mode` says, with the program `files`,
/// named by their paths; if empty, with the files that the session names, as they are now. Calls of
/// the tools in `retry` that failed or are in doubt are made again. With an `anchor`, the session
/// must go on from it. Returns the exit code.
int GoOn(const std::string& path, std::vector<ProgramFile> files, const EngineOptions& engine,
         const std::vector<std::string>& retry, const std::string& anchor = "",
         SessionStore::Mode mode = SessionStore::Mode::kOpen);

}  // namespace rpl

#endif  // RPL_SHELL_COMMANDS_RESUME_H_
