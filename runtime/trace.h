// SPDX-License-Identifier: Apache-2.0
//
// The trace (§12): what became fixed, in the order it did.
//
// An entry is an RPL sentence with its bindings and truth, the timestep and phase that
// recorded it, and nothing else: ground constraints, goal truths, replies, retractions,
// failures. Rows that the program derives again get no entry; an entry that rests on them
// is printed with their derivations nested (§19). Entries are never changed or removed; a
// retraction is an entry of its own (§12.4). The facts an entry asserts live in the store
// and are queried there (§12.5).
//
// Timesteps are counted over all epochs of a session, and an entry stands in it once: what
// a later epoch establishes anew is recorded `again`, and listings leave it out.
#ifndef RPL_RUNTIME_TRACE_H_
#define RPL_RUNTIME_TRACE_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/diagnostic.h"

namespace rpl {

/// The call that a reply answers, or whose reply is retracted.
struct AnsweredCall {
  std::string call = {};               // `$check(1)`, `stay(1, 2)`, `$x`
  std::string tool = {};               // label of the tool, "" for avars and headings
  std::vector<std::string> keys = {};  // names that --answer may use for it
  bool failed = false;                 // its tool failed
  bool shown = false;                  // it is $json: nothing that can be given again
};

struct TraceEntry {
  enum class Kind { kFact, kRetraction, kReply, kConstraint, kDerivation, kGoal, kFailure };
  Kind kind = Kind::kFact;
  int timestep = 0;
  int phase = 0;
  std::string text = {};  // one RPL sentence
  bool stated = false;    // a document of the program says it, and does so when loaded again
  bool again = false;     // an earlier epoch has it; here it says that it stands
  bool past = false;      // of an epoch before the last one
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

/// "fact", "reply", "goal", …: kinds of entries in events and listings.
std::string_view EntryName(TraceEntry::Kind kind);

/// A trace as an RPL program: loading it, beside the program that made it, restores what
/// stood. Entries that follow from others are comments; truths of goals are sentences where
/// they stand: of the last epoch, of a timestep without failure, and not before something
/// was retracted. Checked alone it has no findings: a fact of the program that was retracted
/// is asserted first.
std::string TraceProgram(std::span<const TraceEntry> trace);

/// An argument of a heading that asks for several: `stay(1, ?to, ?x)` and `?to`. Empty: none.
struct HeadingPart {
  std::string heading;
  std::string argument;
};

/// A sentence that tells which arguments of a heading are answered, when others are not:
/// `stay(1, ?to, ?x)` and `{?to 2}`.
TraceEntry HalfAnswered(const std::string& heading, const std::string& bindings);

/// The part of it that a changed program starts from: without what the program's own
/// documents said, and without comments.
std::string CarriedTrace(std::span<const TraceEntry> trace);

}  // namespace rpl

#endif  // RPL_RUNTIME_TRACE_H_
