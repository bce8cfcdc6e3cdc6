// SPDX-License-Identifier: Apache-2.0
//
// The answers of a satisfied plan, in phase 6: as cells, as lines for people, and as JSON.
//
// Each rule of a goal names its own captures (decisions 61, 97), so an answer has a cell for what
// its rule captures, and is absent from the columns of others.
//
// There may be very many answers, or very long ones. If a limit is reached while they are written,
// the remaining ones are missing, so the limit is the outcome.
//
// Borrows its arguments. One thread.
#ifndef RPL_RUNTIME_STEP_ANSWER_WRITER_H_
#define RPL_RUNTIME_STEP_ANSWER_WRITER_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "interp/plan/limits.h"
#include "runtime/step/part_names.h"

namespace rpl {

class Value;
struct Table;

class AnswerWriter {
 public:
  AnswerWriter(interp::Engine& engine, const SessionOptions& options, Budget& budget)
      : engine_(engine), options_(options), budget_(budget) {}

  /// Writes the answers of the table of the plan into `step`. `query`: the goal, or null for one of
  /// the program.
  void Take(StepState& step, const Table& table, const Definition* query);

  /// Whether the answers after this many are written: polls the limits now and then.
  bool GoesOn(StepState& step, std::size_t answers);
  /// Whether an answer is not too long to be printed, and no limit is reached before a long one.
  bool CanBeShown(StepState& step, std::span<const Value> cells);

 private:
  struct Captures;
  Captures CapturesOf(const Table& table, const Definition* rule) const;
  std::vector<std::string> LinesOf(StepState& step, const Table& table,
                                   const std::vector<const Captures*>& of_rows, bool json);
  bool Cut(StepState& step, Stop why, std::string overflow = "");

  interp::Engine& engine_;
  const SessionOptions& options_;
  Budget& budget_;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_STEP_ANSWER_WRITER_H_
