// SPDX-License-Identifier: Apache-2.0
//
// The files that a program may read and write: those below its folder, and below the folders that
// the configuration adds.
//
// A location is a path relative to the folder of the program. `.` and `..` are resolved in its
// text; the result must be below an allowed folder, and no link leads there: neither the file nor a
// folder below the allowed one may be a symbolic link. So what is checked is what is opened. Only
// regular files are read and written.
//
// A file is written whole or not at all: a temporary file in its folder is written, synced and
// renamed. After a crash in between, the old file is there, and the temporary one, `.rpl-…`, too.
#ifndef RPL_RUNTIME_TOOLS_PROGRAM_FOLDER_H_
#define RPL_RUNTIME_TOOLS_PROGRAM_FOLDER_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace rpl {

/// Why a file was not read or written; `code` is "" if it was.
struct FileFailure {
  std::string code;     // "outside", "missing", "exists", "not-read", "not-written"
  std::string message;  // for people
};

/// The largest file that is read.
inline constexpr std::size_t kMaxSourceBytes = std::size_t{64} << 20;

/// The path of a location in `folder`, absolute and without `.` and `..`.
std::string PathOf(const std::string& folder, const std::string& location);

/// Whether the path is below the folder, and no name on the way begins with a dot.
bool IsPlainlyBelow(const std::string& folder, const std::string& path);

struct FileRead {
  FileFailure failure;
  std::string text;
};
/// Reads a file below one of the `allowed` folders. Paths are absolute.
FileRead ReadBelow(const std::vector<std::string>& allowed, const std::string& path);

struct FolderNames {
  FileFailure failure;
  std::vector<std::string> names;
};
/// The names in a folder that is an `allowed` one or below it, in order of their bytes, without
/// those that begin with a dot.
FolderNames NamesBelow(const std::vector<std::string>& allowed, const std::string& path);

/// Writes a file below the `allowed` folder, and makes the folders on the way. A file that is there
/// with another text is replaced only if `may_replace(its text)`; one with the same text is left.
FileFailure WriteBelow(const std::string& allowed, const std::string& path, std::string_view text,
                       const std::function<bool(std::string_view there)>& may_replace);

}  // namespace rpl

#endif  // RPL_RUNTIME_TOOLS_PROGRAM_FOLDER_H_
