// SPDX-License-Identifier: Apache-2.0
#include "embed/large_stack.h"

#include <pthread.h>

#include <cstddef>

namespace rpl {
namespace {

constexpr std::size_t kStackBytes = std::size_t{512} << 20;

void* Work(void* work) {
  (*static_cast<const std::function<void()>*>(work))();
  return nullptr;
}

}  // namespace

void RunOnLargeStack(std::function<void()> work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_t thread;
  const bool started = pthread_attr_setstacksize(&attributes, kStackBytes) == 0 &&
                       pthread_create(&thread, &attributes, Work, &work) == 0;
  pthread_attr_destroy(&attributes);
  if (started) pthread_join(thread, nullptr);
  else work();
}

}  // namespace rpl
