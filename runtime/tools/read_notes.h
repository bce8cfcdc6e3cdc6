// SPDX-License-Identifier: Apache-2.0
//
// Notes about the files that a process reads, for `--watch`: which they are, and their state at
// that moment.
//
// A process that is watched sends each note as one message of a socket, before it reads. The state
// is read first, so a change while the file is read shows as a change. Processes that it forks send
// their notes, too; programs that it executes do not have the socket.
#ifndef RPL_RUNTIME_TOOLS_READ_NOTES_H_
#define RPL_RUNTIME_TOOLS_READ_NOTES_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rpl {

/// A file, or a folder of which the names of files were read.
struct ReadNote {
  std::string path;
  std::vector<std::string> extensions;  // of a folder, ".md"; empty for a file
  std::string state;                    // equal if and only if nothing changed; "" if it is missing
};

/// The state of a file: what changes when it is written, replaced or removed. Of a folder with
/// `extensions`: the paths of such files below it.
std::string StateOf(const std::string& path, const std::vector<std::string>& extensions);

/// From now on the notes of this process and of its forks go to this socket; -1: nowhere, as at
/// the start. The socket keeps the bounds of messages (SOCK_SEQPACKET).
void SendReadNotes(int socket);

/// Notes that a file is read next, present or not. Nothing but regular files is noted.
void NoteFileRead(const std::string& path);
/// Notes that the files below a folder are listed next.
void NoteFolderRead(const std::string& path, const std::vector<std::string>& extensions);

/// The next note; nullopt if none is there. Does not block.
std::optional<ReadNote> NextReadNote(int socket);

}  // namespace rpl

#endif  // RPL_RUNTIME_TOOLS_READ_NOTES_H_
