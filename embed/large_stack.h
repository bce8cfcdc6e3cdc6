// SPDX-License-Identifier: Apache-2.0
//
// The stack on which an embedded engine evaluates.
#ifndef RPL_EMBED_LARGE_STACK_H_
#define RPL_EMBED_LARGE_STACK_H_

#include <cstddef>
#include <functional>

namespace rpl {

/// A stack so large that a deep evaluation reaches a counted limit before its end. The calling
/// thread switches to it and back, because a handover to a separate thread and back would take
/// longer than most turns. Memory is reserved, and committed on first use. One thread at a time.
class LargeStack {
 public:
  LargeStack();
  LargeStack(const LargeStack&) = delete;
  ~LargeStack();

  /// Runs `work` on this stack; on the caller's if the memory could not be reserved. REQUIRES:
  /// `work` neither throws nor calls Run of the same stack.
  void Run(const std::function<void()>& work);

 private:
  /// The entry of the context; `high` and `low` are the halves of `this`.
  static void Enter(unsigned high, unsigned low);

  std::byte* memory_ = nullptr;  // a guard page, then the stack; null if there is none
  const std::function<void()>* work_ = nullptr;
};

}  // namespace rpl

#endif  // RPL_EMBED_LARGE_STACK_H_
