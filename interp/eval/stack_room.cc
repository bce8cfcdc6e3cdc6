// SPDX-License-Identifier: Apache-2.0
#include "interp/eval/stack_room.h"

#if defined(__EMSCRIPTEN__)
#include <emscripten/stack.h>
#else
#include <pthread.h>
#endif

#include <algorithm>

namespace rpl {
namespace {

StackBounds BoundsOf(const void* low, std::size_t bytes) {
  const auto from = reinterpret_cast<std::uintptr_t>(low);
  return {from, from + std::min(bytes / 4, kMostStackReserve), from + bytes};
}

// No address is below the reserve if the system does not say where the stack is.
StackBounds BoundsOfThread() {
#if defined(__EMSCRIPTEN__)
  const std::uintptr_t low = emscripten_stack_get_end();
  return BoundsOf(reinterpret_cast<const void*>(low), emscripten_stack_get_base() - low);
#else
  StackBounds out{0, 0, 0};
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return out;
  void* low = nullptr;
  std::size_t bytes = 0;
  if (pthread_attr_getstack(&attributes, &low, &bytes) == 0) out = BoundsOf(low, bytes);
  pthread_attr_destroy(&attributes);
  return out;
#endif
}

}  // namespace

bool IsStackShortAt(std::uintptr_t here) {
  if (stack_bounds.reserve == UINTPTR_MAX) stack_bounds = BoundsOfThread();
  return here < stack_bounds.reserve && here >= stack_bounds.low;
}

std::size_t StackKilobytes() {
  if (stack_bounds.reserve == UINTPTR_MAX) stack_bounds = BoundsOfThread();
  return (stack_bounds.high - stack_bounds.low) >> 10;
}

OtherStack::OtherStack(const void* low, std::size_t bytes) { stack_bounds = BoundsOf(low, bytes); }

}  // namespace rpl
