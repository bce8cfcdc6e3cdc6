// SPDX-License-Identifier: Apache-2.0
//
// The settings that the parts of a process of `rpl serve` share, and their agreement about
// the queue that they use and the state in which a turn leaves a run.
#ifndef RPL_SHELL_SERVE_SERVE_SETTINGS_H_
#define RPL_SHELL_SERVE_SERVE_SETTINGS_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

#include "runtime/outcome.h"
#include "shell/serve/run_queue.h"

namespace rpl {

struct ServeSettings {
  std::string store;                          // the URL of the database
  std::size_t workers = 2;                    // turns at the same time
  std::chrono::seconds lease{15};             // of a claim, and of the sessions of its process
  std::chrono::milliseconds look{250};        // between looks at an empty queue
  std::chrono::milliseconds long_look{1000};  // the same while the process hears what is announced
  std::chrono::milliseconds review{30'000};   // between looks at a review
  TenantLimits limits = {};
  std::string spans = {};   // the file of spans, "" for none
  std::string config = {};  // that of the tools of all protocols; "": the one beside each
};

/// The queue in the store, for one thread. This process records sessions as its version of rpl
/// does, and takes runs of the versions that it can replay. `interrupted` as in
/// SqlConnection::Options.
RunQueue QueueIn(const ServeSettings& settings, std::function<bool()> interrupted = nullptr);
/// The same for what a client waits for: while the database is away, it fails within two seconds.
RunQueue RequestQueueIn(const ServeSettings& settings, DatabaseWatch& watch);
/// An error of the database for clients, without where it is.
std::string TextForClients(const SqlError& error);

/// How often a turn is tried before its run is refused.
inline constexpr int kMostAttempts = 20;
/// The time until the next try.
std::chrono::milliseconds PauseAfter(int attempts);

/// Sets the state of a run after a turn, and when the next one is due. `not_run`: as Outcome says.
void SetState(Status status, bool not_run, const QueuedRun& run, std::chrono::milliseconds review,
              RunQueue::Turn& turn);

}  // namespace rpl

#endif  // RPL_SHELL_SERVE_SERVE_SETTINGS_H_
