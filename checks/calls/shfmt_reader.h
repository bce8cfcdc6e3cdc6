// SPDX-License-Identifier: Apache-2.0
//
// Reads shell text by the program `shfmt`, which is started for each text.
#ifndef RPL_CHECKS_CALLS_SHFMT_READER_H_
#define RPL_CHECKS_CALLS_SHFMT_READER_H_

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "checks/calls/shell_reader.h"

namespace rpl {

class ShfmtReader : public ShellReader {
 public:
  /// Looks for `shfmt` in the folders in order: the folder of this program first, then those of
  /// a PATH. Folders that are not absolute are skipped.
  ShfmtReader(const std::string& program_folder, std::string_view path);
  /// Looks in the folder of this process's program, and in its PATH.
  ShfmtReader();

  /// The path of the program; "" if there is none.
  const std::string& program() const { return program_; }

  /// At most two seconds and 32 MB. The process inherits nothing but its standard streams and is
  /// gone when this returns.
  ShellTree Read(std::string_view text) override;

 private:
  std::string program_;
};

}  // namespace rpl

#endif  // RPL_CHECKS_CALLS_SHFMT_READER_H_
