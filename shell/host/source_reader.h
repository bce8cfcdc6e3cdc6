// SPDX-License-Identifier: Apache-2.0
//
// Nobody, except that the sources of `$index` are read: for sessions that are inspected. Other
// calls stay open.
#ifndef RPL_SHELL_HOST_SOURCE_READER_H_
#define RPL_SHELL_HOST_SOURCE_READER_H_

#include <string>
#include <utility>

#include "runtime/tools/file_tools.h"
#include "shell/host/nobody.h"

namespace rpl {

class SourceReader : public Nobody {
 public:
  /// `folder`: that of the program; without one nothing is read.
  SourceReader(FileConfig config, std::string folder) : config_(std::move(config)) {
    files_.SetFolder(std::move(folder));
  }

  rpl::Answer Answer(const Request& request, Pool& pool, std::string_view) override {
    if (request.tool != "index" || !files_.Takes(request)) return {};
    return files_.Call(request, pool);
  }

 private:
  struct Nothing : Permission {
    Permit Approve(const ToolCommand&) override { return {}; }
    Permit Ask(const ToolCall&, const std::string&) override { return {}; }
    Permit AskToWrite(const std::string&, std::size_t) override { return {}; }
  };

  const FileConfig config_;
  Nothing nothing_;
  FileTools files_{config_, nothing_};
};

}  // namespace rpl

#endif  // RPL_SHELL_HOST_SOURCE_READER_H_
