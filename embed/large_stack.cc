// SPDX-License-Identifier: Apache-2.0
#include "embed/large_stack.h"

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
  turn_.wait(kWorks);
}

void LargeStack::Pass(Turn to) {
  turn_ = to;
  turn_.notify_all();
}

void* LargeStack::Loop(void* self) {
  auto& here = *static_cast<LargeStack*>(self);
  for (;;) {
    here.turn_.wait(kRests);
    if (here.turn_ == kEnds) return nullptr;
    (*here.work_)();
    here.Pass(kRests);
  }
}

}  // namespace rpl
