// SPDX-License-Identifier: Apache-2.0
#include "shell/serve/serve_settings.h"

#include <algorithm>
#include <utility>

#include "shell/serving/run_records.h"

namespace rpl {
namespace {

using std::chrono::milliseconds;

constexpr auto kFirstPauseAfter = milliseconds(500);
constexpr auto kLongestPauseAfter = milliseconds(60'000);

}  // namespace

RunQueue QueueIn(const ServeSettings& settings, std::function<bool()> interrupted) {
  SqlConnection::Options options;
  options.url = settings.store;
  options.interrupted = std::move(interrupted);
  return RunQueue(std::move(options), RPL_VERSION, {RPL_VERSION});
}

RunQueue RequestQueueIn(const ServeSettings& settings, DatabaseWatch& watch) {
  SqlConnection::Options options;
  options.url = settings.store;
  return RunQueue(std::move(options), RPL_VERSION, {RPL_VERSION},
                  {milliseconds(700), milliseconds(1500), &watch});
}

std::string TextForClients(const SqlError& error) {
  return error.retry || error.lost ? "the database cannot be reached"
                                   : "the database refuses it: " + error.state;
}

milliseconds PauseAfter(int attempts) {
  milliseconds pause = kFirstPauseAfter;
  for (int i = 1; i < attempts && pause < kLongestPauseAfter; ++i) pause *= 2;
  return std::min(pause, kLongestPauseAfter);
}

void SetState(Status status, bool not_run, const QueuedRun& run, milliseconds review,
              RunQueue::Turn& turn) {
  switch (status) {
    case Status::kReview:
      turn.state = "ready";
      turn.due = review;
      return;
    case Status::kInterrupted:
      turn.state = "ready";
      turn.again = true;
      return;
    default: turn.state = IsDecided(status) ? "ended" : "waiting"; break;
  }
  if (not_run && run.attempts < kMostAttempts) {
    turn.state = "ready";
    turn.again = true;
    turn.due = PauseAfter(run.attempts);
  } else if (run.every.count() > 0 && status != Status::kSatisfied && status != Status::kFailed) {
    turn.state = "ready";
    turn.due = run.every;
  }
}

}  // namespace rpl
