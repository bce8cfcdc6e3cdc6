// SPDX-License-Identifier: Apache-2.0
//
// A run that another program drives (rpl drive): the program is read from files or comes with the
// request, the run may be kept in a session, and the settings of rpl.yaml and of the command hold.
// Tools that have no command in rpl.yaml are the driver's, as questions of the kind "tool".
#ifndef RPL_SHELL_PROGRAM_DRIVEN_RUN_H_
#define RPL_SHELL_PROGRAM_DRIVEN_RUN_H_

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "shell/program/options.h"

namespace rpl {

struct GateSetup;
class JsonRun;
class Nobody;
class ToolSetup;

class DrivenRun {
 public:
  struct Opened {
    std::unique_ptr<DrivenRun> run;  // null if it cannot be opened
    nlohmann::ordered_json result;   // of the request
  };
  /// Opens what the request names: the members of RunSpecOf, and
  ///
  ///   files    the paths of the program, in place of documents
  ///   tools    the tools that the driver carries out: names, or {"name", "tags", "params"}, as
  ///            policies see them unless rpl.yaml says it
  ///   session  a file, or a URL, in which the run is kept; it goes on with what is there
  ///
  /// The result has "findings", and "opened", or "error". Throws std::invalid_argument, with a
  /// reason for people, if a member has not its form or a file cannot be read. Borrows `engine`.
  static Opened Open(const nlohmann::ordered_json& request, const EngineOptions& engine,
                     std::function<bool()> interrupted);

  ~DrivenRun();
  /// Does what a request to an open run says (JsonRun).
  nlohmann::ordered_json Do(const nlohmann::ordered_json& request);

 private:
  DrivenRun(const EngineOptions& engine, std::function<bool()> interrupted);

  std::unique_ptr<Nobody> nobody_;
  std::unique_ptr<ToolSetup> tools_;
  std::unique_ptr<GateSetup> gate_;
  std::unique_ptr<JsonRun> run_;
};

}  // namespace rpl

#endif  // RPL_SHELL_PROGRAM_DRIVEN_RUN_H_
