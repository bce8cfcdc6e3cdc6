// SPDX-License-Identifier: Apache-2.0
#include "shell/mcp/run_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "formats/json_text.h"
#include "shell/host/input.h"
#include "shell/mcp/request_state.h"

namespace rpl {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr std::size_t kHandleBytes = 12;
constexpr std::size_t kHandleSize = 2 + kHandleBytes * 4 / 3;
constexpr std::size_t kMostRemembered = 10'000;  // requests, beside the named ones
constexpr std::size_t kMostKnown = 4096;         // without an open session, in memory

// Whole or not at all.
bool WriteWhole(const std::string& path, const std::string& text) {
  const std::string part = path + ".new";
  const int fd = open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return false;
  const bool whole = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const bool synced = fsync(fd) == 0;
  close(fd);
  if (whole && synced && rename(part.c_str(), path.c_str()) == 0) return true;
  unlink(part.c_str());
  return false;
}

}  // namespace

bool IsHandle(const std::string& text) {
  return text.size() == kHandleSize && text.starts_with("s_") &&
         text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
                                2) == text.npos;
}

RunFolder::RunFolder(std::string folder, WorkerPool& pool, std::size_t most_open)
    : folder_(std::move(folder)), pool_(pool), most_open_(most_open) {}

std::string RunFolder::Make(const std::string& folder) {
  if (folder.empty()) return "there is no home folder for sessions: name one with --sessions";
  std::error_code error;
  fs::create_directories(fs::path(folder).parent_path(), error);
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return folder + ": " + std::generic_category().message(errno);
  struct stat about = {};
  if (stat(folder.c_str(), &about) != 0 || !S_ISDIR(about.st_mode))
    return folder + ": it is no folder";
  if (about.st_uid == geteuid() && (about.st_mode & 077) != 0) chmod(folder.c_str(), 0700);
  return "";
}

std::string RunFolder::Open() {
  std::error_code error;
  for (const fs::directory_entry& file : fs::directory_iterator(folder_, error)) {
    const std::string name = file.path().filename();
    if (!name.ends_with(".json") || !IsHandle(name.substr(0, name.size() - 5))) continue;
    const std::shared_ptr<ServedRun> run = Read(name.substr(0, name.size() - 5));
    if (run == nullptr || run->request.empty()) continue;
    // Of two with one request the later counts.
    const Request request = {run->handle, run->began};
    const auto [at, added] = by_request_.emplace(run->request, request);
    if (!added && at->second.began < run->began) at->second = request;
  }
  return error ? folder_ + ": " + error.message() : "";
}

std::shared_ptr<ServedRun> RunFolder::Read(const std::string& handle) {
  const Input input = ReadFile(PathOf(handle) + ".json");
  if (!input.error.empty()) return nullptr;
  const JsonText read = ParseJson(input.text);
  if (!read.error.empty() || !read.json.is_object()) return nullptr;
  auto run = std::make_shared<ServedRun>();
  run->handle = handle;
  const auto text = [&](const char* key) {
    const auto at = read.json.find(key);
    return at != read.json.end() && at->is_string() ? at->get<std::string>() : std::string();
  };
  run->protocol = text("protocol");
  run->goal = text("goal");
  run->who = text("who");
  run->request = text("request");
  if (const auto began = read.json.find("began");
      began != read.json.end() && began->is_number_integer())
    run->began = began->get<std::int64_t>();
  run->strand = std::make_shared<Strand>(pool_);
  return run->protocol.empty() ? nullptr : run;
}

bool RunFolder::Write(const ServedRun& run) const {
  const ordered_json about = {{"version", 1},   {"protocol", run.protocol}, {"goal", run.goal},
                              {"who", run.who}, {"request", run.request},   {"began", run.began}};
  return WriteWhole(PathOf(run.handle) + ".json", DumpJson(about) + "\n");
}

RunFolder::Begun RunFolder::Begin(const std::string& protocol, const std::string& goal,
                                  const std::string& who, const std::string& request, bool named) {
  const std::string key = (named ? "n:" : "d:") + request;
  const std::int64_t now = SecondsNow();
  const std::lock_guard lock(mutex_);
  if (by_request_.size() > kMostRemembered)  // what was not named is of no use any more
    std::erase_if(by_request_, [&](const auto& entry) {
      return entry.first.starts_with("d:") && now - entry.second.began > kRepeatSeconds;
    });
  if (const auto at = by_request_.find(key); at != by_request_.end()) {
    const std::string handle = at->second.handle;
    std::shared_ptr<ServedRun> run;
    if (const auto known = known_.find(handle); known != known_.end()) run = known->second;
    else run = Read(handle);
    if (run != nullptr && run->who == who && (named || now - run->began <= kRepeatSeconds)) {
      Know(run);
      return {run, true};
    }
  }
  auto run = std::make_shared<ServedRun>();
  run->handle = "s_" + RandomText(kHandleBytes);
  run->protocol = protocol;
  run->goal = goal;
  run->who = who;
  run->request = key;
  run->began = now;
  run->strand = std::make_shared<Strand>(pool_);
  if (!Write(*run)) return {};
  Know(run);
  by_request_[key] = {run->handle, now};
  return {run, false};
}

void RunFolder::Know(const std::shared_ptr<ServedRun>& run) {
  if (known_.size() >= kMostKnown)
    std::erase_if(known_, [](const auto& entry) {  // nobody else holds it
      return entry.second.use_count() == 1 && !entry.second->strand->busy();
    });
  known_[run->handle] = run;
}

std::shared_ptr<ServedRun> RunFolder::Find(const std::string& handle, const std::string& who) {
  if (!IsHandle(handle)) return nullptr;
  const std::lock_guard lock(mutex_);
  std::shared_ptr<ServedRun> run;
  if (const auto at = known_.find(handle); at != known_.end()) run = at->second;
  else run = Read(handle);
  if (run == nullptr || run->who != who) return nullptr;
  Know(run);
  if (const auto at = by_request_.find(run->request);
      at != by_request_.end() && at->second.handle == handle && run->request.starts_with("d:"))
    by_request_.erase(at);
  return run;
}

void RunFolder::Drop(const ServedRun& run) {
  const std::lock_guard lock(mutex_);
  known_.erase(run.handle);
  if (const auto at = by_request_.find(run.request);
      at != by_request_.end() && at->second.handle == run.handle)
    by_request_.erase(at);
  for (const char* end : {"", "-wal", "-shm", ".json"}) unlink((PathOf(run.handle) + end).c_str());
}

std::vector<std::string> RunFolder::Handles(const std::string& prefix, const std::string& who,
                                            std::size_t most) {
  std::vector<std::string> out;
  std::error_code error;
  for (const fs::directory_entry& file : fs::directory_iterator(folder_, error)) {
    std::string name = file.path().filename();
    if (!name.ends_with(".json") || !name.starts_with(prefix)) continue;
    name.resize(name.size() - 5);
    if (IsHandle(name)) out.push_back(std::move(name));
  }
  std::sort(out.begin(), out.end());
  std::erase_if(out, [&, kept = std::size_t{0}](const std::string& handle) mutable {
    if (kept >= most) return true;
    const std::shared_ptr<ServedRun> run = Find(handle, who);
    kept += run != nullptr;
    return run == nullptr;
  });
  return out;
}

void RunFolder::Used(const std::shared_ptr<ServedRun>& run) {
  std::vector<std::shared_ptr<ServedRun>> old;
  {
    const std::lock_guard lock(mutex_);
    open_.remove(run);
    if (run->run != nullptr) open_.push_front(run);
    while (open_.size() > most_open_) {
      old.push_back(open_.back());
      open_.pop_back();
    }
  }
  for (const std::shared_ptr<ServedRun>& each : old)
    each->strand->Post([each, this] {
      {
        const std::lock_guard lock(mutex_);  // it may have been used meanwhile
        if (std::find(open_.begin(), open_.end(), each) != open_.end()) return;
      }
      each->run.reset();
      each->SetReport(nullptr);  // another process may go on with it
    });
}

}  // namespace rpl
