// Numbers of 8 bytes in messages. All ranks run the same program on the same kind of machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "thresh/cluster.hpp"

namespace thresh {

inline constexpr std::size_t kWordBytes = 8;

template <class Number>
void put_word(Number number, Message& message) {
  static_assert(sizeof number == kWordBytes);
  const std::size_t at = message.size();
  message.resize(at + kWordBytes);
  std::memcpy(message.data() + at, &number, kWordBytes);
}

template <class Number>
Number word_at(const std::byte* at) {
  Number number;
  static_assert(sizeof number == kWordBytes);
  std::memcpy(&number, at, kWordBytes);
  return number;
}

}  // namespace thresh
