// SPDX-License-Identifier: Apache-2.0
//
// Results of calls that were made and do not come in yet, because a person is to review them or the
// guard failed. The equal next call gets one of them in place of being made again.
//
// Bounded in number and bytes: the oldest are dropped for new ones. That one was dropped is known
// until it is told, for the last kMostDropped calls, so that a call is not made again unawares.
#ifndef RPL_SHELL_GATEWAY_WITHHELD_RESULTS_H_
#define RPL_SHELL_GATEWAY_WITHHELD_RESULTS_H_

#include <cstddef>
#include <deque>
#include <list>
#include <string>

namespace rpl {

/// The end of a call that was made.
struct CallEnd {
  std::size_t step = 0;  // the number of the call
  bool failed = false;
  double took_ms = 0;
  bool recorded = false;  // it is in the store and the audit log
};

struct WithheldResult {
  std::string digest;  // of the call
  CallEnd end;
  std::string answer;  // {"result": …} or {"error": …}, as JSON
};

class WithheldResults {
 public:
  WithheldResults(std::size_t most, std::size_t most_bytes)
      : most_(most), most_bytes_(most_bytes) {}

  /// Keeps a result; true if others were dropped for it. One that exceeds the bounds alone is
  /// dropped itself.
  bool Keep(WithheldResult result);
  /// The oldest result of a call with this digest, or null. Valid until it is removed or dropped.
  WithheldResult* Find(const std::string& digest);
  /// Removes what Find gave.
  void Remove(const WithheldResult* result);
  /// True once for each result of such a call that was dropped.
  bool TakeDropped(const std::string& digest);

 private:
  void Erase(std::list<WithheldResult>::iterator at);

  std::size_t most_, most_bytes_;
  std::size_t bytes_ = 0;            // of the answers in kept_
  std::list<WithheldResult> kept_;   // oldest first
  std::deque<std::string> dropped_;  // digests, oldest first
};

}  // namespace rpl

#endif  // RPL_SHELL_GATEWAY_WITHHELD_RESULTS_H_
