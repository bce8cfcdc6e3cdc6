// SPDX-License-Identifier: Apache-2.0
//
// A program that is to run in a database: its files in an engine that evaluates nothing, and its
// translation (interp/sql/sql_script.h). Findings go to standard error.
#ifndef RPL_SHELL_PROGRAM_SQL_PROGRAM_H_
#define RPL_SHELL_PROGRAM_SQL_PROGRAM_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "grammar/namespaces.h"
#include "interp/eval/engine.h"
#include "interp/program/program.h"

namespace rpl {

class SourceAccess;
struct DatabaseRelation;
struct ProgramFile;
struct SqlRequest;
struct SqlScript;

class SqlProgram {
 public:
  /// `documents`: the paths of the files, beside which namespaces are looked for.
  SqlProgram(const std::vector<std::string>& documents, bool strict_facts);
  SqlProgram(const SqlProgram&) = delete;

  /// Takes in the files; true if none has an error.
  bool Load(std::vector<ProgramFile> files);
  /// Takes in what a message says, and returns its query; nullopt if one of the two has an error.
  std::optional<Definition> TakeMessage(const std::string& name, std::string text);

  /// The script of what the program's goals need, or else of all its relations. nullopt if a part
  /// is refused.
  std::optional<SqlScript> Write();
  /// The same for a query.
  std::optional<SqlScript> Write(const Definition& query);

  /// The queries that databases evaluate in a run of the program, where `places` tells that its
  /// sources lie there; and what is evaluated here, as comments. `relations`: those of the
  /// configuration.
  std::string Pushed(SourceAccess& places, const std::vector<DatabaseRelation>& relations);

  Sources& sources() { return sources_; }
  Pool& pool() { return engine_.pool; }

 private:
  void Take(Document document, Diagnostics& found);
  std::optional<SqlScript> Write(const SqlRequest& request);
  std::string Unplaced(const std::map<std::string, std::string>& why);
  bool IsSound(Diagnostics& found);

  bool strict_facts_;
  Sources sources_;
  interp::Engine engine_{sources_};
  NamespaceReader reader_;
  Diagnostics refused_;  // of what documents state
  std::vector<SourceSentence> sentences_;
};

}  // namespace rpl

#endif  // RPL_SHELL_PROGRAM_SQL_PROGRAM_H_
