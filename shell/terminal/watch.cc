// SPDX-License-Identifier: Apache-2.0
#include "shell/terminal/watch.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <thread>

#include "runtime/tools/read_notes.h"
#include "shell/terminal/input.h"
#include "shell/terminal/report.h"

namespace rpl {
namespace {

namespace fs = std::filesystem;
using WatchClock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// Changes are over when nothing happened for so long, or after the longer time.
constexpr milliseconds kQuiet{50};
constexpr milliseconds kMostUnrest{1000};
/// The time in which a file that an editor removed is expected to come back.
constexpr milliseconds kGap{500};
/// States are compared so often without an event: some file systems send none, and a folder may be
/// missing.
constexpr milliseconds kBetweenLooksAtFiles{1000};
constexpr milliseconds kBetweenLooksAtChild{50};
/// The time for a command to end before it is killed.
constexpr milliseconds kGraceOfChild{2000};

constexpr std::uint32_t kEvents = IN_CLOSE_WRITE | IN_MODIFY | IN_MOVED_TO | IN_MOVED_FROM |
                                  IN_CREATE | IN_DELETE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF;

/// What the last run read, and the folders in which it lies.
class WatchedFiles {
 public:
  WatchedFiles() : inotify_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {}
  ~WatchedFiles() {
    if (inotify_ >= 0) close(inotify_);
  }
  WatchedFiles(const WatchedFiles&) = delete;

  int inotify() const { return inotify_; }
  /// The number of files that are there.
  std::size_t count() const {
    return static_cast<std::size_t>(std::ranges::count_if(notes_, [](const auto& of) {
      return of.second.extensions.empty() && !of.second.state.empty();
    }));
  }

  void Clear() { notes_.clear(); }

  /// Keeps the first state of each: later ones may follow a change.
  void Add(ReadNote note) {
    if (note.extensions.empty()) {
      Watch(fs::path(note.path).parent_path());
    } else {
      Watch(note.path);
      std::error_code error;
      for (auto at = fs::recursive_directory_iterator(note.path, error);
           !error && at != fs::recursive_directory_iterator(); at.increment(error))
        if (at->is_directory(error)) Watch(at->path());
    }
    const std::string path = note.path;
    notes_.emplace(path, std::move(note));
  }

  /// The path of something that changed, "" if nothing did.
  std::string Changed() const {
    for (const auto& [path, note] : notes_)
      if (StateOf(path, note.extensions) != note.state) return path;
    return "";
  }

  /// Whether something vanished.
  bool Lacks() const {
    for (const auto& [path, note] : notes_)
      if (!note.state.empty() && StateOf(path, note.extensions).empty()) return true;
    return false;
  }

  /// Takes the events that are there; true if there are some.
  bool TakeEvents() const {
    alignas(inotify_event) char buffer[4096];
    bool any = false;
    while (inotify_ >= 0 && read(inotify_, buffer, sizeof buffer) > 0) any = true;
    return any;
  }

 private:
  // Adding a folder again changes nothing. A folder that cannot be watched is looked at in turn.
  void Watch(const fs::path& folder) const {
    if (inotify_ >= 0) inotify_add_watch(inotify_, folder.empty() ? "." : folder.c_str(), kEvents);
  }

  int inotify_;
  std::map<std::string, ReadNote> notes_;  // by path
};

/// One run of the command.
class WatchedRun {
 public:
  explicit WatchedRun(const std::function<int()>& command) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return;
    std::cout.flush();
    std::cerr.flush();
    const pid_t parent = getpid();
    child_ = fork();
    if (child_ == 0) {
      close(ends[0]);
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(kExitInterrupted);
      SendReadNotes(ends[1]);
      const int code = command();
      std::cout.flush();
      std::cerr.flush();
      _exit(code);
    }
    close(ends[1]);
    notes_ = ends[0];
  }
  ~WatchedRun() {
    End(SIGTERM);
    if (notes_ >= 0) close(notes_);
  }
  WatchedRun(const WatchedRun&) = delete;

  bool started() const { return notes_ >= 0 && child_ > 0; }
  int notes() const { return notes_; }

  void TakeNotes(WatchedFiles& to) const {
    while (std::optional<ReadNote> note = NextReadNote(notes_)) to.Add(std::move(*note));
  }

  /// Whether it has ended.
  bool IsOver() {
    if (!over_ && child_ > 0 && waitpid(child_, &status_, WNOHANG) == child_) over_ = true;
    return over_;
  }

  /// "exit code 1". REQUIRES: IsOver.
  std::string EndText() const {
    return WIFSIGNALED(status_) ? fmt::format("ended by {}", strsignal(WTERMSIG(status_)))
                                : fmt::format("exit code {}", WEXITSTATUS(status_));
  }

  /// Waits until it has ended, or `most` has passed.
  bool WaitFor(milliseconds most) {
    const auto end = WatchClock::now() + most;
    while (!IsOver() && WatchClock::now() < end) std::this_thread::sleep_for(milliseconds(5));
    return IsOver();
  }

  /// Ends it, with force if the signal does not.
  void End(int signal) {
    if (child_ <= 0 || IsOver()) return;
    kill(child_, signal);
    if (WaitFor(kGraceOfChild)) return;
    kill(child_, SIGKILL);
    while (waitpid(child_, &status_, 0) < 0 && errno == EINTR) continue;
    over_ = true;
  }

 private:
  pid_t child_ = -1;
  int notes_ = -1;
  int status_ = 0;
  bool over_ = false;
};

void PollFor(int inotify, int notes, milliseconds most) {
  pollfd waits[] = {{inotify, POLLIN, 0}, {notes, POLLIN, 0}};
  poll(waits, 2, static_cast<int>(most.count()));
}

// Waits until the changes have settled. The path of something that differs from what was read, or
// "" if nothing does.
std::string SettledChange(const WatchedFiles& files) {
  const auto begin = WatchClock::now();
  const auto elapsed = [&] { return WatchClock::now() - begin; };
  do {
    PollFor(files.inotify(), -1, kQuiet);
  } while (!Interrupted() && files.TakeEvents() && elapsed() < kMostUnrest);
  while (!Interrupted() && files.Lacks() && elapsed() < kGap)
    std::this_thread::sleep_for(milliseconds(20));
  return files.Changed();
}

// The path for a person: relative where the file is below the working directory.
std::string PathShown(const std::string& path) {
  std::error_code error;
  const fs::path normal = fs::path(path).lexically_normal();
  const fs::path here = normal.lexically_relative(fs::current_path(error));
  return PrintableLine(error || here.empty() || *here.begin() == ".." ? normal.string()
                                                                      : here.string());
}

void ClearScreen() {
  const char* const term = std::getenv("TERM");
  if (isatty(STDOUT_FILENO) != 1 || term == nullptr || std::string_view(term) == "dumb") return;
  std::cout << "\033[H\033[2J" << std::flush;
}

// Runs the command until something that it read changes: its path. "" after Ctrl-C.
std::string RunOnce(const std::function<int()>& command, WatchedFiles& files) {
  WatchedRun run(command);
  if (!run.started()) {
    Complain("--watch", std::strerror(errno));
    return "";
  }
  files.Clear();
  bool told = false;
  auto looked = WatchClock::now();
  while (!Interrupted()) {
    const bool over = run.IsOver();
    run.TakeNotes(files);
    if (over && !told)
      std::cerr << fmt::format("-- {}; watching {}, Ctrl-C ends\n", run.EndText(),
                               Counted(files.count(), "file"));
    if (files.TakeEvents() || over != told || WatchClock::now() - looked >= kBetweenLooksAtFiles) {
      looked = WatchClock::now();
      if (!files.Changed().empty())
        if (std::string changed = SettledChange(files); !changed.empty()) return changed;
    }
    told = over;
    PollFor(files.inotify(), over ? -1 : run.notes(),
            over ? kBetweenLooksAtFiles : kBetweenLooksAtChild);
  }
  // A Ctrl-C at the terminal reaches the command as well, which may have something to say.
  if (!run.WaitFor(milliseconds(200))) run.End(SIGINT);
  return "";
}

}  // namespace

int RunWatched(const std::function<int()>& command) {
  WatchedFiles files;
  for (;;) {
    const std::string changed = RunOnce(command, files);
    if (Interrupted()) return kExitInterrupted;
    if (changed.empty()) return kExitFile;
    if (InputIsTerminal()) tcflush(STDIN_FILENO, TCIFLUSH);  // half an answer to the run before
    ClearScreen();
    std::cerr << "-- " << PathShown(changed) << " changed\n";
  }
}

}  // namespace rpl
