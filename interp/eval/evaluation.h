// SPDX-License-Identifier: Apache-2.0
//
// What an evaluation is given from outside the store, and what it finds besides answers. Plain
// data: a Machine fills it, a Solver hands it out (interp/eval/solver.h).
#ifndef RPL_INTERP_EVAL_EVALUATION_H_
#define RPL_INTERP_EVAL_EVALUATION_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "interp/plan/limits.h"
#include "interp/program/clause.h"
#include "interp/store/store.h"

namespace rpl {

struct Definition;

/// A call to the outside: of a tool with its arguments, of an avar, or of a heading that collects.
/// Two calls with the same identity are answered by one reply.
struct CallId {
  RelationId relation = kNoId;  // kNoId: an avar, whose name is the argument
  std::vector<Value> args;      // of a heading, kNone where it is asked for

  friend auto operator<=>(const CallId&, const CallId&) = default;
};

/// Something to be done outside before evaluation can go on.
struct OpenCall {
  Space space = Space::kTool;
  RelationId relation = kNoId;
  std::vector<Value> args;  // of a tool; of a collected relation, kNone where free
  int column = -1;          // collected relations: the argument asked for
  int question = -1;        // avars and arguments: index into Program::questions
  Span place;               // where it was met first; no part of what it is

  friend bool operator==(const OpenCall& a, const OpenCall& b) {
    return a.space == b.space && a.relation == b.relation && a.args == b.args &&
           a.column == b.column && a.question == b.question;
  }
};

/// What a timestep knows from outside.
struct Given {
  Value now;                                   // an ISO 8601 string
  std::set<CallId> declined = {};              // by a person
  std::map<CallId, std::string> refused = {};  // by a guard, and why
};

/// A violated instance of a constraint.
struct Violation {
  int constraint = -1;
  std::vector<Value> bindings;  // slot name, value, …
};

/// Why an evaluation cannot tell that there is no further answer (decisions 56, 80).
struct Undecided {
  bool waits = false;  // for a call
  bool lacks = false;  // the answer of a call, or what a limit cut off
  explicit operator bool() const { return waits || lacks; }
};

/// A rule whose head is an expansion, and the expression that it met, which no head can be.
using BadHead = std::pair<const Definition*, std::string>;

struct Evaluation {
  std::vector<OpenCall> calls;        // that it waits for, in the order met
  std::vector<Violation> violations;  // of rules' checks
  Stop stop = Stop::kGoesOn;
  std::string stopped_at;  // what was growing when a limit was reached

  // The calls for which answers are missing or withheld, the last of each kind.
  std::optional<OpenCall> declined;
  std::optional<OpenCall> refused;
  std::optional<OpenCall> failed;
  std::string failure;  // the message of the tool that failed, or ""

  /// A goal or relation that needs itself.
  struct Circle {
    RelationId first;
    std::string text;  // "%a → %b → %a"
  };
  std::optional<Circle> circle;
};

}  // namespace rpl

#endif  // RPL_INTERP_EVAL_EVALUATION_H_
