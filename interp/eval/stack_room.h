// SPDX-License-Identifier: Apache-2.0
//
// The room left on a thread's stack: evaluation nests as deep as calls do, so it stops while
// there is room to say so (Stop::kStack).
//
// A thread's stack is found at its first question. Code that runs on other memory names it with an
// OtherStack; on memory that nobody named, the stack is never short.
#ifndef RPL_INTERP_EVAL_STACK_ROOM_H_
#define RPL_INTERP_EVAL_STACK_ROOM_H_

#include <cstddef>
#include <cstdint>

namespace rpl {

/// The stack of the current thread, as addresses. Until it is looked for, all of them are below
/// `reserve`.
struct StackBounds {
  std::uintptr_t low = 0, reserve = UINTPTR_MAX, high = 0;
};
inline constinit thread_local StackBounds stack_bounds;

/// What one step of a plan may take, with the values that it matches and the rule that it plans.
inline constexpr std::size_t kMostStackReserve = std::size_t{1} << 20;

/// IsStackShort, for an address that is below `reserve`.
bool IsStackShortAt(std::uintptr_t here);

/// Whether of the stack no more is left than the reserve: a quarter of it, at most
/// kMostStackReserve.
inline bool IsStackShort() {
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return here < stack_bounds.reserve && IsStackShortAt(here);
}

/// The size of the stack in kB; 0 if that is not known.
std::size_t StackKilobytes();

/// Scope in which this thread runs on the `bytes` from `low` on.
class OtherStack {
 public:
  OtherStack(const void* low, std::size_t bytes);
  ~OtherStack() { stack_bounds = before_; }
  OtherStack(const OtherStack&) = delete;

 private:
  StackBounds before_ = stack_bounds;
};

}  // namespace rpl

#endif  // RPL_INTERP_EVAL_STACK_ROOM_H_
