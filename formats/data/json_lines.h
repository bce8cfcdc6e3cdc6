// SPDX-License-Identifier: Apache-2.0
//
// Append-only files of JSON, one object on each line (NDJSON).
//
// A line is appended as a whole, with its line feed, by one write at the end of the file (more only
// if the system writes less than requested), so that lines of two processes do not interleave and
// existing bytes never change. A last line that was cut off is terminated before the next append.
#ifndef RPL_FORMATS_DATA_JSON_LINES_H_
#define RPL_FORMATS_DATA_JSON_LINES_H_

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace rpl {

/// The contents of such a file. Lines are untrusted: each is parsed within the limits of ParseJson.
struct JsonLines {
  std::vector<nlohmann::ordered_json> objects;  // one for each line that holds an object, in order
  std::size_t unread = 0;                       // lines that hold none; blank lines are not counted
  bool missing = false;                         // there is no such file
  std::string error;                            // why the file cannot be read, or ""
};
/// Reads the whole file. A missing file has no lines and is no error here.
JsonLines ReadJsonLines(const std::string& path);

/// Appends lines, each with its line feed; creates a missing file with mode 0600. Returns the
/// system's error text, or "".
[[nodiscard]] std::string AppendLines(const std::string& path, std::string_view lines);

/// The last line without its line feed, which it may lack; "" if there is none, or no file.
/// `error`: the system's error text. Reads little more of the file than that line.
std::string LastLine(const std::string& path, std::string& error);

/// An advisory, exclusive lock on a file (flock). It is held until the object is destroyed or the
/// process ends. Reading and appending do not require it.
class FileLock {
 public:
  FileLock() = default;
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  /// Polls for the lock for at most `patience`; creates a missing file with mode 0600. Returns why
  /// the lock could not be taken, or "". The lock is on the file that has the path when it is
  /// taken, even if the file was replaced while waiting.
  [[nodiscard]] std::string Take(const std::string& path, std::chrono::milliseconds patience);

 private:
  int fd_ = -1;  // -1 until the lock is tried
};

}  // namespace rpl

#endif  // RPL_FORMATS_DATA_JSON_LINES_H_
