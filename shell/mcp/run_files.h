// SPDX-License-Identifier: Apache-2.0
//
// The records of runs in a folder: a run is in two files named by its handle, the session and, with
// `.json`, the record. The session of a protocol that binds an agent is elsewhere, and one for all.
// Several processes may use the folder, one at a time has a session open; the requests and inputs
// of another are seen when a process begins.
#ifndef RPL_SHELL_MCP_RUN_FILES_H_
#define RPL_SHELL_MCP_RUN_FILES_H_

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "shell/serving/run_records.h"

namespace rpl {

class RunFiles : public RunRecords {
 public:
  /// The file of the run that binds an agent to a protocol, by its name; "" if it binds none.
  using BoundTo = std::function<std::string(const std::string& protocol)>;

  /// `bound_to`: null if no protocol binds.
  explicit RunFiles(std::string folder, BoundTo bound_to = nullptr)
      : folder_(std::move(folder)), bound_to_(std::move(bound_to)) {}

  /// Makes the folder, for its owner alone. The reason for a failure, for people, or "".
  static std::string Make(const std::string& folder);
  /// Reads what is in the folder. Likewise.
  std::string Open();

  bool shared() const override { return false; }
  Begun Begin(const RunRecord& fresh, const nlohmann::ordered_json& input) override;
  void Answered(const RunRecord& run) override;
  Found Find(const std::string& handle, const std::string& who) override;
  std::vector<std::string> Handles(const std::string& prefix, const std::string& who,
                                   std::size_t most) override;
  std::string NameOf(const std::string& handle) const override;
  Held Hold(const RunRecord& run) override;
  Kept Keep(const RunRecord& run, const nlohmann::ordered_json& input) override;
  void Taken(const RunRecord& run, std::int64_t number) override;
  std::string Release(const RunRecord& run, const Turn& turn) override;
  void Drop(const RunRecord& run, const nlohmann::ordered_json& report) override;

 private:
  // A run with the inputs that no turn has taken, an array of objects with a `number`.
  struct Record {
    RunRecord run;
    nlohmann::ordered_json inputs;
  };
  std::string FileOf(const std::string& handle) const { return folder_ + "/" + handle + ".json"; }
  std::optional<Record> Read(const std::string& handle) const;
  bool Write(const Record& record) const;
  void EraseInputs(const std::string& handle, std::int64_t first, std::int64_t last) const;
  bool IsOfRequest(const RunRecord& run) const;
  void Forget(const RunRecord& run);
  std::string StampOf(const std::string& handle) const;

  const std::string folder_;
  const BoundTo bound_to_;
  std::mutex mutex_;
  struct Request {
    std::string handle;
    std::int64_t began;
  };
  std::map<std::string, Request> by_request_;  // that begin no other run
  // By handle, the last of the inputs that no turn of this process has: of requests that began a
  // run, and those that another process left.
  std::map<std::string, std::int64_t> left_;
};

}  // namespace rpl

#endif  // RPL_SHELL_MCP_RUN_FILES_H_
