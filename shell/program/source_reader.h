// SPDX-License-Identifier: Apache-2.0
//
// Reads the sources of `$index`, for sessions that are inspected. Other calls stay open.
#ifndef RPL_SHELL_PROGRAM_SOURCE_READER_H_
#define RPL_SHELL_PROGRAM_SOURCE_READER_H_

#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "interp/sql/sql_source.h"
#include "runtime/ports.h"
#include "runtime/tools/file_tools.h"
#include "shell/program/tool_permission.h"

namespace rpl {

class SourceReader : public Tools, public SourceAccess {
 public:
  /// `folder`: that of the program; without one nothing is read. `path`: of the configuration,
  /// which opens what its user has approved and the tools `allowed` reach.
  SourceReader(FileConfig config, std::string folder, std::string path,
               const std::vector<std::string>& allowed = {})
      : config_(std::move(config)),
        path_(std::move(path)),
        permission_(path_, Approvals(ApprovalsPath()), allowed, nullptr, std::cerr) {
    files_.SetFolder(std::move(folder));
  }
  /// Whether databases may evaluate rules; they may at first.
  void SetPush(bool push) { push_ = push; }

  std::vector<rpl::Answer> Call(const std::vector<ToolCall>& calls, Pool& pool) override {
    std::vector<rpl::Answer> out(calls.size());
    std::vector<ToolCall> mine;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (calls[i].tool != "index" || !files_.Takes(calls[i])) continue;
      mine.push_back(calls[i]);
      places.push_back(i);
    }
    std::vector<rpl::Answer> read = files_.Call(mine, pool);
    for (std::size_t k = 0; k < read.size(); ++k) out[places[k]] = std::move(read[k]);
    return out;
  }
  std::vector<RecordedText> ReadRecorded(const std::vector<RecordedRead>& reads,
                                         Pool& pool) override {
    return files_.ReadRecorded(reads, pool);
  }
  std::vector<std::optional<SqlSource>> Places(const std::vector<ToolCall>& calls,
                                               const Pool& pool) override {
    return push_ ? files_.Places(calls, pool) : SourceAccess::Places(calls, pool);
  }

 private:
  bool push_ = true;
  const FileConfig config_;
  const std::string path_;
  ToolPermission permission_;  // nobody is asked
  FileTools files_{config_, permission_};
};

}  // namespace rpl

#endif  // RPL_SHELL_PROGRAM_SOURCE_READER_H_
