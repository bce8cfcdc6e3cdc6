// SPDX-License-Identifier: Apache-2.0
//
// The built-in tools `$index` and `$write` (docs/tools.md): files below the folder of the program.
//
//   $index(?location)                      {:result path, :hash h}, with the text as Answer::source
//   $index(?location, ?hint)               hint: the name of a relation for rows without one
//   $index("name")                         a relation of `relations:` in the configuration, by that
//                                          name, read whole from its database in one snapshot
//   $index(folder(?location, :entries))    the names in a folder, as rows of the relation `folder`
//   $write(?content, ?location)            {:result path, :bytes n, :hash h}
//   $write(?content, ?location, ?options)  options: {:format :csv, :replace true}
//
// A call fails with one of these codes, besides those of runtime/tools/program_folder.h:
//
//   denied       it was not permitted
//   database     the database was not named, did not answer, or refused
//   bad-request  its arguments are not those above, or the content has no such text
//
// A call of `$index` that fails did not run, and neither did one that is denied. The same call of
// `$write` may be made again after a crash: a file that has the text already is left.
#ifndef RPL_RUNTIME_TOOLS_FILE_TOOLS_H_
#define RPL_RUNTIME_TOOLS_FILE_TOOLS_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "runtime/agent.h"
#include "runtime/tools/permission.h"
#include "runtime/tools/tool_config.h"

namespace rpl {

class FileTools {
 public:
  /// Borrows both.
  FileTools(const FileConfig& config, Permission& permission)
      : config_(config), permission_(permission) {}

  /// The folder of the program, absolute.
  void SetFolder(std::string folder) { folder_ = std::move(folder); }

  /// Whether the request is a call of one of the tools, and there is a folder. REQUIRES: a tool
  /// call.
  bool Takes(const Request& request) const;
  /// Makes the call. REQUIRES: Takes(request).
  Answer Call(const Request& request, Pool& pool);
  /// The reply of `$index`, if its source is there and has another hash. A file of the same size
  /// and time is not read. REQUIRES: Takes(request).
  Answer ReadAgain(const Request& request, std::string_view hash, Pool& pool);

 private:
  /// What tells that a file may have changed.
  struct Stamp {
    std::string hash;
    std::int64_t size = 0, seconds = 0, nanoseconds = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };

  Answer Index(const Request& request, Pool& pool);
  Answer IndexRelation(const DatabaseRelation& relation, Pool& pool);
  Answer Write(const Request& request, Pool& pool);

  const FileConfig& config_;
  Permission& permission_;
  std::string folder_;
  std::map<std::string, Stamp> stamps_;  // of the sources read again, by call
};

/// The reply of a call of `$index` that read a source.
Answer IndexAnswer(Pool& pool, SourceText source);

}  // namespace rpl

#endif  // RPL_RUNTIME_TOOLS_FILE_TOOLS_H_
