// SPDX-License-Identifier: Apache-2.0
//
// Memory of the C library, where the system has no pages to move: growing may copy.
#include <cstdlib>
#include <cstring>
#include <new>

#include "interp/store/pages.h"

namespace rpl {

std::size_t RoundedPages(std::size_t bytes) { return bytes; }

void* GrowPages(void* old, std::size_t old_bytes, std::size_t bytes) {
  void* const memory = std::realloc(old, bytes);
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(static_cast<char*>(memory) + old_bytes, 0, bytes - old_bytes);
  return memory;
}

void TouchPages(void*, void*) {}

void AdvisePages(void*, std::size_t) {}

std::size_t DropPages(void*, std::size_t bytes) { return bytes; }

void FreePages(void* memory, std::size_t) { std::free(memory); }

std::size_t ResidentMegabytes() { return 0; }

}  // namespace rpl
