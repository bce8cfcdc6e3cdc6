// SPDX-License-Identifier: Apache-2.0
//
// The files of a client: open documents, whose text is the client's, over the files on disk.
//
// A TextFile never changes; a change makes another one, so that a thread may read one while the
// next is typed. Two files with the same text at two times are two files only if the text was sent
// or read anew.
//
// Files on disk are read when they are needed, and again when their time or size differs. A
// namespace (`file.md#rel`, §17.7) names a file beside the document.
//
// All functions may be called from any thread.
#ifndef RPL_SHELL_LSP_WORKSPACE_H_
#define RPL_SHELL_LSP_WORKSPACE_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "shell/lsp/text_position.h"
#include "shell/terminal/input.h"

namespace rpl::lsp {

/// A text with its lines.
struct TextFile {
  /// `plain`: a document that is no file is plain RPL, not Markdown.
  TextFile(std::string uri_of, std::string path_of, std::string text_of,
           std::optional<std::int64_t> version_of, bool plain = false);
  TextFile(const TextFile&) = delete;

  const std::string uri;
  const std::string path;  // "" for a document that is no file
  const std::string text;
  const std::optional<std::int64_t> version;  // of an open document
  const TextLines lines;

  /// The name under which findings and rules know it: the path, or the URI, with `.rpl` where that
  /// says that it is plain RPL.
  const std::string& name() const { return name_; }
  /// The last part of the path, by which other files name it.
  std::string file_name() const;
  /// Whether it is Markdown or plain RPL by its name.
  bool is_program() const;

 private:
  std::string name_;
};
using File = std::shared_ptr<const TextFile>;

/// The path of a `file:` URI, and "" for others; and back.
std::string PathOfUri(std::string_view uri);
std::string UriOfPath(const std::string& path);

class Workspace {
 public:
  /// Larger files that nobody named are left out of a folder, and of the others only so many count.
  static constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{4} << 20;
  static constexpr std::size_t kMaxFiles = 5'000;
  static constexpr std::size_t kMaxVisited = 100'000;  // entries of folders

  void AddFolder(const std::string& uri);
  void RemoveFolder(const std::string& uri);

  void Open(const std::string& uri, std::int64_t version, std::string text, bool plain = false);
  /// Applies the changes of `textDocument/didChange` in their order. False, and nothing changes, if
  /// the document is not open or a change cannot be read.
  bool Change(const std::string& uri, std::int64_t version, const Json& changes,
              PositionEncoding encoding);
  void Close(const std::string& uri);
  bool IsOpen(const std::string& uri) const;

  /// The file of a URI, open or on disk; null if there is none.
  File Find(const std::string& uri) const;
  /// The file on disk, also of an open document; null if there is none.
  File OnDisk(const std::string& path) const;
  /// The file of that name in the folder of `file`; null if there is none. Names with a `/` are not
  /// found.
  File Beside(const TextFile& file, const std::string& name) const;
  /// The open documents, in the order of their URIs.
  std::vector<File> OpenFiles() const;
  /// The programs in the folder of `file`, it included; those that may name it.
  std::vector<File> Neighbours(const TextFile& file) const;
  /// The programs that are open or below a folder of the workspace, by URI. Folders that are hidden
  /// or named node_modules are left out.
  std::vector<File> Programs() const;

 private:
  struct Known {
    std::filesystem::file_time_type time;
    std::uintmax_t size = 0;
    File file;
  };

  // Under the lock. Null for a file that is not there, or has more bytes than `most`.
  File Read(const std::string& path, std::uintmax_t most = kMaxInputBytes) const;
  File At(const std::string& path, std::uintmax_t most = kMaxInputBytes) const;

  mutable std::mutex mutex_;
  std::set<std::string> folders_;                  // paths
  std::map<std::string, File> open_;               // by URI
  std::map<std::string, std::string> open_paths_;  // path to URI
  mutable std::map<std::string, Known> disk_;      // by path
};

/// The text after one change of `textDocument/didChange`; nullopt if it cannot be read.
std::optional<std::string> Changed(const std::string& text, const TextLines& lines,
                                   const Json& change, PositionEncoding encoding);

}  // namespace rpl::lsp

#endif  // RPL_SHELL_LSP_WORKSPACE_H_
