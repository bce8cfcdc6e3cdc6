// SPDX-License-Identifier: Apache-2.0
//
// The list of a server's protocols: title, goals, first questions and their prose.
//
// This is read off a run that nobody answers, which is kept until the file changes. So the
// questions are those that a run begins with, as a client will see them.
#ifndef RPL_SHELL_MCP_PROTOCOL_LIST_H_
#define RPL_SHELL_MCP_PROTOCOL_LIST_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "shell/program/options.h"
#include "shell/serving/protocol_folder.h"
#include "shell/serving/question_form.h"

namespace rpl {

struct ProtocolAbout {
  std::string name;
  std::string path;
  std::string title;               // of its first heading
  std::string description;         // the first paragraph
  std::vector<std::string> goals;  // "%trip(?where, ?nights)"
  std::vector<OpenQuestion> asks;
  std::uintmax_t size = 0;
  std::string error;  // why it cannot be run, or ""
};

class ProtocolList {
 public:
  /// Borrows both.
  ProtocolList(const ProtocolFolder& folder, const EngineOptions& engine)
      : folder_(folder), engine_(engine) {}

  /// All that can be run, by name. Evaluates: to be called on a worker.
  std::vector<ProtocolAbout> All(const std::function<bool()>& interrupted);
  std::optional<ProtocolAbout> Find(const std::string& name,
                                    const std::function<bool()>& interrupted);

 private:
  struct Kept {
    std::filesystem::file_time_type changed;
    std::uintmax_t size;
    ProtocolAbout about;
  };
  ProtocolAbout About(const ProtocolFolder::Protocol& protocol,
                      const std::function<bool()>& interrupted);

  const ProtocolFolder& folder_;
  const EngineOptions& engine_;
  std::mutex mutex_;
  std::map<std::string, Kept> kept_;  // by path
};

/// {"protocol", "title", "description", "goals", "asks"}.
nlohmann::ordered_json AboutJson(const ProtocolAbout& about);

}  // namespace rpl

#endif  // RPL_SHELL_MCP_PROTOCOL_LIST_H_
