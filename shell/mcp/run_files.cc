// SPDX-License-Identifier: Apache-2.0
#include "shell/mcp/run_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "formats/data/json_text.h"
#include "shell/guard/bound_place.h"
#include "shell/serving/request_state.h"
#include "shell/terminal/input.h"

namespace rpl {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr std::size_t kHandleBytes = 12;
constexpr std::size_t kHandleSize = 2 + kHandleBytes * 4 / 3;
constexpr std::size_t kMostRemembered = 10'000;  // requests, beside the named ones

std::int64_t SequenceOf(const ordered_json& input) {
  return input.value("number", std::int64_t{0});
}

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

bool IsDecided(Status status) {
  return status != Status::kWaiting && status != Status::kToolFailed && status != Status::kReview &&
         status != Status::kInterrupted;
}

std::string NewHandle() { return "s_" + RandomText(kHandleBytes); }

std::string RunFiles::Make(const std::string& folder) {
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

std::string RunFiles::Open() {
  std::error_code error;
  for (const fs::directory_entry& file : fs::directory_iterator(folder_, error)) {
    const std::string name = file.path().filename();
    if (!name.ends_with(".json") || !IsHandle(name.substr(0, name.size() - 5))) continue;
    const std::optional<Record> record = Read(name.substr(0, name.size() - 5));
    if (!record) continue;
    const RunRecord* run = &record->run;
    if (!record->inputs.empty()) left_[run->handle] = SequenceOf(record->inputs.back());
    if (run->request.empty()) continue;
    // Of two with one request the later counts.
    const Request request = {run->handle, run->began};
    const auto [at, added] = by_request_.emplace(run->request, request);
    if (!added && at->second.began < run->began) at->second = request;
  }
  return error ? folder_ + ": " + error.message() : "";
}

std::optional<RunFiles::Record> RunFiles::Read(const std::string& handle) const {
  const Input input = ReadFile(FileOf(handle));
  if (!input.error.empty()) return std::nullopt;
  const JsonText read = ParseJson(input.text);
  if (!read.error.empty() || !read.json.is_object()) return std::nullopt;
  const auto text = [&](const char* key) {
    const auto at = read.json.find(key);
    return at != read.json.end() && at->is_string() ? at->get<std::string>() : std::string();
  };
  Record out{
      {handle, text("protocol"), text("goal"), text("who"), text("request"), 0, text("session")},
      ordered_json::array()};
  if (const auto began = read.json.find("began");
      began != read.json.end() && began->is_number_integer())
    out.run.began = began->get<std::int64_t>();
  if (out.run.protocol.empty()) return std::nullopt;
  if (const auto inputs = read.json.find("inputs"); inputs != read.json.end() && inputs->is_array())
    for (const ordered_json& each : *inputs)
      if (each.is_object()) out.inputs.push_back(each);
  return out;
}

bool RunFiles::Write(const Record& record) const {
  const RunRecord& run = record.run;
  ordered_json about = {{"version", 1},   {"protocol", run.protocol}, {"goal", run.goal},
                        {"who", run.who}, {"request", run.request},   {"began", run.began}};
  if (run.bound()) about["session"] = run.session;
  if (!record.inputs.empty()) about["inputs"] = record.inputs;
  return WriteWhole(FileOf(run.handle), DumpJson(about) + "\n");
}

std::string RunFiles::NameOf(const std::string& handle) const {
  if (bound_to_ != nullptr)
    if (const std::optional<Record> record = Read(handle); record && record->run.bound())
      return record->run.session;
  return folder_ + "/" + handle;
}

RunRecords::Held RunFiles::Hold(const RunRecord& run) {
  const std::lock_guard lock(mutex_);
  Held out{true, {}, {}, 0};
  const auto left = left_.find(run.handle);
  if (left == left_.end()) return out;
  if (const std::optional<Record> record = Read(run.handle))
    for (const ordered_json& input : record->inputs)
      if (SequenceOf(input) <= left->second) out.inputs.push_back(input);
  if (out.inputs.empty()) left_.erase(left);  // its process has taken them
  else out.last_input = left->second;
  return out;
}

RunRecords::Kept RunFiles::Keep(const RunRecord& run, const ordered_json& input) {
  const std::lock_guard lock(mutex_);
  std::optional<Record> record = Read(run.handle);
  if (!record) return {0, {"the record of the run cannot be read", ""}};
  const std::int64_t number = record->inputs.empty() ? 1 : SequenceOf(record->inputs.back()) + 1;
  record->inputs.push_back(input);
  record->inputs.back()["number"] = number;
  if (!Write(*record)) return {0, {"the folder of sessions cannot be written", ""}};
  return {number, {}};
}

void RunFiles::Taken(const RunRecord& run, std::int64_t number) {
  const std::lock_guard lock(mutex_);
  EraseInputs(run.handle, number, number);
}

std::string RunFiles::Release(const RunRecord& run, const Turn& turn) {
  const std::lock_guard lock(mutex_);
  if (const auto left = left_.find(run.handle);
      left != left_.end() && (turn.status || turn.drop_inputs)) {
    EraseInputs(run.handle, 0, left->second);
    left_.erase(left);
  }
  if (turn.status && IsDecided(*turn.status)) Forget(run);
  return StampOf(run.handle);
}

// Those with the numbers from `first` to `last`.
void RunFiles::EraseInputs(const std::string& handle, std::int64_t first, std::int64_t last) const {
  std::optional<Record> record = Read(handle);
  if (!record) return;
  std::erase_if(record->inputs.get_ref<ordered_json::array_t&>(), [&](const ordered_json& input) {
    return first <= SequenceOf(input) && SequenceOf(input) <= last;
  });
  Write(*record);
}

// Another text after each change of the session, while no process has it open.
std::string RunFiles::StampOf(const std::string& handle) const {
  std::string out;
  for (const char* end : {"", "-wal"}) {
    struct stat about = {};
    if (stat((NameOf(handle) + end).c_str(), &about) != 0) continue;
    out += fmt::format("{} {}.{:09} ", about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec);
  }
  return out;
}

RunRecords::Begun RunFiles::Begin(const RunRecord& asked, const ordered_json& input) {
  const std::int64_t now = SecondsNow();
  const std::lock_guard lock(mutex_);
  RunRecord fresh = asked;
  if (bound_to_ != nullptr) fresh.session = bound_to_(fresh.protocol);
  if (fresh.bound())  // every request for it is the same one
    fresh.request =
        "n:" + DigestOf({{"session", fresh.session}, {"goal", fresh.goal}, {"who", fresh.who}});
  if (by_request_.size() > kMostRemembered)  // what was not named is of no use any more
    std::erase_if(by_request_, [&](const auto& entry) {
      return entry.first.starts_with("d:") && now - entry.second.began > kRepeatSeconds;
    });
  if (const auto at = by_request_.find(fresh.request); at != by_request_.end()) {
    const std::optional<Record> known = Read(at->second.handle);
    if (known && known->run.who == fresh.who &&
        (fresh.named() || now - known->run.began <= kRepeatSeconds))
      return {known->run, true, {}};
  }
  Record record{fresh, ordered_json::array()};
  if (!input.empty()) {
    record.inputs.push_back(input);
    record.inputs.back()["number"] = left_[fresh.handle] = 1;
  }
  if (!Write(record))
    return {std::nullopt,
            false,
            {"the session cannot be written", "see the folder of sessions, " + folder_}};
  by_request_[fresh.request] = {fresh.handle, now};
  return {fresh, false, {}};
}

RunRecords::Found RunFiles::Find(const std::string& handle, const std::string& who) {
  const std::lock_guard lock(mutex_);
  Found found;
  if (const std::optional<Record> record = Read(handle)) found.record = record->run;
  if (!found.record || found.record->who != who) return {};
  if (found.record->bound() && IsEndedRun(found.record->session))
    return {std::nullopt, {"a person has ended this run", "rpl_run begins another"}, ""};
  found.last_turn = StampOf(handle);
  Forget(*found.record);
  return found;
}

void RunFiles::Answered(const RunRecord& run) {
  const std::lock_guard lock(mutex_);
  Forget(run);
}

// Whether a request like the one that began the run finds it.
bool RunFiles::IsOfRequest(const RunRecord& run) const {
  const auto at = by_request_.find(run.request);
  return at != by_request_.end() && at->second.handle == run.handle;
}

// A request like the one that began the run, and is not named, does not find it any more; also not
// after a restart.
void RunFiles::Forget(const RunRecord& run) {
  if (run.named() || !IsOfRequest(run)) return;
  by_request_.erase(run.request);
  std::optional<Record> record = Read(run.handle);
  if (!record) return;
  record->run.request.clear();
  Write(*record);
}

void RunFiles::Drop(const RunRecord& run, const ordered_json&) {
  const std::lock_guard lock(mutex_);
  if (IsOfRequest(run)) by_request_.erase(run.request);
  left_.erase(run.handle);
  if (!run.bound())
    for (const char* end : {"", "-wal", "-shm"}) unlink((NameOf(run.handle) + end).c_str());
  unlink(FileOf(run.handle).c_str());
}

std::vector<std::string> RunFiles::Handles(const std::string& prefix, const std::string& who,
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
    const std::optional<Record> record = Read(handle);
    const bool fits = record && record->run.who == who;
    kept += fits;
    return !fits;
  });
  return out;
}

}  // namespace rpl
