// SPDX-License-Identifier: Apache-2.0
//
// Writes the rows of one call, each once.
#ifndef RPL_CHECKS_CALLS_ROW_WRITER_H_
#define RPL_CHECKS_CALLS_ROW_WRITER_H_

#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "checks/calls/call_paths.h"
#include "checks/calls/call_rows.h"
#include "checks/calls/shell_word.h"

namespace rpl {

/// What a text gives to a variable, wherever it does so.
struct VariableValues {
  std::vector<ShellWord> values;
  bool is_computed = false;  // there are other values
};
using Variables = std::map<std::string, VariableValues>;

class RowWriter {
 public:
  /// All must outlive the writer.
  RowWriter(const CallPaths& paths, CallViews& views, const Variables* variables = nullptr)
      : paths_(paths), views_(views), variables_(variables) {}

  const CallPaths& paths() const { return paths_; }

  /// Whether what follows writes to the paths that it names and nothing else, as redirections and
  /// `rm` do: then a path of which nothing is known is in `computed_edits`, too.
  void SetNamesTargets(bool names) { names_targets_ = names; }

  /// The command whose rows follow, until the next: what is not known of them is laid to it. The
  /// words must outlive that. Returns the command before.
  std::span<const ShellWord> SetCommand(std::span<const ShellWord> words) {
    return std::exchange(command_, words);
  }

  /// A program with the words behind it: closed if all are known.
  void Run(const std::string& program, std::span<const ShellWord> words);
  void OpenRun(rpl::OpenRun run);
  void Options(const std::string& program, std::span<const ShellWord> words);
  void OpenOptions(rpl::OpenRun options);

  /// A file, or one for each folder in which the command may run; open if the word is not known,
  /// and open besides if the file that is written has another name, a hard link.
  void Edit(const ShellWord& path, const Folders& folders);
  void Read(const ShellWord& path, const Folders& folders);
  /// Any file of the folder that the word names, unless it is a file now.
  void EditWithin(const ShellWord& path, const Folders& folders);
  void ReadWithin(const ShellWord& path, const Folders& folders);
  /// What is in the folder that the word names: each file, if the folder is known and small, or
  /// else any.
  void EditTree(const ShellWord& path, const Folders& folders);
  /// The path of a host's tool.
  void Edit(const std::string& path);
  void Read(const std::string& path);
  void OpenEdit(std::string start);
  void OpenRead(std::string start);

  /// Whether a path is a file, and no link, when the command begins.
  bool IsFile(const ShellWord& path, const Folders& folders) const;
  /// Whether a path is a folder, and for certain, when the command begins.
  bool IsFolder(const ShellWord& path, const Folders& folders) const;
  /// Whether a path is no folder when the command begins.
  bool IsNoFolder(const ShellWord& path, const Folders& folders) const;
  /// Whether a path is a file of the project that no call of the run may have written.
  bool IsOfOthers(const ShellWord& path, const Folders& folders) const;
  /// Whether a row so far may have written a path, or removed it.
  bool MayHaveEdited(const ShellWord& path, const Folders& folders) const;

  /// An address, with or without `https://`.
  void Fetch(const ShellWord& address);
  void OpenFetch(std::string start);
  void Fetch(std::string host, std::string url);

  /// The files that a word, or what is behind a sign in it, names.
  void Name(const ShellWord& word, const Folders& folders);

  /// Anything may run, and reach anything.
  void OpenAll();

 private:
  struct Seen {
    std::set<std::string> closed, open;
  };
  void AddPath(const ShellWord& path, const Folders& folders, std::vector<std::string>& closed,
               std::vector<std::string>& open, Seen& seen);

  void AddWithin(const ShellWord& path, const Folders& folders, std::vector<std::string>& open,
                 Seen& seen);

  void AddComputed(const ShellWord& path, const Folders& folders, int depth = 0);
  void AddComputed(ComputedEdit edit);
  void AddAssigned(const ShellWord& path, const ShellWord& value, const Folders& folders,
                   int depth);
  void AddMatchesBelow(const std::string& start, const std::string& pattern);
  void AddMatches(const ShellWord& pattern, const Folders& folders);
  void Blame(const char* relation, const ShellWord* word = nullptr);

  const CallPaths& paths_;
  CallViews& views_;
  const Variables* variables_;
  bool names_targets_ = true;
  std::span<const ShellWord> command_ = {};
  std::set<ComputedEdit> computed_;
  Seen edits_, reads_, fetches_;
  void NamePart(const ShellWord& part, const Folders& folders);

  std::set<std::string> named_;
  std::set<std::pair<std::string, Folders>> named_words_;
  std::set<ProgramCall> runs_, options_;
  std::set<rpl::OpenRun> open_runs_, open_options_;
};

/// The host of an address: "example.org" of "https://me@example.org:8080/x"; "" if it has none.
std::string AddressHost(std::string_view address);

}  // namespace rpl

#endif  // RPL_CHECKS_CALLS_ROW_WRITER_H_
