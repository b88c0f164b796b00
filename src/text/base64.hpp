// Bytes as letters (RFC 4648, without padding), for text files.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "thresh/error.hpp"

namespace thresh {

inline constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

inline std::string to_base64(std::string_view bytes) {
  std::string text;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : bytes) {
    bits = bits << 8 | static_cast<std::uint8_t>(c);
    for (held += 8; held >= 6; held -= 6) text += kBase64[bits >> (held - 6) & 63];
  }
  if (held > 0) text += kBase64[bits << (6 - held) & 63];
  return text;
}

// Appends the bytes. Throws Error for other characters.
inline void from_base64(std::string_view text, std::string& bytes) {
  static const auto values = [] {
    std::array<std::int8_t, 256> table{};
    table.fill(-1);
    for (std::size_t i = 0; i < kBase64.size(); ++i) {
      table[static_cast<std::uint8_t>(kBase64[i])] = static_cast<std::int8_t>(i);
    }
    return table;
  }();
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : text) {
    const std::int8_t value = values[static_cast<std::uint8_t>(c)];
    if (value < 0) throw Error("a character that packed bytes cannot have");
    bits = bits << 6 | static_cast<std::uint8_t>(value);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>(bits >> held & 0xFF);
  }
}

}  // namespace thresh
