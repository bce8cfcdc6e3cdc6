// SPDX-License-Identifier: Apache-2.0
//
// The inputs of the guard about a call, from the program and its configuration: its name in
// policies, tags, arguments by name, subjects, and the end user. gate.h lists the relations.
//
// A relation is looked up first; one with two different answers counts as having none. Before phase
// 8 only rows that are stored are read, because no rule may be evaluated then (Derive).
#ifndef RPL_RUNTIME_STEP_CALL_INPUTS_H_
#define RPL_RUNTIME_STEP_CALL_INPUTS_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checks/guard/guard.h"
#include "interp/eval/engine.h"
#include "interp/eval/evaluation.h"
#include "runtime/gate_setup.h"

namespace rpl {

/// A call to be decided.
struct GateCall {
  const OpenCall* call = nullptr;
  std::string label;  // of the tool
  std::string text;   // as RPL
};

class CallInputs {
 public:
  struct Named {
    std::string tool;
    std::vector<std::string> tags;
  };
  using Rows = std::vector<std::vector<Value>>;

  /// Borrows its arguments; `setup` may be null.
  CallInputs(const GateSetup* setup, interp::Engine& engine) : setup_(setup), engine_(engine) {}

  /// Phase 8: tabled relations may be evaluated; or not.
  void Derive(bool derives) { derives_ = derives; }

  /// The rows of a relation that agree with the bound arguments of `key`; before phase 8, those
  /// that are stored.
  Rows RowsOf(std::string_view label, std::vector<Value> key);
  /// A value as the guard reads it.
  nlohmann::ordered_json JsonOf(Value v) const;
  /// The name and the tags of a tool in policies.
  Named NamesOf(const std::string& label);
  /// The call as the guard sees it.
  GuardCall Seen(const GateCall& call);
  std::optional<EndUser> User();
  std::vector<Subject> SubjectsOfProgram(const GuardCall& call);

 private:
  const GateSetup* setup_;
  interp::Engine& engine_;
  bool derives_ = false;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_STEP_CALL_INPUTS_H_
