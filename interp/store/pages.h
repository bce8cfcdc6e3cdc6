// SPDX-License-Identifier: Apache-2.0
//
// An array of plain words that may become very large.
//
// It grows at the end, at most to twice its size, and never copies what is large: from
// 512 KiB on it lives in pages of its own, of 2 MiB at least, which the system moves by their
// addresses and, where it can, gives in huge pages: then random access finds more of them in the
// TLB, and a page is asked for once instead of 512 times. Pages that were never written take no
// memory. Elements that Resize adds are zero bytes.
//
// Pointers to elements are valid until the array grows. Throws std::bad_alloc.
#ifndef RPL_INTERP_STORE_PAGES_H_
#define RPL_INTERP_STORE_PAGES_H_

#include <cstddef>
#include <type_traits>
#include <utility>

namespace rpl {

inline constexpr std::size_t kHugePage = std::size_t{2} << 20;

/// Asks the memory early for what lies at an address, which need not be valid. The empty asm is
/// an effect: GCC leaves out calls of functions without one, and asking counts for none.
inline void Prefetch(const void* address) {
  __builtin_prefetch(address);
  asm volatile("");
}

/// Memory of `bytes` with what `old` holds, which had `old_bytes` and is freed (null: none);
/// the rest is zero.
void* GrowPages(void* old, std::size_t old_bytes, std::size_t bytes);
void FreePages(void* memory, std::size_t bytes);
/// Writes a zero byte to each huge page that begins in between.
void TouchPages(void* begin, void* end);
/// Asks for huge pages for the memory of another owner, as far as it fills some.
void AdvisePages(void* begin, std::size_t bytes);
/// The size that an allocation of `bytes` really takes.
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
  /// Adds `count` elements that the caller writes; gives the first of them.
  T* Extend(std::size_t count) {
    if (size_ + count > capacity_) Reserve(size_ + count);
    T* out = data_ + size_;
    size_ += count;
    return out;
  }
  /// REQUIRES: size is not less than before, and Shrink was never called.
  void Resize(std::size_t size) { Extend(size - size_); }
  /// Has the system give the memory of the elements from `begin` to `end`, which were never
  /// written. Where several threads write to a new huge page at once, each of them would clear one.
  void Touch(std::size_t begin, std::size_t end) { TouchPages(data_ + begin, data_ + end); }
  /// The elements that memory was asked for.
  std::size_t capacity() const { return capacity_; }
  /// Drops the elements from `size` on and keeps their memory.
  void Shrink(std::size_t size) { size_ = size; }
  void Clear() { *this = PageArray(); }

  /// Memory that was written at most.
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

}  // namespace rpl

#endif  // RPL_INTERP_STORE_PAGES_H_
