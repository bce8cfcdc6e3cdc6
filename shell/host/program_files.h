// SPDX-License-Identifier: Apache-2.0
//
// The files of a program: by path, as the command line has them, and by name, as a session
// keeps them.
//
// A session names the files of its program from the folder that the session's own file is
// in. So it is gone on with from any folder, and can be moved together with its program;
// what it prints and exports of places is the same wherever rpl was started. Links to
// folders are followed, a link to a program is not: `rpl.yaml` and the files of namespaces
// are looked for beside the link. A file of facts is named RELATION=FILE (facts_file.h).
#ifndef RPL_SHELL_HOST_PROGRAM_FILES_H_
#define RPL_SHELL_HOST_PROGRAM_FILES_H_

#include <string>
#include <vector>

#include "runtime/journal.h"
#include "shell/host/report.h"

namespace rpl {

/// Documents with their paths as names; with a message for each that cannot be read,
/// kExitFile, and for one of rows, kExitInvalid.
ExitCode ReadProgram(const std::vector<std::string>& paths, std::vector<ProgramFile>& to);

/// The name that the session in the file `session` has for a program's file at `path`.
std::string NameInSession(const std::string& session, const std::string& path);

/// A path, from here, of what the session calls `name`.
std::string PathFromSession(const std::string& session, const std::string& name);

/// The path as one word of a command line: in quotes where a shell needs them.
std::string ShellWord(const std::string& path);

}  // namespace rpl

#endif  // RPL_SHELL_HOST_PROGRAM_FILES_H_
