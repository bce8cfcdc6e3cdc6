// SPDX-License-Identifier: Apache-2.0
//
// The calls without a reply that an evaluation waits for, directly or through tables, in the order
// in which it came upon them (§13.1, decision 56).
//
// Tables are kept and read many times, so each records what it waits for itself, and its readers
// record the table. Solver::Collect follows them down to the calls. An evaluation is pending
// exactly when it waits for something: there is no flag that could say so alone.
#ifndef RPL_INTERP_EVAL_WAITING_H_
#define RPL_INTERP_EVAL_WAITING_H_

#include <cstdint>
#include <vector>

namespace rpl {

struct Table;

class Waiting {
 public:
  /// Kinds of calls, to be combined. After a question no tool is called before it is answered.
  enum Of : std::uint8_t { kTools = 1, kQuestions = 2, kAll = kTools | kQuestions };
  struct On {
    const Table* table = nullptr;  // its calls; null: the call with number `call`
    std::uint32_t call = 0;
    std::uint8_t of = kAll;  // which of the calls are meant
    std::uint8_t has = 0;    // the kinds that there were when it was recorded

    friend bool operator==(const On&, const On&) = default;
  };

  bool empty() const { return all_.empty(); }
  const std::vector<On>& all() const { return all_; }
  /// The kinds of calls that it waits for.
  std::uint8_t has() const { return has_; }

  void Add(On on);
  void Add(const Waiting& more);
  /// Makes the table the last: its answers so far were read, and what is waited for with them comes
  /// first.
  void Postpone(const Table* table);
  /// Drops the questions: an answer was found, and they could only add others.
  void KeepTools();

 private:
  std::vector<On> all_;
  std::uint8_t has_ = 0;
};

}  // namespace rpl

#endif  // RPL_INTERP_EVAL_WAITING_H_
