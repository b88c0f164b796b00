// The state of an object as bytes, and back, so that a run can continue in another process.
//
// A class lists the members that change during a run once, for both directions:
//
//     template <class Archive>
//     void archive(Archive& a) { a(sum_, lost_); }
//
// The bytes of doubles are kept, so nothing is rounded. Arrays that are mostly zero are stored
// without their zeros. Reading is safe for any bytes: counts are checked against the bytes that are
// left, and lists of slots against the number of slots. Throws Error if they do not fit.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sparse/zeroed_array.hpp"
#include "thresh/error.hpp"

namespace thresh {

class Archive {
 public:
  static_assert(std::endian::native == std::endian::little, "numbers are stored as in memory");

  Archive() = default;                                                      // to write
  explicit Archive(std::string_view bytes) : reads_(true), left_(bytes) {}  // to read

  bool reads() const { return reads_; }
  // Arrays by slot are at most this long.
  void limit(std::uint64_t length) { longest_ = length; }
  // What was written.
  std::string take() { return std::move(written_); }
  // Throws if something has not been read.
  void end() const { require(left_.empty()); }
  // Throws Error unless what was read makes sense.
  static void require(bool sensible) {
    if (!sensible) throw Error("damaged");
  }

  template <class... Values>
  void operator()(Values&... values) {
    (one(values), ...);
  }

  // A vector that the reader has already given its size.
  template <class... Vectors>
  void in_place(Vectors&... vectors) {
    (fixed(vectors), ...);
  }
  // A list of numbers below `end`.
  void below(std::uint64_t end, std::vector<std::uint32_t>& list) {
    one(list);
    for (const std::uint32_t each : list) require(each < end);
  }
  // An enumeration whose last value is `last`.
  template <class Enum>
  void choice(Enum& value, Enum last) {
    auto number = static_cast<std::uint8_t>(value);
    one(number);
    require(number <= static_cast<std::uint8_t>(last));
    value = static_cast<Enum>(number);
  }

 private:
  template <class Value>
  void one(Value& value) {
    if constexpr (std::is_same_v<Value, bool>) {
      flag(value);
    } else if constexpr (std::is_arithmetic_v<Value>) {
      raw(&value, sizeof(Value));
    } else {
      static_assert(!std::is_enum_v<Value>, "use choice()");
      object(value);
    }
  }

  // A class, by its member or by a function beside it.
  template <class Value>
  void object(Value& value) {
    if constexpr (requires { value.archive(*this); }) {
      value.archive(*this);
    } else {
      archive(*this, value);
    }
  }
  void object(std::string& text) {
    text.resize(count(text.size(), 1));
    raw(text.data(), text.size());
  }
  template <class T>
  void object(std::vector<T>& list) {
    list.resize(count(list.size(), std::is_arithmetic_v<T> ? sizeof(T) : 1));
    if constexpr (std::is_arithmetic_v<T>) {
      raw(list.data(), list.size() * sizeof(T));
    } else {
      for (T& each : list) one(each);
    }
  }
  template <class T>
  void object(std::deque<T>& list) {
    list.resize(count(list.size(), 1));
    for (T& each : list) one(each);
  }
  template <class T, std::size_t n>
  void object(std::array<T, n>& list) {
    for (T& each : list) one(each);
  }
  template <class A, class B>
  void object(std::pair<A, B>& pair) {
    one(pair.first);
    one(pair.second);
  }
  template <class T>
  void object(std::optional<T>& value) {
    bool has = value.has_value();
    flag(has);
    if (reads_) value = has ? std::optional<T>(T{}) : std::nullopt;
    if (has) one(*value);
  }
  template <class Key, class T>
  void object(std::map<Key, T>& map) {
    std::vector<std::pair<Key, T>> list(map.begin(), map.end());
    one(list);
    if (reads_) map = std::map<Key, T>(list.begin(), list.end());
  }
  // Runs of elements that are not all zero bits: a negative zero is not nothing.
  template <class T>
  void object(ZeroedArray<T>& array) {
    std::uint64_t size = array.size();
    one(size);
    if (reads_) {
      read_runs(array, size);
    } else {
      write_runs(array);
    }
  }

  template <class T>
  static bool is_zero(const T& value) {
    static constexpr char kZeros[sizeof(T)] = {};
    return std::memcmp(&value, kZeros, sizeof(T)) == 0;
  }
  template <class T>
  void write_runs(const ZeroedArray<T>& array) {
    const std::uint64_t size = array.size();
    for (std::uint64_t begin = 0, end = 0;; begin = end) {
      while (begin < size && is_zero(array[begin])) ++begin;
      for (end = begin; end < size && !is_zero(array[end]);) ++end;
      std::uint64_t length = end - begin;
      (*this)(begin, length);
      if (length == 0) return;
      written_.append(reinterpret_cast<const char*>(array.data() + begin), length * sizeof(T));
    }
  }
  template <class T>
  void read_runs(ZeroedArray<T>& array, std::uint64_t size) {
    require(size <= longest_);
    array = ZeroedArray<T>();
    array.ensure(size);
    for (std::uint64_t begin = 0, length = 0;;) {
      (*this)(begin, length);
      if (length == 0) return;
      require(begin <= size && length <= size - begin && length <= left_.size() / sizeof(T));
      raw(array.data() + begin, length * sizeof(T));
    }
  }

  template <class T>
  void fixed(std::vector<T>& list) {
    const std::size_t size = list.size();
    one(list);
    require(list.size() == size);
  }

  void flag(bool& value) {
    auto byte = static_cast<std::uint8_t>(value ? 1 : 0);
    raw(&byte, 1);
    require(byte <= 1);
    value = byte == 1;
  }
  // The length of a list, of at least so many bytes each.
  std::uint64_t count(std::uint64_t length, std::size_t bytes_each) {
    one(length);
    if (reads_) require(length <= left_.size() / bytes_each);
    return length;
  }
  void raw(void* data, std::size_t bytes) {
    if (bytes == 0) return;
    if (!reads_) {
      written_.append(static_cast<const char*>(data), bytes);
      return;
    }
    require(bytes <= left_.size());
    std::memcpy(data, left_.data(), bytes);
    left_.remove_prefix(bytes);
  }

  bool reads_ = false;
  std::uint64_t longest_ = std::uint64_t{1} << 32;
  std::string written_;
  std::string_view left_;
};

}  // namespace thresh
