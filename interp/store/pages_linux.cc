// SPDX-License-Identifier: Apache-2.0
#include "interp/store/pages.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace rpl {
namespace {

// The size in bytes from which an array has pages of its own.
constexpr std::size_t kLarge = std::size_t{1} << 19;

// As operator new does.
[[noreturn]] void NoMemory() {
  if (const std::new_handler handler = std::get_new_handler()) handler();
  throw std::bad_alloc();
}

// The distance in bytes to the next boundary of a huge page.
std::size_t ToHugePage(const void* at) {
  return (kHugePage - reinterpret_cast<std::uintptr_t>(at) % kHugePage) % kHugePage;
}

// Reserves addresses for `bytes`, a multiple of the size of a huge page, and aligned to it.
void* ReserveAligned(std::size_t bytes) {
  void* const all = mmap(nullptr, bytes + kHugePage, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED) NoMemory();
  auto* const begin = static_cast<char*>(all);
  const std::size_t skip = ToHugePage(begin);
  if (skip > 0) munmap(begin, skip);
  munmap(begin + skip + bytes, kHugePage - skip);
  return begin + skip;
}

// Advises about the whole huge pages of the memory; returns its bytes up to their end, 0 for none.
std::size_t AdviseWhole(void* begin, std::size_t bytes, int advice) {
  const std::size_t skip = ToHugePage(begin);
  if (bytes < skip + kHugePage) return 0;
  const std::size_t whole = (bytes - skip) / kHugePage * kHugePage;
  madvise(static_cast<char*>(begin) + skip, whole, advice);
  return skip + whole;
}

}  // namespace

std::size_t RoundedPages(std::size_t bytes) {
  if (bytes < kLarge) return bytes;
  return (bytes + kHugePage - 1) / kHugePage * kHugePage;
}

void* GrowPages(void* old, std::size_t old_bytes, std::size_t bytes) {
  old_bytes = RoundedPages(old_bytes);
  bytes = RoundedPages(bytes);
  if (bytes < kHugePage) {
    void* const memory = std::realloc(old, bytes);
    if (memory == nullptr) NoMemory();
    std::memset(static_cast<char*>(memory) + old_bytes, 0, bytes - old_bytes);
    return memory;
  }
  void* memory = ReserveAligned(bytes);
  if (old_bytes >= kHugePage) {
    memory = mremap(old, old_bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, memory);
    if (memory == MAP_FAILED) NoMemory();
  }
  // Only advice: small pages work as well. Pages written before it stay small.
  madvise(memory, bytes, MADV_HUGEPAGE);
  if (old_bytes < kHugePage) {
    if (old_bytes > 0) std::memcpy(memory, old, old_bytes);
    std::free(old);
  }
  return memory;
}

void TouchPages(void* begin, void* end) {
  for (char* at = static_cast<char*>(begin) + ToHugePage(begin); at < end; at += kHugePage) *at = 0;
}

void AdvisePages(void* begin, std::size_t bytes) { AdviseWhole(begin, bytes, MADV_HUGEPAGE); }

std::size_t DropPages(void* begin, std::size_t bytes) {
  return AdviseWhole(begin, bytes, MADV_DONTNEED);
}

void FreePages(void* memory, std::size_t bytes) {
  if (RoundedPages(bytes) < kHugePage) std::free(memory);
  else munmap(memory, RoundedPages(bytes));
}

std::size_t ResidentMegabytes() {
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[64] = {};
  const ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  if (size <= 0) return 0;
  char* at = text;
  std::strtoull(at, &at, 10);  // the whole of the address space
  return static_cast<std::size_t>(std::strtoull(at, nullptr, 10)) * page >> 20;
}

}  // namespace rpl
