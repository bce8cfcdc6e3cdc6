// SPDX-License-Identifier: Apache-2.0
//
// Tables of answers: the memo of top-down evaluation. Plain data, shared by interp/eval/machine.h,
// which fills it, and interp/eval/solver.h, which decides what to fill.
#ifndef RPL_INTERP_EVAL_TABLE_H_
#define RPL_INTERP_EVAL_TABLE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "interp/program/clause.h"
#include "interp/store/store.h"

namespace rpl {

/// A row that an answer rests on.
struct Premise {
  RelationId relation = kNoId;
  std::vector<Value> row;
};

/// Position of a row that an answer rests on: in a table, or in the store if `from` is null.
/// Valid until the tables are dropped or the relation loses rows.
struct RowUsed {
  struct Table* from = nullptr;
  RelationId relation = kNoId;
  RowId row = 0;
};

/// Answers of one tabled call: of a relation with some arguments bound, or of a goal.
struct Table {
  RelationId relation = kNoId;
  std::vector<Value> key;                      // per argument: its value, or kNone while free
  std::vector<std::vector<Value>> rows;        // distinct, in answer order
  std::vector<std::vector<Premise>> premises;  // goals only, per row
  std::vector<Value> maps;                     // goals only, per row: its bindings map
  std::vector<int> rules;                      // goals only, per row: its definition, or -1
  std::vector<Table*> used;  // tables with goals or $json that answers rest on, in order
  std::vector<std::pair<const Clause*, Value>> shown;  // $json: clause, value
  std::vector<Value> captures;                         // goals: slot names of the columns
  int rule = -1;                  // goals: the definition that answered, or that is pending
  bool pending = false;           // some call that it needs has no reply
  bool lacking = false;           // some call failed, was refused or declined, or rows were cut off
  bool undecided = false;         // an answer that rests on absence was withheld (decision 80)
  bool pending_question = false;  // a pending call is a question to a person
  bool pending_call = false;      // a pending call is a tool's
  bool eligible = false;          // goals: some rule's activation holds or is pending
  RelationId ineligible = kNoId;  // the goal without an eligible rule that prevented an answer
  std::string reason;             // for the lack of answers; "" when unknown

  // State of its evaluation; see Solver::Complete.
  bool acts = false;  // evaluating it may reach a goal or show something
  bool complete = false;
  bool running = false;
  bool visited = false;
  std::size_t position = 0;  // among the running tables
  Table* lowest = nullptr;   // outermost of the running tables that this one read, or null
  IdTable index;
  std::unordered_set<const Table*> known_used;

  /// Adds a row unless it is there; true when it was new.
  bool Add(std::vector<Value> row);
};

/// Source of tables: the Machine, which runs plans, calls it for tabled relations; the Solver
/// implements it.
class Demands {
 public:
  virtual ~Demands() = default;
  /// The table of a call, evaluated as far as possible now. It is incomplete if the call is part of
  /// its own evaluation.
  virtual Table& Demand(RelationId relation, std::vector<Value> key) = 0;
  /// Whether the goal is being evaluated and already has an answer.
  virtual bool IsAnswered(RelationId goal) const = 0;
};

}  // namespace rpl

#endif  // RPL_INTERP_EVAL_TABLE_H_
