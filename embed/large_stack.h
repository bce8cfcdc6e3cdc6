// SPDX-License-Identifier: Apache-2.0
//
// Where an embedded engine evaluates.
#ifndef RPL_EMBED_LARGE_STACK_H_
#define RPL_EMBED_LARGE_STACK_H_

#include <cstddef>
#include <functional>

namespace rpl {

/// A stack so large that a deep evaluation ends at a limit that is counted. The thread that
/// calls Run moves there and comes back: to hand a turn to a thread of its own and to be
/// woken up again would take longer than most turns. Its pages come with their first use.
class LargeStack {
 public:
  LargeStack();
  LargeStack(const LargeStack&) = delete;
  ~LargeStack();

  /// Runs `work` there; or right here if the system gave no such memory.
  /// REQUIRES: `work` does not throw, and does not call Run of the same stack.
  void Run(const std::function<void()>& work);

 private:
  static void Enter(unsigned high, unsigned low);

  std::byte* memory_ = nullptr;  // a page that nobody may touch, then the stack
  const std::function<void()>* work_ = nullptr;
};

}  // namespace rpl

#endif  // RPL_EMBED_LARGE_STACK_H_
