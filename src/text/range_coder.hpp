// Writes bits in less than a bit each, as far as they can be foreseen: adaptive binary range coding
// (Martin 1979, with the carry handling of LZMA). Integers only, so the bytes are the same on every
// machine and with every version of every library; those of zlib or zstd are not.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "thresh/error.hpp"

namespace thresh {

// The probability of a zero, learned from the bits so far. Encoder and decoder learn alike.
class BitModel {
 public:
  static constexpr std::uint32_t kBits = 12;
  std::uint32_t zero() const { return zero_; }
  void learn(bool bit) {
    constexpr std::uint32_t kRate = 4;
    if (bit) {
      zero_ = static_cast<std::uint16_t>(zero_ - (zero_ >> kRate));
    } else {
      zero_ = static_cast<std::uint16_t>(zero_ + (((1U << kBits) - zero_) >> kRate));
    }
  }

 private:
  std::uint16_t zero_ = 1U << (kBits - 1);
};

class RangeEncoder {
 public:
  void bit(BitModel& model, bool& value) {
    const std::uint32_t bound = (range_ >> BitModel::kBits) * model.zero();
    if (value) {
      low_ += bound;
      range_ -= bound;
    } else {
      range_ = bound;
    }
    model.learn(value);
    for (; range_ < (1U << 24); range_ <<= 8) shift();
  }
  // All bytes; once, at the end.
  std::string finish() {
    for (int i = 0; i < 5; ++i) shift();
    return std::move(out_);
  }

 private:
  // Moves the top byte out. A carry may still change it and a row of 255s after it.
  void shift() {
    if (low_ < 0xFF000000U || low_ > 0xFFFFFFFFU) {
      const auto carry = static_cast<std::uint8_t>(low_ >> 32);
      for (; waiting_ > 0; --waiting_) {
        out_ += static_cast<char>(held_ + carry);
        held_ = 0xFF;
      }
      held_ = static_cast<std::uint8_t>(low_ >> 24);
    }
    ++waiting_;
    low_ = (low_ & 0x00FFFFFFU) << 8;
  }

  std::uint64_t low_ = 0;
  std::uint32_t range_ = 0xFFFFFFFFU;
  std::uint8_t held_ = 0;
  std::uint64_t waiting_ = 1;  // held_, and 255s
  std::string out_;
};

class RangeDecoder {
 public:
  explicit RangeDecoder(std::string_view bytes) : rest_(bytes) {
    for (int i = 0; i < 5; ++i) take();
  }
  void bit(BitModel& model, bool& value) {
    const std::uint32_t bound = (range_ >> BitModel::kBits) * model.zero();
    value = code_ >= bound;
    if (value) {
      code_ -= bound;
      range_ -= bound;
    } else {
      range_ = bound;
    }
    model.learn(value);
    for (; range_ < (1U << 24); range_ <<= 8) take();
  }

 private:
  void take() {
    if (rest_.empty()) throw Error("truncated");
    code_ = code_ << 8 | static_cast<std::uint8_t>(rest_[0]);
    rest_.remove_prefix(1);
  }

  std::string_view rest_;
  std::uint32_t code_ = 0;
  std::uint32_t range_ = 0xFFFFFFFFU;
};

// A byte, high bits first, each with a model that depends on those before it.
struct ByteModel {
  std::vector<BitModel> bits = std::vector<BitModel>(256);

  template <class Coder>
  void code(Coder& coder, std::uint8_t& byte) {
    std::uint32_t so_far = 1;
    for (int i = 7; i >= 0; --i) {
      bool bit = (byte >> i & 1) != 0;
      coder.bit(bits[so_far], bit);
      so_far = so_far << 1 | (bit ? 1U : 0U);
    }
    byte = static_cast<std::uint8_t>(so_far);
  }
};

// A number below 2^63: how many bits it has, then these.
struct NumberModel {
  ByteModel width;
  std::vector<BitModel> bits = std::vector<BitModel>(64 * 64);

  template <class Coder>
  void code(Coder& coder, std::uint64_t& number) {
    auto size = static_cast<std::uint8_t>(std::bit_width(number + 1));
    width.code(coder, size);
    if (size == 0 || size > 63) throw Error("a number is too large");
    std::uint64_t value = 1;
    for (int i = size - 2; i >= 0; --i) {
      bool bit = (number + 1) >> i & 1;
      coder.bit(bits[64 * size + static_cast<unsigned>(i)], bit);
      value = value << 1 | (bit ? 1U : 0U);
    }
    number = value - 1;
  }
};

}  // namespace thresh
