// SPDX-License-Identifier: Apache-2.0
//
// The trace (§12): what became fixed, in order.
//
// An entry is an RPL sentence with its bindings and truth, the timestep and phase that
// recorded it, and nothing else: ground constraints, goal truths, replies, retractions,
// failures. Rows that the program can derive again get no entry; an entry that rests on them
// is printed with their derivations nested (§19). Entries are never changed or removed; a
// retraction is an entry of its own (§12.4). The facts an entry asserts live in the store
// and are queried there (§12.5).
//
// Timesteps are numbered across all epochs of a session, and each entry counts once: if a later
// epoch establishes it again, it is recorded with `again`, and listings omit it.
#ifndef RPL_RUNTIME_TRACE_H_
#define RPL_RUNTIME_TRACE_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/diagnostic.h"
#include "interp/store/by.h"

namespace rpl {

/// The call that a reply answers, or whose reply is retracted.
struct AnsweredCall {
  std::string call = {};               // `$check(1)`, `stay(1, 2)`, `$x`
  std::string tool = {};               // label of the tool, "" for avars and headings
  std::vector<std::string> keys = {};  // names accepted by --answer
  bool failed = false;                 // its tool failed
  bool declined = false;               // a person declined it
  bool shown = false;                  // a $json, which cannot be given as an answer
};

struct TraceEntry {
  enum class Kind { kFact, kRetraction, kReply, kConstraint, kDerivation, kGoal, kFailure };
  Kind kind = Kind::kFact;
  int timestep = 0;
  int phase = 0;
  std::string text = {};      // one RPL sentence
  bool stated = false;        // in a document of the program, hence restored by loading it
  bool again = false;         // an earlier epoch has it; this entry confirms it
  bool past = false;          // of an epoch before the last one
  std::optional<By> by = {};  // who stated it: of facts, retractions and replies
  std::optional<AnsweredCall> answered =
      {};                          // of replies, and of facts and retractions about calls
  std::string goal = {};           // of truths: the goal, "%trip"; not kept in files
  std::optional<Span> place = {};  // in the sources of its session; not kept in files
};

using Trace = std::vector<TraceEntry>;

/// Sentences of the trace end with one of these (§12.3, §12.4).
inline constexpr std::string_view kIsTrue = " -> true";
inline constexpr std::string_view kIsFalse = " -> false";

/// The sentence that retracts what an entry says. REQUIRES: its text ends with kIsTrue.
std::string RetractionOf(const TraceEntry& entry);

/// The calls whose last reply is a failure that nothing takes back, in the order of their first
/// replies.
std::vector<AnsweredCall> FailedCalls(const Trace& trace);

/// The name of a kind in events and listings: "fact", "reply", "goal", ….
std::string_view EntryName(TraceEntry::Kind kind);

/// A trace as an RPL program: loading it with the program that made it restores the state. Entries
/// that follow from others are comments. Truths of goals are sentences only if in force: of the
/// last epoch, of a timestep without failure, and after the last retraction. `rpl check` has no
/// findings in it: a fact of the program that was retracted is asserted first.
std::string TraceProgram(std::span<const TraceEntry> trace);

/// An argument of a heading that asks for several: `stay(1, ?to, ?x)` and `?to`. Empty: none.
struct HeadingPart {
  std::string heading;
  std::string argument;
};

/// An entry for a heading with answers to some of its arguments: `stay(1, ?to, ?x)` and `{?to 2}`.
TraceEntry HalfAnswered(const std::string& heading, const std::string& bindings);

/// The part of TraceProgram that a changed program starts from: without the sentences of the
/// program's own documents, and without comments.
struct CarriedTrace {
  std::string text = {};
  std::vector<By> by = {};  // of each line, for entries that somebody stated
};
CarriedTrace Carried(std::span<const TraceEntry> trace);

}  // namespace rpl

#endif  // RPL_RUNTIME_TRACE_H_
