// Characters of a text in any encoding: UTF-8, and all other bytes as latin-1.
#pragma once

#include <utf8proc.h>

#include <array>
#include <cstdint>

namespace thresh {

// Returns the character at p and moves p after it. A byte outside any valid UTF-8 sequence is the
// latin-1 character of that number, so every text can be read.
inline std::int32_t next_character(const char*& p, const char* end) {
  const auto byte = static_cast<unsigned char>(*p);
  if (byte < 0x80) {
    ++p;
    return byte;
  }
  utf8proc_int32_t character = 0;
  const utf8proc_ssize_t bytes =
      utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(p), end - p, &character);
  if (bytes <= 0) {
    ++p;
    return byte;
  }
  p += bytes;
  return character;
}

// Writes a character as UTF-8; at most four bytes.
inline char* put_character(std::int32_t character, char* out) {
  return out + utf8proc_encode_char(character, reinterpret_cast<utf8proc_uint8_t*>(out));
}

// Letters, marks (accents and separate vowel signs), digits and the underscore. The categories of
// these follow each other, and so do those below.
static_assert(UTF8PROC_CATEGORY_NO - UTF8PROC_CATEGORY_LU == 10 &&
              UTF8PROC_CATEGORY_CC - UTF8PROC_CATEGORY_ZS == 3);
inline bool is_word_character(std::int32_t character) {
  const utf8proc_category_t category = utf8proc_category(character);
  const bool named = category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NO;
  return named || character == '_';
}

// White space, and control characters, which must not appear in names either.
inline bool is_blank_character(std::int32_t character) {
  const utf8proc_category_t category = utf8proc_category(character);
  return category >= UTF8PROC_CATEGORY_ZS && category <= UTF8PROC_CATEGORY_CC;
}

// Most text is ASCII, for which a small table suffices.
struct AsciiTable {
  std::array<char, 128> word{};  // the character as part of a word; 0 if it cannot be
  std::array<char, 128> any{};   // the same for every character; blanks are ' '

  explicit AsciiTable(bool lower_case) {
    for (std::int32_t c = 0; c < 128; ++c) {
      const auto i = static_cast<std::size_t>(c);
      const auto folded = static_cast<char>(lower_case ? utf8proc_tolower(c) : c);
      word[i] = is_word_character(c) ? folded : '\0';
      any[i] = is_blank_character(c) ? ' ' : folded;
    }
  }
};

}  // namespace thresh
