// SPDX-License-Identifier: Apache-2.0
//
// The replies in a trace, found by key, and their retraction (§12.4).
#ifndef RPL_RUNTIME_WIRE_STANDING_REPLIES_H_
#define RPL_RUNTIME_WIRE_STANDING_REPLIES_H_

#include <string>
#include <string_view>
#include <vector>

#include "runtime/trace.h"

namespace rpl {

/// The first of StandingReplies; null if there is none.
const TraceEntry* LastReply(const Trace& trace, std::string_view key);
/// The replies that the key matches and no later entry takes back, the last one first; of each call
/// one. The key is a name or id as of runtime/wire/request_key.h, or the whole call as written in
/// the trace
/// (`$ask("City?")`, `day(?d)`, `day("sunday")`).
std::vector<const TraceEntry*> StandingReplies(const Trace& trace, std::string_view key);
/// A key by which LastReply finds this reply, of a heading a name if that is enough, of a tool the
/// whole call: several calls share its name.
std::string KeyOfReply(const Trace& trace, const TraceEntry& reply);
/// Its retraction (§12.4), as RPL text; "" if there is none.
std::string TakesBack(const Trace& trace, std::string_view key);

/// The retractions by which answers are taken back.
struct Retractions {
  std::vector<std::string> sentences;
  std::string refused;  // the reason why a key takes nothing back, for people; else ""
};
/// Of each key the last reply that stands and that no key before it takes back. A key takes nothing
/// more if those before it take all of its replies.
Retractions TakeBack(const Trace& trace, const std::vector<std::string>& keys);

}  // namespace rpl

#endif  // RPL_RUNTIME_WIRE_STANDING_REPLIES_H_
