// SPDX-License-Identifier: Apache-2.0
//
// PageArray: a growable array of trivially copyable elements, for very large sizes.
//
// It grows at the end, at most doubling, and is never copied when large: from 512 KiB on it has
// pages of its own, at least 2 MiB, which mremap moves without copying. Where the system can, it
// provides huge pages: then random access hits the TLB more often, and there is one page fault
// instead of 512. Pages never written take no memory. Elements that Resize adds are zero bytes.
//
// Pointers to elements are valid until the array grows. Throws std::bad_alloc.
#ifndef RPL_INTERP_STORE_PAGES_H_
#define RPL_INTERP_STORE_PAGES_H_

#include <cstddef>
#include <type_traits>
#include <utility>

namespace rpl {

inline constexpr std::size_t kHugePage = std::size_t{2} << 20;

/// Prefetches the cache line at an address, which need not be valid. The empty asm is a side
/// effect: GCC removes calls of functions without one, and a prefetch does not count.
inline void Prefetch(const void* address) {
  __builtin_prefetch(address);
  asm volatile("");
}

/// Memory of `bytes` that begins with the contents of `old`, of `old_bytes`, which is freed (null:
/// none); the rest is zero.
void* GrowPages(void* old, std::size_t old_bytes, std::size_t bytes);
void FreePages(void* memory, std::size_t bytes);
/// Writes a zero byte to each huge page that begins in [begin, end).
void TouchPages(void* begin, void* end);
/// Requests huge pages for memory of another owner, as far as it fills whole ones.
void AdvisePages(void* begin, std::size_t bytes);
/// Gives memory of another owner back to the system, as far as it fills whole huge pages and the
/// system can: these bytes are zero from then on. Returns how many bytes from `begin` are done
/// with; where the system cannot, all.
std::size_t DropPages(void* begin, std::size_t bytes);
/// The actual size of an allocation of `bytes`.
std::size_t RoundedPages(std::size_t bytes);

template <typename T>
class PageArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  PageArray() = default;
  PageArray(PageArray&& o) noexcept { Swap(o); }
  PageArray& operator=(PageArray&& o) noexcept {
    PageArray taken(std::move(o));
    Swap(taken);
    return *this;
  }
  ~PageArray() { FreePages(data_, capacity_ * sizeof(T)); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

  void push_back(T value) {
    if (size_ == capacity_) Reserve(size_ + 1);
    data_[size_++] = value;
  }
  /// Adds `count` elements, to be written by the caller; returns the first.
  T* Extend(std::size_t count) {
    if (size_ + count > capacity_) Reserve(size_ + count);
    T* out = data_ + size_;
    size_ += count;
    return out;
  }
  /// REQUIRES: size is not less than before, and Shrink was never called.
  void Resize(std::size_t size) { Extend(size - size_); }
  /// Faults in the memory of the elements [begin, end), none of which was ever written. For use
  /// before several threads write: if they fault on a huge page at once, each of them clears one.
  void Touch(std::size_t begin, std::size_t end) { TouchPages(data_ + begin, data_ + end); }
  /// The number of elements for which memory is reserved.
  std::size_t capacity() const { return capacity_; }
  /// Drops the elements from `size` on and keeps their memory.
  void Shrink(std::size_t size) { size_ = size; }
  void Clear() { *this = PageArray(); }

  /// An upper bound of the memory written.
  std::size_t bytes() const { return size_ * sizeof(T); }

 private:
  void Swap(PageArray& o) {
    std::swap(data_, o.data_);
    std::swap(size_, o.size_);
    std::swap(capacity_, o.capacity_);
  }
  void Reserve(std::size_t least) {
    std::size_t wanted = capacity_ == 0 ? 8 : capacity_ * 2;
    if (wanted < least) wanted = least;
    wanted = RoundedPages(wanted * sizeof(T)) / sizeof(T);
    data_ = static_cast<T*>(GrowPages(data_, capacity_ * sizeof(T), wanted * sizeof(T)));
    capacity_ = wanted;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// Resident memory of the process in MiB; 0 if the system does not report it.
std::size_t ResidentMegabytes();

}  // namespace rpl

#endif  // RPL_INTERP_STORE_PAGES_H_
