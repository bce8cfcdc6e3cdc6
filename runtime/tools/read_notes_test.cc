// SPDX-License-Identifier: Apache-2.0
#include "runtime/tools/read_notes.h"

#include <sys/socket.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

namespace rpl {
namespace {

namespace fs = std::filesystem;

struct NotesFolder {
  NotesFolder() {
    std::string name = fs::temp_directory_path() / "rpl-notes-XXXXXX";
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~NotesFolder() { fs::remove_all(path); }
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(path + "/" + name) << text;
  }
  std::string path;
};

TEST_CASE("the state of a file tells a change, a replacement and a removal") {
  const NotesFolder folder;
  const std::string file = folder.path + "/a.md";
  CHECK(StateOf(file, {}) == "");
  folder.Write("a.md", "one");
  const std::string one = StateOf(file, {});
  CHECK(one != "");
  CHECK(StateOf(file, {}) == one);
  folder.Write("a.md", "three");
  CHECK(StateOf(file, {}) != one);
  folder.Write("b.md", "three");
  const std::string three = StateOf(file, {});
  fs::rename(folder.path + "/b.md", file);
  CHECK(StateOf(file, {}) != three);
  fs::remove(file);
  CHECK(StateOf(file, {}) == "");
}

TEST_CASE("the state of a folder is that of the names with an extension") {
  const NotesFolder folder;
  folder.Write("a.md", "");
  const std::string state = StateOf(folder.path, {".md"});
  folder.Write("a.md~", "");
  folder.Write("a.md", "more");
  CHECK(StateOf(folder.path, {".md"}) == state);
  fs::create_directory(folder.path + "/inner");
  folder.Write("inner/b.md", "");
  CHECK(StateOf(folder.path, {".md"}) != state);
  CHECK(StateOf(folder.path + "/none", {".md"}) == "");
}

TEST_CASE("notes go to the socket, and only while there is one") {
  const NotesFolder folder;
  int ends[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0);
  NoteFileRead(folder.path + "/before.md");
  SendReadNotes(ends[1]);
  NoteFileRead(folder.path + "/a\nb.md");
  NoteFileRead(folder.path);  // no regular file
  NoteFolderRead(folder.path, {".md", ".rpl"});
  SendReadNotes(-1);
  NoteFileRead(folder.path + "/after.md");
  const auto file = NextReadNote(ends[0]);
  REQUIRE(file);
  CHECK(file->path == folder.path + "/a\nb.md");
  CHECK(file->state == "");
  CHECK(file->extensions.empty());
  const auto listing = NextReadNote(ends[0]);
  REQUIRE(listing);
  CHECK(listing->path == folder.path);
  CHECK(listing->extensions == std::vector<std::string>{".md", ".rpl"});
  CHECK_FALSE(NextReadNote(ends[0]));
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace rpl
