// SPDX-License-Identifier: Apache-2.0
#include "embed/large_stack.h"

#include <unistd.h>

#include <cstddef>

namespace rpl {

LargeStack::LargeStack() {
  constexpr std::size_t kStackBytes = std::size_t{512} << 20;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  started_ = pthread_attr_setstacksize(&attributes, kStackBytes) == 0 &&
             pthread_create(&thread_, &attributes, Loop, this) == 0;
  pthread_attr_destroy(&attributes);
}

LargeStack::~LargeStack() {
  if (!started_) return;
  Pass(kEnds);
  pthread_join(thread_, nullptr);
}

void LargeStack::Run(const std::function<void()>& work) {
  if (!started_) return work();
  work_ = &work;
  Pass(kWorks);
  Await(kWorks);
}

void LargeStack::Pass(Turn to) {
  turn_ = to;
  turn_.notify_all();
}

// Until it is no longer `turn`. Most turns are shorter than it takes to fall asleep and to be
// woken up.
void LargeStack::Await(Turn turn) {
  static const int kLooks = sysconf(_SC_NPROCESSORS_ONLN) > 1 ? 1000 : 0;
  for (int i = 0; i < kLooks; ++i) {
    if (turn_ != turn) return;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  turn_.wait(turn);
}

void* LargeStack::Loop(void* self) {
  auto& here = *static_cast<LargeStack*>(self);
  for (;;) {
    here.Await(kRests);
    if (here.turn_ == kEnds) return nullptr;
    (*here.work_)();
    here.Pass(kRests);
  }
}

}  // namespace rpl
