// SPDX-License-Identifier: Apache-2.0
//
// Tables of answers, which evaluation on demand produces. Plain data, shared by
// interp/eval/machine.h, which fills it, and interp/eval/solver.h, which decides what to fill.
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

/// A row that an answer rests on, where it stands: in a table, or (`from` null) in the store.
/// Good as long as the tables are, and until rows are taken out of the relation.
struct RowUsed {
  struct Table* from = nullptr;
  RelationId relation = kNoId;
  RowId row = 0;
};

/// Answers of one demanded call: of a relation with some arguments bound, or of a goal.
struct Table {
  RelationId relation = kNoId;
  std::vector<Value> key;                      // per argument: its value, or kNone while free
  std::vector<std::vector<Value>> rows;        // distinct, in answer order
  std::vector<std::vector<Premise>> premises;  // goals only, per row
  std::vector<Value> maps;                     // goals only, per row: its bindings map
  std::vector<int> rules;                      // goals only, per row: its definition, or -1
  std::vector<Table*> used;  // tables with goals or $json that the answers rest on, in order
  std::vector<std::pair<const Clause*, Value>> shown;  // $json: clause, value
  std::vector<Value> captures;                         // goals: slot names of the columns
  int rule = -1;                  // goals: the definition that answered, or that is waited for
  bool pending = false;           // some call that it needs is open
  bool lacking = false;           // or failed, was refused, declined or cut off
  bool undecided = false;         // so that an answer was withheld that rests on absence
  bool pending_question = false;  // and is put to a person
  bool pending_call = false;      // or to a tool
  bool eligible = false;          // goals: some rule's activation held or waits
  RelationId ineligible = kNoId;  // a goal without an eligible rule that stood in the way
  std::string reason;             // why there is no answer, "" when unknown

  // While it is evaluated; see Solver::Complete.
  bool acts = false;  // evaluating it may reach a goal or show something
  bool complete = false;
  bool running = false;
  bool visited = false;
  std::size_t position = 0;  // among the running tables
  Table* lowest = nullptr;   // of the tables that ran when this one read them, or null
  IdTable index;
  std::unordered_set<const Table*> known_used;

  /// Adds a row unless it is there; true when it was new.
  bool Add(std::vector<Value> row);
};

/// Who fills tables; the seam between running a plan and answering what it demands.
class Demands {
 public:
  virtual ~Demands() = default;
  /// The table of a call, evaluated as far as can be now. It may still be running when
  /// the call is part of its own evaluation.
  virtual Table& Demand(RelationId relation, std::vector<Value> key) = 0;
  /// Whether the goal is being evaluated now and has an answer already.
  virtual bool IsAnswered(RelationId goal) const = 0;
};

}  // namespace rpl

#endif  // RPL_INTERP_EVAL_TABLE_H_
