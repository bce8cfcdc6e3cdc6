// SPDX-License-Identifier: Apache-2.0
#include "shell/drive/drive_server.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "formats/data/json_fields.h"
#include "formats/data/json_text.h"
#include "interp/lint/checker.h"
#include "runtime/run/json_run.h"
#include "runtime/wire/outcome_json.h"
#include "shell/program/driven_run.h"
#include "shell/terminal/report.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

// The requests that were read and not done yet, and whether the present one is cancelled.
class Requests {
 public:
  /// Reads lines until the end of the input.
  void Read(std::istream& from) {
    for (std::string line; std::getline(from, line);) {
      JsonText read = ParseExactJson(line);
      if (read.error.empty() && TextAt(read.json, "do") == "cancel") {
        Cancel(FieldAt(read.json, "request"));
        continue;
      }
      const std::lock_guard lock(mutex_);
      waiting_.push_back(std::move(read));
      news_.notify_one();
    }
    const std::lock_guard lock(mutex_);
    ended_ = true;
    news_.notify_one();
  }

  /// The next request; nullopt at the end.
  std::optional<JsonText> Next() {
    std::unique_lock lock(mutex_);
    present_ = nullptr;
    news_.wait(lock, [&] { return ended_ || !waiting_.empty(); });
    if (waiting_.empty()) return std::nullopt;
    JsonText next = std::move(waiting_.front());
    waiting_.pop_front();
    present_ = FieldAt(next.json, "id");
    cancelled_ = false;
    return next;
  }

  bool IsCancelled() const { return cancelled_; }

 private:
  // One that waits is not begun, but answered by the loop as what it is.
  void Cancel(const ordered_json& id) {
    const std::lock_guard lock(mutex_);
    if (id.is_null()) return;
    if (present_ == id) cancelled_ = true;
    for (JsonText& request : waiting_)
      if (FieldAt(request.json, "id") == id) request.json["do"] = "cancelled";
  }

  std::mutex mutex_;
  std::condition_variable news_;
  std::deque<JsonText> waiting_;
  ordered_json present_;  // the id of what is done now
  bool ended_ = false;
  std::atomic<bool> cancelled_ = false;
};

class Driver {
 public:
  Driver(const EngineOptions& engine, const Requests& requests)
      : engine_(engine), requests_(requests) {}

  ordered_json Do(const ordered_json& request) {
    try {
      return Done(request);
    } catch (const std::invalid_argument& e) {
      return FaultJson(e.what());
    }
  }

 private:
  ordered_json Done(const ordered_json& request) {
    if (!request.is_object()) return FaultJson("expected an object");
    const std::string what = TextAt(request, "do");
    if (what == "cancelled") return FaultJson("it was cancelled before it began");
    if (what == "check") return Check(request);
    static const std::set<std::string> of_runs = {"open",  "run",    "ask",  "explain",
                                                  "trace", "export", "close"};
    if (!of_runs.contains(what))
      return FaultJson(
          "expected `open`, `run`, `ask`, `explain`, `trace`, `export`, `close`, "
          "`check` or `cancel` as `do`" +
          (what.empty() ? "" : ", not `" + what + "`"));
    const std::string name = TextAt(request, "run");
    if (name.empty()) return FaultJson("expected the name of a run as `run`");
    if (what == "open") return Open(name, request);
    const auto at = runs_.find(name);
    if (at == runs_.end()) return FaultJson("no run `" + name + "` is open");
    if (what == "close") {
      runs_.erase(at);
      return {{"closed", true}};
    }
    return at->second->Do(request);
  }

  ordered_json Open(const std::string& name, const ordered_json& request) {
    if (runs_.contains(name)) return FaultJson("a run `" + name + "` is open already");
    DrivenRun::Opened opened = DrivenRun::Open(
        request, engine_, [&requests = requests_] { return requests.IsCancelled(); });
    if (opened.run != nullptr) runs_.emplace(name, std::move(opened.run));
    return std::move(opened.result);
  }

  static ordered_json Check(const ordered_json& request) {
    const std::vector<ProgramFile> files = DocumentsOf(request);
    CheckOptions options;
    options.reader = ReaderOf(files);
    return CheckedJson(files, options);
  }

  const EngineOptions& engine_;
  const Requests& requests_;
  std::map<std::string, std::unique_ptr<DrivenRun>> runs_;
};

}  // namespace

int ServeDriver(const EngineOptions& engine) {
  auto& requests = *new Requests;  // the thread that reads ends with the process
  std::thread([&requests] { requests.Read(std::cin); }).detach();
  Driver driver(engine, requests);
  while (const std::optional<JsonText> request = requests.Next()) {
    ordered_json out = ordered_json::object();
    if (!request->error.empty()) {
      out["error"] = "expected a line of JSON: " + request->error;
    } else {
      out["id"] = FieldAt(request->json, "id");
      out.update(driver.Do(request->json));
    }
    std::cout << Dump(out) << std::endl;
    if (!std::cout) return kExitFile;
  }
  return kExitOk;
}

}  // namespace rpl
