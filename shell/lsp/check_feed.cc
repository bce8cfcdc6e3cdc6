// SPDX-License-Identifier: Apache-2.0
#include "shell/lsp/check_feed.h"

#include <algorithm>
#include <filesystem>

#include "shell/lsp/program_check.h"

namespace rpl::lsp {

void CheckFeed::Schedule(const std::string& uri) {
  State& state = states_[uri];
  const Clock::time_point now = Clock::now();
  if (state.alarm != 0) pool_.Forget(state.alarm);
  else state.changed = now;
  state.alarm =
      pool_.At(std::min(now + state.pause, state.changed + kPatience), [this, uri] { Queue(uri); });
}

void CheckFeed::Changed(const std::string& uri) {
  const std::string path = PathOfUri(uri);
  const std::string name = std::filesystem::path(path).filename();
  const std::lock_guard lock(mutex_);
  if (project_.files.IsOpen(uri)) Schedule(uri);
  if (path.empty()) return;
  for (auto& [other, state] : states_)
    if (other != uri && state.last != nullptr && state.last->named.contains(name) &&
        std::filesystem::path(state.last->file->path).parent_path() ==
            std::filesystem::path(path).parent_path())
      Schedule(other);
}

void CheckFeed::Closed(const std::string& uri) {
  {
    const std::lock_guard lock(mutex_);
    const auto at = states_.find(uri);
    if (at != states_.end()) {
      if (at->second.alarm != 0) pool_.Forget(at->second.alarm);
      states_.erase(at);
    }
  }
  // After a check that is running.
  strand_->Post([this, uri] {
    if (project_.files.IsOpen(uri)) return;
    ProgramCheck nothing;
    nothing.file = std::make_shared<TextFile>(uri, PathOfUri(uri), "", std::nullopt);
    publish_(nothing);
  });
  Changed(uri);  // others may name it, and see the file on disk now
}

void CheckFeed::Queue(const std::string& uri) {
  {
    const std::lock_guard lock(mutex_);
    const auto at = states_.find(uri);
    if (at == states_.end()) return;
    at->second.alarm = 0;
    if (at->second.queued) return;
    at->second.queued = true;
  }
  strand_->Post([this, uri] { Run(uri); });
}

void CheckFeed::Run(const std::string& uri) {
  {
    const std::lock_guard lock(mutex_);
    const auto at = states_.find(uri);
    if (at == states_.end()) return;
    at->second.queued = false;
  }
  if (!project_.files.IsOpen(uri)) return;
  const File file = project_.files.Find(uri);
  if (file == nullptr) return;
  const Clock::time_point begin = Clock::now();
  auto check = CheckProgram(project_, file);
  const Clock::duration took = Clock::now() - begin;
  const bool stale = project_.files.Find(uri) != file;
  {
    const std::lock_guard lock(mutex_);
    const auto at = states_.find(uri);
    if (at == states_.end()) return;
    State& state = at->second;
    state.last = check;
    state.pause = std::clamp<Clock::duration>(took / 2, kDelay, kPatience);
    if (stale && Clock::now() - state.published < kPatience) return;  // the change has its alarm
    state.published = Clock::now();
  }
  publish_(*check);
}

std::shared_ptr<const ProgramCheck> CheckFeed::CheckOf(const File& file) {
  {
    const std::lock_guard lock(mutex_);
    const auto at = states_.find(file->uri);
    if (at != states_.end() && at->second.last != nullptr && at->second.last->file == file)
      return at->second.last;
  }
  return CheckProgram(project_, file);
}

}  // namespace rpl::lsp
