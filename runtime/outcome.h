// SPDX-License-Identifier: Apache-2.0
//
// Outcomes of turns and runs (§18.6).
#ifndef RPL_RUNTIME_OUTCOME_H_
#define RPL_RUNTIME_OUTCOME_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/diagnostic.h"
#include "runtime/request.h"

namespace rpl {

enum class Status {
  kNothing,  // no goal to pursue
  kSatisfied,
  kUnsatisfied,  // with a `reason` of one line
  kWaiting,      // calls without an answer are `pending`
  kFailed,       // a failure mode of §18.6 or an author's %fail: `reason` is the report
  kLimit,        // a limit was reached: `reason` is the report
  kRejected,     // the text has errors: nothing of the query ran
  kToolFailed,   // unsatisfied because a tool failed: `reason` names it
  kInterrupted,  // Ctrl-C
  kReview,       // a guard holds a call until a person decides: `reason` is the report
};

/// The name in JSON, journals and test scripts: "satisfied", "waiting".
std::string_view StatusName(Status status);

/// What the prose of a heading tells to do, or why a constraint stands, with the values of its
/// emphasised spans (decision 91).
struct ToDo {
  std::string heading;  // its title
  std::string text;
  std::vector<std::pair<std::size_t, std::size_t>> values = {};  // their ranges in `text`, in order
  Span place = {};                                               // of the rule or constraint

  /// The text as a question to a person: its values are set apart from its words.
  std::string AsQuestion() const;

  /// Of what it says: the rules under a heading say the same.
  friend bool operator==(const ToDo& a, const ToDo& b) {
    return a.heading == b.heading && a.text == b.text;
  }
};

/// The outcome of a turn or a run.
inline constexpr std::size_t kMostOverridden = 100;

/// A violation that somebody accepted (decision 95): the run goes on, and each report says so.
struct Overridden {
  std::string constraint;
  std::optional<ToDo> words = {};  // its heading and prose
  std::vector<std::string> with;   // the values, as "?name = value"
  By by = By::kPerson;             // who decided
  int timestep = 0;                // when
};

struct Outcome {
  Status status = Status::kNothing;
  std::vector<std::string> answers;       // captures, one line per answer (decision 63)
  std::vector<std::string> json_answers;  // the same as binding maps, always JSON
  std::vector<std::string> columns;       // names of the captures, "?x"
  std::vector<Value> cells;               // of distinct answers, columns.size() for each
  /// kUnsatisfied: one line. kFailed, kLimit, kReview: `%fail("reason", "explanation")`.
  std::string reason;
  /// kRejected, of a message from outside: what the party may do instead; else "".
  std::string hint = {};
  std::vector<OpenRequest> pending;  // kWaiting: all open questions and calls, never empty
  /// kSatisfied: the prose of the goals, and of headings on the way that collect nothing.
  std::vector<ToDo> now;
  /// kSatisfied, of a goal without captures: what it rests on, as "?name = value".
  std::vector<std::string> with;
  /// kFailed: the call that the goal needs and that was declined, as RPL text; else "".
  std::string declined;
  /// kFailed by a constraint: its heading and prose, and the values as "?name = value".
  std::optional<ToDo> violated;
  std::vector<std::string> violated_with;
  /// The same: the facts that its left side matched, as RPL text.
  std::vector<std::string> violated_by;
  /// The violations of the last timestep that somebody accepted, at most kMostOverridden.
  std::vector<Overridden> overridden = {};
  /// kSatisfied, if a limit stopped the evaluation and there may be more answers: the limit, and
  /// the rule or call that was growing, in one line. Otherwise empty.
  std::string cut_off;
  /// False if the clock, the memory or a person cut it off: a repetition may get further.
  bool repeatable = true;
  /// A needed call did not run: the next turn decides about it again.
  bool not_run = false;
  bool chat = false;  // whether a tool wrote chat during this turn
  std::string goal;   // the goal that was pursued, "%" or "%name"
  /// Of a goal with several rules, those that satisfy it or wait: the titles of their headings, or
  /// their places, separated by "; "; else "".
  std::string rule;
  std::vector<Diagnostic> diagnostics;  // of the text taken in, errors and lints
};

/// One answer as a line: the value alone of one column, else a map from names to values; with
/// `json` always a map (decision 63). REQUIRES: as many cells as columns.
std::string AnswerText(Pool& pool, const std::vector<std::string>& columns,
                       std::span<const Value> cells, bool json);

}  // namespace rpl

#endif  // RPL_RUNTIME_OUTCOME_H_
