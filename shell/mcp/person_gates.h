// SPDX-License-Identifier: Apache-2.0
//
// The questions of a program that only a person can answer: those whose answers it reads with the
// metadata `^ ~ {:by :person}` (§11).
//
// A model's answer to such a question would close it without effect. So it is not taken, and the
// question stays open. This is read off the text: a pattern that compares `:by` in another way is
// not seen, and there the rules alone decide.
#ifndef RPL_SHELL_MCP_PERSON_GATES_H_
#define RPL_SHELL_MCP_PERSON_GATES_H_

#include <string>
#include <vector>

#include "interp/store/value.h"
#include "runtime/agent.h"

namespace rpl {

struct ProgramFile;

class PersonGates {
 public:
  PersonGates() = default;
  /// Of the documents among the files.
  explicit PersonGates(const std::vector<ProgramFile>& files);

  /// Whether only a person's answer to the request counts.
  bool Takes(const Request& request, const Pool& pool) const;
  /// Whether only a person's facts of the relation count.
  bool TakesRelation(const std::string& label) const;

 private:
  struct Gate {
    bool tool = false;
    std::string label;                // of the relation, or of the tool
    std::vector<std::string> avars;   // among the arguments
    bool any_text = true;             // of the tool's first argument
    std::vector<std::string> pieces;  // of that text, in order, with holes between them
  };
  friend struct GateReader;
  std::vector<Gate> gates_;
};

}  // namespace rpl

#endif  // RPL_SHELL_MCP_PERSON_GATES_H_
