// SPDX-License-Identifier: Apache-2.0
//
// The grammar of a session's events: which may follow one another, and what their bodies hold.
//
//   session = epoch*
//   epoch   = program entry* file* turn*
//   turn    = turn file* step* outcome
//   step    = step (entry | outside | decision)* chat* (call | started | reply | …)*
//
// A session may end anywhere, and an epoch ends where the next one begins, so the last turn of
// either may be cut off.
//
// The hashes of a file tell that its events are those that were written, not that rpl wrote
// them. What goes through events (Journal, SavedSession, the story of a session) relies on this
// grammar; whether a replay gives the same events is a question of its own, which Journal
// answers.
#ifndef RPL_RUNTIME_EVENT_SEQUENCE_H_
#define RPL_RUNTIME_EVENT_SEQUENCE_H_

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>

#include "runtime/journal.h"

namespace rpl {

class EventSequence {
 public:
  /// Takes the next event of a session. Why it cannot be that, for people, or "": then, and only
  /// then, another one may follow.
  std::string Take(const Event& event);

 private:
  /// Where the events so far end.
  enum class Place { kStart, kEpoch, kFiles, kTurn, kStep, kOver };
  /// What became of a call of this timestep.
  enum class Call { kOut, kStarted, kReplied };

  std::string OutOfPlace(const Event& event) const;
  std::string TakeBody(const Event& event, const nlohmann::ordered_json& body);
  std::string TakeProgram(const Event& event);
  std::string TakeStep(const nlohmann::ordered_json& body);
  std::string TakeEntry(const nlohmann::ordered_json& body);
  std::string TakeCall(Event::Kind kind, const nlohmann::ordered_json& body);

  Place place_ = Place::kStart;
  std::size_t program_ = 0;    // a hash of the last one
  std::int64_t timestep_ = 0;  // the last one
  std::int64_t phase_ = 0;     // of it, as far as events tell
  std::map<std::string, Call> calls_;
  std::set<std::string> files_;  // of this epoch
};

}  // namespace rpl

#endif  // RPL_RUNTIME_EVENT_SEQUENCE_H_
