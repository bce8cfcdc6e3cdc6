// SPDX-License-Identifier: Apache-2.0
//
// The built-in tools `$index` and `$write` (docs/tools.md): files below the folder of the program.
//
//   $index(?location)                      {:result path, :hash h}, with the text as Answer::source
//   $index(?location, ?hint)               hint: the name of a relation for rows without one
//   $index("name")                         a relation of `relations:` in the configuration, by that
//                                          name, read whole from its database
//   $index("name", {:column ?value})       the rows of it with these values in these columns
//   $index(folder(?location, :entries))    the names in a folder, as rows of the relation `folder`
//   $write(?content, ?location)            {:result path, :bytes n, :hash h}
//   $write(?content, ?location, ?options)  options: {:format :csv, :replace true}
//
// A call fails with one of these codes, besides those of runtime/tools/program_folder.h:
//
//   denied       it was not permitted
//   database     the database was not named, did not answer, or refused
//   changed      the database cannot evaluate the relation any more (ToolCall::pushed)
//   bad-request  its arguments are not those above, or the content has no such text
//
// A call of `$index` that fails did not run, and neither did one that is denied. The same call of
// `$write` may be made again after a crash: a file that has the text already is left.
#ifndef RPL_RUNTIME_TOOLS_FILE_TOOLS_H_
#define RPL_RUNTIME_TOOLS_FILE_TOOLS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "interp/sql/sql_source.h"
#include "runtime/ports.h"
#include "runtime/tools/database_source.h"
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

  /// Whether it is a call of one of the tools, and there is a folder.
  bool Takes(const ToolCall& call) const;
  /// Makes the calls in their order; what lies in one database is read in one snapshot. REQUIRES:
  /// Takes of each.
  std::vector<Answer> Call(const std::vector<ToolCall>& calls, Pool& pool);
  /// The replies of calls of `$index`, where the source is there and has another hash. A file of
  /// the same size and time is not read. If a relation cannot be read, none of its database is, so
  /// that all rows of it stay those of one snapshot. A relation that is recorded as a query is read
  /// once. REQUIRES: Takes of each.
  std::vector<Answer> ReadAgain(const std::vector<Reread>& calls, Pool& pool);
  /// As SourceAccess has them.
  std::vector<RecordedText> ReadRecorded(const std::vector<RecordedRead>& reads, Pool& pool);
  std::vector<std::optional<SqlSource>> Places(const std::vector<ToolCall>& calls,
                                               const Pool& pool);

 private:
  /// What tells that a file may have changed.
  struct Stamp {
    std::string hash;
    std::int64_t size = 0, seconds = 0, nanoseconds = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };

  Answer Index(const ToolCall& call, Pool& pool);
  Answer ReadFileAgain(const Reread& read, Pool& pool);
  std::optional<RelationRead> ReadFor(const ToolCall& call, const Pool& pool) const;
  Permission::Permit MayRead(const RelationRead& read) const;
  Permission::Permit MayRead(const DatabaseRelation& relation) const;
  Permission::Permit MayReadFile(const std::string& path) const;
  static Answer AnswerOf(const RelationRead& read, RelationRows rows, Pool& pool);
  Answer Write(const ToolCall& call, Pool& pool);

  const FileConfig& config_;
  Permission& permission_;
  std::string folder_;
  std::map<std::string, Stamp> stamps_;  // of the sources read again, by call
};

/// The reply of a call of `$index` that read a source.
Answer IndexAnswer(Pool& pool, SourceText source);

}  // namespace rpl

#endif  // RPL_RUNTIME_TOOLS_FILE_TOOLS_H_
