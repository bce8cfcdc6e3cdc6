// SPDX-License-Identifier: Apache-2.0
//
// Where an embedded engine evaluates.
#ifndef RPL_EMBED_LARGE_STACK_H_
#define RPL_EMBED_LARGE_STACK_H_

#include <pthread.h>

#include <atomic>
#include <functional>

namespace rpl {

/// A thread with a stack so large that a deep evaluation ends at a limit that is counted.
/// Making one takes longer than most turns, so an engine keeps its own.
class LargeStack {
 public:
  LargeStack();
  LargeStack(const LargeStack&) = delete;
  ~LargeStack();

  /// Runs `work` there and waits for it; or right here if the system gave no such thread.
  /// REQUIRES: `work` does not throw.
  void Run(const std::function<void()>& work);

 private:
  enum Turn : int { kRests, kWorks, kEnds };

  void Pass(Turn to);
  void Await(Turn turn);
  static void* Loop(void* self);

  std::atomic<int> turn_ = kRests;
  const std::function<void()>* work_ = nullptr;
  pthread_t thread_;
  bool started_ = false;
};

}  // namespace rpl

#endif  // RPL_EMBED_LARGE_STACK_H_
