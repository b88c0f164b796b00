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
//
// A state may be stored by feature instead of by slot, for readers that have other slots: see
// FeatureStore. What has a number per slot says so by by_slot().
#pragma once

#include <algorithm>
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

// The features of a process, and what other processes have for theirs. Each of them writes the same
// archive; only that of the first is complete.
class FeatureStore {
 public:
  static constexpr std::uint32_t kElsewhere = 0xffffffff;

  virtual ~FeatureStore() = default;
  virtual std::uint64_t id(std::uint32_t slot) const = 0;
  // kElsewhere if another process has the feature. Throws Error if there is no such feature.
  virtual std::uint32_t slot(std::uint64_t id) = 0;
  // What all of them have, on the first.
  virtual std::string gather(std::string mine) = 0;
  virtual bool is_first() const = 0;
};

class Archive {
 public:
  static_assert(std::endian::native == std::endian::little, "numbers are stored as in memory");

  Archive() = default;                                                      // to write
  explicit Archive(std::string_view bytes) : reads_(true), left_(bytes) {}  // to read

  bool reads() const { return reads_; }
  // From now on, what is by slot is stored by feature.
  void store_by(FeatureStore& features) { features_ = &features; }
  bool by_feature() const { return features_ != nullptr; }
  // Above all slots read by feature.
  std::uint64_t slot_end() const { return slot_end_; }
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
  // An array with so many numbers per slot.
  template <class T>
  void by_slot(ZeroedArray<T>& array, std::size_t numbers = 1) {
    if (features_ == nullptr) return one(array);
    std::string bytes;
    for (std::size_t slot = 0; !reads_ && slot < array.size() / numbers; ++slot) {
      const T* const at = array.data() + slot * numbers;
      if (std::all_of(at, at + numbers, is_zero<T>)) continue;
      put_feature(static_cast<std::uint32_t>(slot), at, numbers * sizeof(T), bytes);
    }
    if (reads_) array = ZeroedArray<T>();
    share(bytes, numbers * sizeof(T), [&](std::uint32_t slot, const char* from) {
      array.ensure((slot + std::size_t{1}) * numbers);
      std::memcpy(array.data() + slot * numbers, from, numbers * sizeof(T));
    });
  }
  // Numbers of some slots below `end`, ascending.
  void by_slot(std::vector<std::pair<std::uint32_t, double>>& list, std::uint64_t end) {
    if (features_ == nullptr) {
      one(list);
      for (const auto& entry : list) require(!reads_ || entry.first < end);
      return;
    }
    std::string bytes;
    for (const auto& [slot, number] : list) put_feature(slot, &number, sizeof number, bytes);
    if (reads_) list.clear();
    share(bytes, sizeof(double), [&](std::uint32_t slot, const char* from) {
      std::memcpy(&list.emplace_back(slot, 0.0).second, from, sizeof(double));
    });
    std::sort(list.begin(), list.end());
  }
  // A count of which each process has a part. By feature, the first reads all of it.
  void added_up(std::uint64_t& count) {
    if (features_ == nullptr) return one(count);
    std::string bytes;
    if (!reads_) bytes = features_->gather({reinterpret_cast<const char*>(&count), sizeof count});
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at + sizeof sum <= bytes.size(); at += sizeof sum) {
      std::uint64_t part = 0;
      std::memcpy(&part, bytes.data() + at, sizeof part);
      sum += part;
    }
    one(sum);
    if (reads_) count = features_->is_first() ? sum : 0;
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

  void put_feature(std::uint32_t slot, const void* numbers, std::size_t bytes, std::string& to) {
    const std::uint64_t id = features_->id(slot);
    to.append(reinterpret_cast<const char*>(&id), sizeof id);
    to.append(static_cast<const char*>(numbers), bytes);
  }
  // Stores what all processes have; or reads it, and calls take(slot, bytes) for the features that
  // are here.
  template <class Take>
  void share(std::string& records, std::size_t bytes, const Take& take) {
    if (!reads_) records = features_->gather(std::move(records));
    one(records);
    if (!reads_) return;
    std::uint64_t id = 0;
    const std::size_t size = sizeof id + bytes;
    require(records.size() % size == 0);
    for (std::size_t at = 0; at < records.size(); at += size) {
      std::memcpy(&id, records.data() + at, sizeof id);
      const std::uint32_t slot = features_->slot(id);
      if (slot == FeatureStore::kElsewhere) continue;
      slot_end_ = std::max(slot_end_, slot + std::uint64_t{1});
      take(slot, records.data() + at + sizeof id);
    }
  }

  template <class T>
  static bool is_zero(const T& value) {
    static constexpr char kZeros[sizeof(T)] = {};
    // Bytes, since -0.0 must come back as it was.
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
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
  FeatureStore* features_ = nullptr;
  std::uint64_t slot_end_ = 0;
  std::uint64_t longest_ = std::uint64_t{1} << 32;
  std::string written_;
  std::string_view left_;
};

}  // namespace thresh
