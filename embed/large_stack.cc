// SPDX-License-Identifier: Apache-2.0
#include "embed/large_stack.h"

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdint>

#include "interp/eval/stack_room.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace rpl {
namespace {

constexpr std::size_t kStackBytes = std::size_t{512} << 20;

std::size_t GuardBytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

/// The caller's stack, for AddressSanitizer, which must be informed of switches.
struct Origin {
  const void* bottom = nullptr;
  std::size_t size = 0;
};

#if defined(__SANITIZE_ADDRESS__)
void Leaves(void** kept, const void* to, std::size_t size) {
  __sanitizer_start_switch_fiber(kept, to, size);
}
void Arrives(void* kept, Origin* from) {
  __sanitizer_finish_switch_fiber(kept, from != nullptr ? &from->bottom : nullptr,
                                  from != nullptr ? &from->size : nullptr);
}
#else
void Leaves(void**, const void*, std::size_t) {}
void Arrives(void*, Origin*) {}
#endif

}  // namespace

LargeStack::LargeStack() {
#if !defined(__SANITIZE_THREAD__)  // it follows no thread that changes its stack
  void* memory = mmap(nullptr, GuardBytes() + kStackBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return;
  memory_ = static_cast<std::byte*>(memory);
  mprotect(memory_, GuardBytes(), PROT_NONE);
#endif
}

LargeStack::~LargeStack() {
  if (memory_ != nullptr) munmap(memory_, GuardBytes() + kStackBytes);
}

void LargeStack::Run(const std::function<void()>& work) {
  if (memory_ == nullptr) return work();
  work_ = &work;
  ucontext_t here, there;
  getcontext(&there);
  there.uc_stack.ss_sp = memory_ + GuardBytes();
  there.uc_stack.ss_size = kStackBytes;
  there.uc_link = &here;
  const auto self = reinterpret_cast<std::uintptr_t>(this);
  makecontext(&there, reinterpret_cast<void (*)()>(Enter), 2, static_cast<unsigned>(self >> 32),
              static_cast<unsigned>(self));
  void* kept = nullptr;
  const OtherStack other(there.uc_stack.ss_sp, kStackBytes);
  Leaves(&kept, there.uc_stack.ss_sp, kStackBytes);
  swapcontext(&here, &there);
  Arrives(kept, nullptr);
}

// makecontext passes ints, so the pointer comes in halves.
void LargeStack::Enter(unsigned high, unsigned low) {
  auto& stack = *reinterpret_cast<LargeStack*>(static_cast<std::uintptr_t>(high) << 32 | low);
  Origin from;
  Arrives(nullptr, &from);
  (*stack.work_)();
  Leaves(nullptr, from.bottom, from.size);
}

}  // namespace rpl
