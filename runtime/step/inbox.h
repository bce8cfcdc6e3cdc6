// SPDX-License-Identifier: Apache-2.0
//
// The inbox: replies to calls, decisions about failures, and texts from outside, which become facts
// in phases 1 and 2 of a timestep (§18.3). They wait in order of arrival; the phases assert or
// retract their statements, and record those that are not in the program.
//
// The entry of a reply in the trace is determined before its timestep (EntriesToCome), because a
// session may end in between.
//
// Owns what waits, but for replies, which are in the book of calls. Borrows the rest. One thread.
#ifndef RPL_RUNTIME_STEP_INBOX_H_
#define RPL_RUNTIME_STEP_INBOX_H_

#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "runtime/log.h"
#include "runtime/step/part_names.h"
#include "runtime/step/step_state.h"
#include "runtime/trace.h"

namespace rpl {

class Diagnostics;
enum class From;
struct Collected;
struct Document;
struct HalfAnswer;
struct HeadingPart;
struct Novelty;
struct QuestionEntry;
struct Refused;
struct Said;

class Inbox {
 public:
  /// What it borrows. `said`: what waits for phase 2.
  struct Parts {
    interp::Engine& engine;
    const SessionOptions& options;
    Recorder& recorder;
    const Derivations& derivations;
    CallBook& calls;
    CallPermission& permission;
    FactWriter& facts;
    SourceFeed& sources;
    GoalRecord& goals;
    std::deque<Said>& said;
    Door& door;
  };
  explicit Inbox(Parts run) : run_(std::move(run)), engine_(run_.engine) {}

  /// Loads a document: its rules join the program now and take effect in phase 2 of the next
  /// timestep, with its facts. Adds findings to `out`.
  void Put(const Document& document, From from, By by, Diagnostics& out);
  /// Takes facts of a file that is no document, which the program is told to read.
  void Put(Novelty facts);
  /// Takes a fact of the run itself, such as a decision of a guard.
  void Put(Assertion fact);
  /// Takes the way out of a failure that somebody chose.
  void Put(Way way) { decisions_.push_back(std::move(way)); }
  /// Loads a message from outside, which states facts and answers alone. Why it is not taken in
  /// (decision 92), if `live`; else, or if nothing is against it, nullopt.
  std::optional<Refused> PutSaid(const Document& document, By by, bool live, Diagnostics& out);
  /// Whether messages of the program may not state guard data. False during the replay of a
  /// session, which accepted what it recorded.
  bool FiltersGuardData() const;
  /// Who stated the sentences of the trace that is loaded, line by line.
  void SetTraceBy(std::vector<By> by) { trace_by_ = std::move(by); }

  /// Phase 1: replies and decisions.
  void TakeReplies();
  /// Phase 2: rules that joined since are logged, and texts are taken in.
  void TakeNovelty();
  /// Whether phase 1 has a decision to take.
  bool has_decisions() const { return !decisions_.empty(); }

  /// The future entry of a reply; without text if it makes none, or none yet.
  TraceEntry EntryToCome(const OpenCall& call, const Answer& answer) const;
  TraceEntry EntryToCome(const Way& way) const;
  /// Entries that the next timestep will add for the replies and decisions at hand.
  Trace EntriesToCome() const;
  /// Entries for headings with answers to some of their arguments (HalfAnswered).
  Trace HalfAnswers() const;
  /// The argument that the call asks for, if its heading asks for others as well.
  HeadingPart PartOf(const OpenCall& call) const;

 private:
  using Verb = LogLine::Verb;
  void LogRules();
  void TakeReply(CallReply reply);
  void TakeArgument(const CallReply& reply, TraceEntry entry);
  bool TakesRows(const OpenCall& call) const;
  /// Of rows: their metadata, and who stated them.
  struct Origin {
    Value meta;
    By by;
  };
  void TakeRows(RelationId relation, std::span<const Value> key, Value rows, bool truth,
                Origin from);
  void TakeAvar(const Collected& collected, std::size_t column, Value value, By by);
  AnsweredCall Answered(RelationId relation, std::span<const Value> row, Value meta) const;
  By ByOf(const Said& said, Span span) const;
  bool SaysDeclined(const Assertion& a) const;
  void AssertFact(RelationId relation, std::span<const Value> row, Span span, const Said& said);
  void Assert(const Assertion& a, const Said& said);
  void Retract(const Assertion& a, const Said& said);
  void TakeQuestion(const QuestionEntry& entry, const Said& said);
  void TakeHalf(const HalfAnswer& half, const Said& said);
  std::string RowText(RelationId relation, std::span<const Value> row) const;

  const Parts run_;
  interp::Engine& engine_;
  std::deque<Way> decisions_;
  std::vector<By> trace_by_;  // by line of the trace of earlier epochs
  std::size_t rules_known_ = 0;
  std::size_t constraints_known_ = 0;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_STEP_INBOX_H_
