// SPDX-License-Identifier: Apache-2.0
//
// Inputs of an evaluation that do not come from the store, and its findings besides answers. Plain
// data: a Machine fills it, a Solver hands it out (interp/eval/solver.h).
#ifndef RPL_INTERP_EVAL_EVALUATION_H_
#define RPL_INTERP_EVAL_EVALUATION_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "formats/diagnostic.h"
#include "interp/eval/waiting.h"
#include "interp/plan/limits.h"
#include "interp/store/relation_id.h"
#include "interp/store/value.h"

namespace rpl {

class DecidedCall;      // interp/program/builtins.h
class HostDescription;  // the same
struct Definition;

/// Identity of a call to the outside: of a tool with its arguments, of an avar, or of a collected
/// heading. One reply answers all calls of the same identity.
struct CallId {
  RelationId relation = kNoId;  // kNoId: an avar, whose name is the argument
  std::vector<Value> args;      // headings: kNone where the argument is asked for

  friend auto operator<=>(const CallId&, const CallId&) = default;
};

/// A call whose reply evaluation needs. The order ignores where and with which prompt it is asked.
struct OpenCall {
  Space space = Space::kTool;
  RelationId relation = kNoId;
  std::vector<Value> args;  // tools: all; collected relations: kNone where free
  int column = -1;          // collected relations: the argument asked for
  int question = -1;        // avars and arguments: index into Program::questions
  Span place;               // of its first occurrence

  friend bool operator<(const OpenCall& a, const OpenCall& b) {
    return std::tie(a.relation, a.args, a.column) < std::tie(b.relation, b.args, b.column);
  }
};

/// The state outside the store during one timestep.
struct Given {
  Value now;                                   // an ISO 8601 string
  std::set<CallId> declined = {};              // by a person
  std::map<CallId, std::string> refused = {};  // by a guard, with its reason
  const DecidedCall* decided = nullptr;        // null: no guard decides about a call
  const HostDescription* host = nullptr;       // null: no host reports its calls
};

/// A violated instance of a constraint.
struct Violation {
  int constraint = -1;
  std::vector<Value> bindings;  // slot name, value, …
};

/// What an evaluation may lack, to be combined.
enum Lack : std::uint8_t {
  kReply = 1,    // of a call that failed, was declined or refused; or rows that a limit cut off
  kMeaning = 2,  // a clause is undefined for its values, or wants a caller (decisions 93, 94)
};

/// Reasons why the absence of further answers proves nothing (decisions 40, 56, 80, 93, 94).
struct Undecided {
  Waiting waits;                  // for calls without a reply
  std::uint8_t lacks = 0;         // of Lack
  RelationId unfinished = kNoId;  // a relation that was read although it rests on its reader
  bool circular = false;          // `unfinished` is needed complete
  explicit operator bool() const { return lacks != 0 || !waits.empty(); }
};

/// A rule whose head is an expansion, and a value of it that cannot be a head (§5.7).
using BadHead = std::pair<const Definition*, std::string>;

struct Evaluation {
  std::vector<OpenCall> calls;        // that it waits for, in order of first occurrence
  std::vector<Violation> violations;  // of constraints within rules (decision 41)
  Stop stop = Stop::kGoesOn;
  std::string stopped_at;  // the rule or call that was growing when a limit was reached

  // Calls to blame for missing or withheld answers: the last of each kind.
  std::optional<OpenCall> declined;
  std::optional<OpenCall> refused;
  std::optional<OpenCall> failed;
  std::string failure;  // what became of it: "failed: no route to host", "was not permitted: …"
  /// The clause to blame where a meaning is lacking, with its values.
  std::string undefined;

  /// A goal or relation that needs its own complete answers (§18.6).
  struct Circle {
    RelationId first;
    std::string text;         // "%a → %b → %a"
    bool may_settle = false;  // by rows that came later; else some answer is lacking
  };
  std::optional<Circle> circle;
};

}  // namespace rpl

#endif  // RPL_INTERP_EVAL_EVALUATION_H_
