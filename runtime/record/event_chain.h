// SPDX-License-Identifier: Apache-2.0
//
// The chain of hashes over the events of a session, as every store of sessions keeps it.
//
// Each event has a hash over its kind, its body and the hash of the event before it, and a store
// keeps the number of events and the last hash apart from them. So changed, missing and swapped
// events are detected, including at the end. A forger can recompute hashes, so events must also
// follow event_sequence.h, and an anchor that is kept elsewhere shows a forgery.
//
// A chain is first loaded, event by event, then added to. Hashes are 32 raw bytes.
#ifndef RPL_RUNTIME_RECORD_EVENT_CHAIN_H_
#define RPL_RUNTIME_RECORD_EVENT_CHAIN_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/record/event_sequence.h"
#include "runtime/record/journal.h"

namespace rpl {

/// Must be called once before hashes are computed. Returns an error message, or "".
std::string PrepareHashing();

/// The hash before the first event: 32 zero bytes.
std::string FirstHash();

/// The hash of an event that follows one with `previous`.
std::string EventHash(const std::string& previous, const Event& event);

/// Raw bytes in hexadecimal digits.
std::string Hex(const std::string& bytes);

class EventChain {
 public:
  /// Takes the next stored event. False: it is not sound (damage()), and none may follow.
  bool Load(std::int64_t sequence, const std::string& kind, std::string body,
            const std::string& hash);
  /// Ends loading: compares with the number of events and the last hash that the store kept.
  void EndLoad(std::int64_t events, const std::string& hash);
  /// Records damage after the loaded events, unless there was some before.
  void Damage(std::string what);
  /// Adds an event at the end; it is not among events().
  void Add(const Event& event);

  /// The loaded events up to the damage.
  const std::vector<Event>& events() const { return events_; }
  const std::string& damage() const { return damage_; }
  /// The number of events and the last hash, with those that were added.
  std::size_t count() const { return count_; }
  const std::string& hash() const { return hash_; }

  /// SessionStore::Anchor and Departs.
  std::string Anchor() const;
  std::string Departs(const std::string& anchor) const;

 private:
  std::vector<Event> events_;
  std::string damage_;
  EventSequence sequence_;
  std::string hash_ = FirstHash();
  std::size_t count_ = 0;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_RECORD_EVENT_CHAIN_H_
