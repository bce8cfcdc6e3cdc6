// SPDX-License-Identifier: Apache-2.0
//
// Many runs that one program drives by a pipe. A request is a line of JSON, its result another,
// with the id of the request (docs/drive.md). The thread that reads stops a request that is
// cancelled; the calling thread, whose stack is large, does one after the other.
#ifndef RPL_SHELL_DRIVE_DRIVE_SERVER_H_
#define RPL_SHELL_DRIVE_DRIVE_SERVER_H_

#include "shell/program/options.h"

namespace rpl {

/// Serves standard input and output. Returns the exit code, at the end of the input.
int ServeDriver(const EngineOptions& engine);

}  // namespace rpl

#endif  // RPL_SHELL_DRIVE_DRIVE_SERVER_H_
