// A growing array whose elements are zero until they are written.
//
// The kernel supplies a page at its first touch, so a model over 2^27 possible features costs only
// the pages that its features use. std::vector would write every zero.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace thresh {

template <class T>
class ZeroedArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  ZeroedArray() = default;
  ZeroedArray(ZeroedArray&& other) noexcept { swap(other); }
  ZeroedArray& operator=(ZeroedArray&& other) noexcept {
    swap(other);
    return *this;
  }
  ZeroedArray(const ZeroedArray&) = delete;
  ZeroedArray& operator=(const ZeroedArray&) = delete;
  ~ZeroedArray() {
    if (data_ != nullptr) munmap(data_, capacity_ * sizeof(T));
  }

  // Makes entries 0 .. n-1 usable; invalidates pointers.
  void ensure(std::size_t n) {
    if (n > capacity_) reserve(std::max({n, 2 * capacity_, kPage / sizeof(T)}));
    size_ = std::max(size_, n);
  }

  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::span<const T> span() const { return {data_, size_}; }

  void swap(ZeroedArray& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

 private:
  static constexpr std::size_t kPage = 4096;
  static constexpr std::size_t kSmall = std::size_t{4} << 20;
  static constexpr std::size_t kLarge = std::size_t{1} << 30;

  void reserve(std::size_t n) {
    void* grown = data_ == nullptr
                      ? mmap(nullptr, n * sizeof(T), PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                      : mremap(data_, capacity_ * sizeof(T), n * sizeof(T), MREMAP_MAYMOVE);
    if (grown == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<T*>(grown);
    capacity_ = n;
    // Random access to new small pages costs two faults each: one for the zero page read first, one
    // for the page that replaces it. In very large sparse arrays huge pages waste too much.
    if (const std::size_t bytes = n * sizeof(T); bytes >= kSmall && bytes <= kLarge) {
      madvise(data_, bytes, MADV_HUGEPAGE);
    }
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace thresh
