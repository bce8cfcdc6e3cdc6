// SPDX-License-Identifier: Apache-2.0
//
// Files of JSON lines that are only appended to.
//
// A line is written as a whole, with its end, in one write at the end of the file: lines of
// two processes never mix, and what is there is never changed. A last line that was cut off
// is ended before the next one is written.
#ifndef RPL_FORMATS_JSON_LINES_H_
#define RPL_FORMATS_JSON_LINES_H_

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace rpl {

struct JsonLines {
  std::vector<nlohmann::ordered_json> objects;  // of the lines that are objects, in order
  std::size_t unread = 0;                       // lines that are none
  std::string error;                            // why the file cannot be read, or ""
};
/// A file that is not there has no lines.
JsonLines ReadJsonLines(const std::string& path);

/// Makes the file when there is none (mode 0600). Returns why it could not be written, or "".
[[nodiscard]] std::string AppendJsonLine(const std::string& path,
                                         const nlohmann::ordered_json& object);

/// A lock on a file, which other processes that want the same wait for. It goes with the object, or
/// with the process; lines can be read and appended without it.
class FileLock {
 public:
  FileLock() = default;
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  /// Makes the file when there is none (mode 0600). Returns why there is no lock, or "".
  [[nodiscard]] std::string Take(const std::string& path, std::chrono::milliseconds patience);

 private:
  int fd_ = -1;
};

}  // namespace rpl

#endif  // RPL_FORMATS_JSON_LINES_H_
