// SPDX-License-Identifier: Apache-2.0
#include "runtime/tools/orphans.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <sstream>

namespace rpl {
namespace {

std::string FileText(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<pid_t> Children() {
  std::vector<pid_t> children;
  std::error_code error;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", error)) {
    std::istringstream pids(FileText(thread.path() / "children"));
    for (pid_t pid = 0; pids >> pid;) children.push_back(pid);
  }
  return children;
}

// The session of a zombie; 0 for a process that is none.
pid_t SessionOfZombie(pid_t pid) {
  const std::string stat = FileText("/proc/" + std::to_string(pid) + "/stat");
  std::istringstream fields(stat.substr(std::min(stat.rfind(')') + 1, stat.size())));
  char state = 0;
  pid_t parent = 0, group = 0, session = 0;
  fields >> state >> parent >> group >> session;
  return state == 'Z' ? session : 0;
}

// True if the group has running members; reaps zombies first.
bool GroupRuns(pid_t leader) {
  while (waitpid(-leader, nullptr, WNOHANG) > 0) continue;
  return kill(-leader, 0) == 0 || errno == EPERM;
}

std::mutex spared_lock;
std::set<pid_t> spared;

bool IsSpared(pid_t pid) {
  const std::lock_guard lock(spared_lock);
  return spared.contains(pid);
}

}  // namespace

void Orphans::Spare(pid_t child) {
  const std::lock_guard lock(spared_lock);
  spared.insert(child);
}

void Orphans::Forget(pid_t child) {
  const std::lock_guard lock(spared_lock);
  spared.erase(child);
}

Orphans::Orphans() {
  prctl(PR_GET_CHILD_SUBREAPER, &adopted_before_);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

Orphans::~Orphans() { prctl(PR_SET_CHILD_SUBREAPER, adopted_before_); }

std::string Orphans::NewMark() {
  static std::atomic<unsigned> number = 0;
  return std::to_string(getpid()) + "." + std::to_string(++number);
}

// A zombie has lost its environment. Adopted zombies are recognised by their session, which differs
// from this process's for descendants of tools and is the same for its own children.
std::vector<pid_t> Orphans::Marked(const std::string& mark, const std::vector<pid_t>& leaders) {
  // What ended after the children were listed has left its own ones since.
  for (;;) {
    bool reaped = false;
    std::vector<pid_t> marked = MarkedNow(mark, leaders, reaped);
    if (!reaped) return marked;
  }
}

std::vector<pid_t> Orphans::MarkedNow(const std::string& mark, const std::vector<pid_t>& leaders,
                                      bool& reaped) {
  const std::string entry = std::string(kVariable) + "=" + mark;
  std::vector<pid_t> marked;
  for (const pid_t pid : Children()) {
    if (std::find(leaders.begin(), leaders.end(), pid) != leaders.end() || IsSpared(pid)) continue;
    if (const pid_t session = SessionOfZombie(pid); session != 0) {
      if (session != getsid(0) && waitpid(pid, nullptr, WNOHANG) == pid) reaped = true;
      continue;
    }
    // What a keeper that was killed left behind has no mark if it cleared its environment.
    const pid_t own = getsid(pid);
    if (own > 0 && own != getsid(0)) {
      marked.push_back(pid);
      continue;
    }
    std::istringstream environment(FileText("/proc/" + std::to_string(pid) + "/environ"));
    for (std::string line; std::getline(environment, line, '\0');)
      if (line == entry) marked.push_back(pid);
  }
  return marked;
}

bool Orphans::Remain(pid_t leader, const std::string& mark, const std::vector<pid_t>& leaders) {
  const bool others = !Marked(mark, leaders).empty();
  return GroupRuns(leader) || others;
}

void Orphans::Kill(pid_t leader, const std::string& mark, const std::vector<pid_t>& leaders) {
  if (GroupRuns(leader)) kill(-leader, SIGKILL);
  for (const pid_t pid : Marked(mark, leaders)) kill(pid, SIGKILL);
}

}  // namespace rpl
