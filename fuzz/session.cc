// SPDX-License-Identifier: Apache-2.0
//
// Feeds the events of a session to their readers, one event a line: its kind, a space, its body.
//
// Events are taken up to the first that cannot follow (runtime/record/event_sequence.h). What is
// taken can be read and replayed: no party outside is asked, and the replay is the same again.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/require.h"
#include "runtime/gate_setup.h"
#include "runtime/record/event_sequence.h"
#include "runtime/run/saved_session.h"

namespace rpl::fuzz {
namespace {

constexpr int kPolls = 200;
constexpr std::size_t kMostEvents = 200;

std::vector<Event> EventsIn(std::string_view text) {
  std::vector<Event> events;
  EventSequence sequence;
  while (!text.empty() && events.size() < kMostEvents) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t blank = line.find(' ');
    if (blank == line.npos) break;
    const std::optional<Event::Kind> kind = EventKindOf(line.substr(0, blank));
    if (!kind) break;
    Event event{*kind, std::string(line.substr(blank + 1))};
    if (const std::string why = sequence.Take(event); !why.empty()) {
      Require(why.find('\n') == why.npos, "a reason is a line", why);
      break;
    }
    events.push_back(std::move(event));
  }
  return events;
}

std::string Seen(const std::vector<Event>& events) {
  std::string out;
  const auto take = [&](const Trace& trace) {
    for (const TraceEntry& entry : trace) out += entry.text + '\n';
  };
  take(Entries(events));
  take(EntriesToCome(events));
  take(TraceSoFar(events));
  take(HalfAnswers(events));
  for (const auto& [call, tool] : CallsInDoubt(events)) out += call + ' ' + tool + '\n';
  int polls = 0;
  const Replayed replayed = ReplayAll(
      events, [](const nlohmann::ordered_json&) { return nullptr; },
      [&] { return ++polls > kPolls; });
  take(replayed.entries);
  return out + (polls > kPolls ? "" : replayed.differs);
}

}  // namespace
}  // namespace rpl::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rpl;
  const std::vector<Event> events = fuzz::EventsIn({reinterpret_cast<const char*>(data), size});
  if (events.empty()) return 0;
  const std::string seen = fuzz::Seen(events);
  fuzz::Require(seen == fuzz::Seen(events), "the same events give the same bytes", seen);
  return 0;
}
