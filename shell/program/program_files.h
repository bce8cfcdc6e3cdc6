// SPDX-License-Identifier: Apache-2.0
//
// The files of a program: by path, as on the command line, and by name, as in a session.
//
// The names in a session are relative to the folder of the session's own file, and to the working
// directory if the session is in a database. So it can be
// continued from any folder and moved together with its program, and its printed places do not
// depend on the working directory. Links to folders are resolved, a link to a program is not:
// `rpl.yaml` and files of namespaces are searched beside the link. A file of facts is named
// RELATION=FILE (facts_file.h).
#ifndef RPL_SHELL_PROGRAM_PROGRAM_FILES_H_
#define RPL_SHELL_PROGRAM_PROGRAM_FILES_H_

#include <string>
#include <vector>

#include "runtime/record/journal.h"
#include "shell/terminal/report.h"

namespace rpl {

/// Reads documents, named by their paths. kExitFile after a message for each that cannot be read;
/// kExitInvalid for a file of rows and for a session.
ExitCode ReadProgram(const std::vector<std::string>& paths, std::vector<ProgramFile>& to);

/// The name of the file at `path` in the session whose file is `session`.
std::string NameInSession(const std::string& session, const std::string& path);

/// The path, relative to the working directory, of the file named `name` in that session.
std::string PathFromSession(const std::string& session, const std::string& name);

/// Whether the file, with links resolved, is below the folder of the session's file or the working
/// directory. What a session names must not lead elsewhere by itself.
bool IsInTree(const std::string& session, const std::string& path);

/// Whether there is such a file or folder; false also of a name that the system does not take.
bool IsThere(const std::string& path);

/// The path, absolute and with links resolved.
std::string ResolvedPath(const std::string& path);

/// The file of this program, or "rpl" if that cannot be told.
std::string ThisProgram();

/// The words of a command that starts this program later, too: its path, or, from the cache of npx,
/// which is emptied, `npx -y rpl-engine`.
std::vector<std::string> LastingProgram();

/// The path as one word of a shell command, quoted if necessary. Printable for any bytes. The URL
/// of a database comes without its password.
std::string AsShellWord(const std::string& path);

}  // namespace rpl

#endif  // RPL_SHELL_PROGRAM_PROGRAM_FILES_H_
