// SPDX-License-Identifier: Apache-2.0
//
// The record of a run: its position (timestep and phase), the trace, and whom they are reported to:
// the journal, the log, and the receiver of events.
//
// Lines and events carry the position. While a recorded run is replayed, they are not reported
// again unless the options say so; entries of the trace are compared by the journal.
//
// Borrows the options and the journal. One thread.
#ifndef RPL_RUNTIME_FACTS_RECORDER_H_
#define RPL_RUNTIME_FACTS_RECORDER_H_

#include <concepts>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interp/store/relation_id.h"
#include "interp/store/value.h"
#include "runtime/log.h"
#include "runtime/session_options.h"
#include "runtime/trace.h"

namespace rpl {

class Derivations;
struct Answer;
struct Constraint;
struct Definition;
struct Request;

namespace interp {
class Engine;
}  // namespace interp

class Recorder {
 public:
  /// Goes on after the last timestep of the journal, with its trace.
  explicit Recorder(const SessionOptions& options);

  /// The current or last timestep, across all epochs, and its phase.
  int timestep() const { return timestep_; }
  int phase() const { return phase_; }
  void BeginTimestep() { ++timestep_; }
  void SetPhase(int phase) { phase_ = phase; }

  /// Includes the entries of earlier epochs.
  const Trace& trace() const { return trace_; }
  /// Adds an entry of this phase. One that follows from the program, or is stated in it, is marked
  /// if an earlier epoch has the same.
  void Entry(TraceEntry entry);
  /// Adds an entry with a position of its own.
  void Add(TraceEntry entry);
  /// Records `%fail(reason, explanation)`, unless it is the last entry already. Returns that text.
  std::string Failure(const std::string& reason, const std::string& explanation);

  void SetLog(LogSink log) { log_ = std::move(log); }
  /// Whether somebody reads the log.
  bool Logs() const { return log_ != nullptr; }
  void Log(LogLine line);
  void Log(LogLine::Verb verb, std::string_view text, std::optional<Span> place = std::nullopt) {
    if (Logs()) Log({.verb = verb, .text = std::string(text), .place = place});
  }
  void Log(LogLine::Verb verb, const Definition& def);
  void Log(LogLine::Verb verb, const Constraint& c);
  /// Logs that a call or question goes out, from there.
  void Dispatched(const Request& request, std::optional<Span> place);
  /// Reports the rows that were derived since the last time, each once.
  void Derived(interp::Engine& engine, const Derivations& derivations);

  /// Whether somebody receives events, and what happens now is one.
  bool Tells() const { return options_.event && IsNews(); }
  /// Reports an event of docs/schemas/event.json with the position and the fields that `fields`
  /// returns, which is called only if there is a receiver.
  template <std::invocable Fields>
  void Event(std::string_view type, const Fields& fields) {
    if (Tells()) Tell(type, fields());
  }
  /// Reports the answer to a call.
  void Reply(std::string_view type, const std::string& call, const Answer& answer,
             const Pool& pool);

 private:
  bool IsNews() const;
  void Tell(std::string_view type, const nlohmann::ordered_json& fields);

  const SessionOptions& options_;
  LogSink log_;
  int timestep_ = 0;
  int phase_ = 0;
  Trace trace_;
  std::set<std::string> known_;  // texts of entries of earlier epochs that may recur

  // The rows that were reported, and of each relation how many, as long as its epoch is the same.
  struct Rows {
    std::uint32_t epoch = 0;
    RowId rows = 0;
  };
  std::set<std::pair<RelationId, std::vector<Value>>> derived_known_;
  std::map<RelationId, Rows> derived_;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_FACTS_RECORDER_H_
