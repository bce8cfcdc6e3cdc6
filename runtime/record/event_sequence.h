// SPDX-License-Identifier: Apache-2.0
//
// The grammar of a session's events: their order, and the contents of their bodies.
//
//   session = epoch*
//   epoch   = program entry* file* turn*
//   turn    = turn file* step* outcome
//   step    = step (entry | outside | decision)* chat* (call | started | attempt | reply | …)*
//
// A session may end anywhere, and an epoch ends where the next one begins, so the last turn of
// either may be incomplete.
//
// The hashes of a file prove that its events are unchanged, not that rpl wrote them. Readers of
// events (Journal, SavedSession, the story of a session) rely on this grammar. Journal checks
// separately that a replay gives the same events.
#ifndef RPL_RUNTIME_RECORD_EVENT_SEQUENCE_H_
#define RPL_RUNTIME_RECORD_EVENT_SEQUENCE_H_

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>

#include "runtime/record/journal.h"

namespace rpl {

class EventSequence {
 public:
  /// Takes the next event of a session. Returns the reason why it cannot follow, for people, or "".
  /// REQUIRES: every Take before returned "".
  std::string Take(const Event& event);

 private:
  /// The position after the events so far.
  enum class Place { kStart, kEpoch, kFiles, kTurn, kStep, kOver };
  /// The state of a call of this timestep.
  enum class Call { kOut, kStarted, kReplied };

  std::string OutOfPlace(const Event& event) const;
  std::string TakeBody(const Event& event, const nlohmann::ordered_json& body);
  std::string TakeProgram(const Event& event);
  std::string TakeStep(const nlohmann::ordered_json& body);
  std::string TakeEntry(const nlohmann::ordered_json& body);
  std::string TakeCall(Event::Kind kind, const nlohmann::ordered_json& body);

  Place place_ = Place::kStart;
  std::size_t program_ = 0;    // a hash of the last program
  std::int64_t timestep_ = 0;  // the last timestep
  std::int64_t phase_ = 0;     // the latest phase of it that an event implies
  std::map<std::string, Call> calls_;
  std::set<std::string> files_;  // of this epoch
};

}  // namespace rpl

#endif  // RPL_RUNTIME_RECORD_EVENT_SEQUENCE_H_
