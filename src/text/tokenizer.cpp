#include "text/tokenizer.hpp"

#include <algorithm>

namespace thresh {
namespace {

// Characters of a text in any encoding: UTF-8, and all other bytes as latin-1.
//
// Returns the character at p and moves p after it. A byte outside any valid UTF-8 sequence is the
// latin-1 character of that number, so every text can be read.
std::int32_t next_character(const char*& p, const char* end) {
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
char* put_character(std::int32_t character, char* out) {
  return out + utf8proc_encode_char(character, reinterpret_cast<utf8proc_uint8_t*>(out));
}

}  // namespace

// The categories of letters, marks and digits follow each other, and so do those of blanks.
static_assert(UTF8PROC_CATEGORY_NO - UTF8PROC_CATEGORY_LU == 10 &&
              UTF8PROC_CATEGORY_CC - UTF8PROC_CATEGORY_ZS == 3);
bool is_word_character(std::int32_t character) {
  const utf8proc_category_t category = utf8proc_category(character);
  const bool named = category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NO;
  return named || character == '_';
}

bool is_blank_character(std::int32_t character) {
  const utf8proc_category_t category = utf8proc_category(character);
  return category >= UTF8PROC_CATEGORY_ZS && category <= UTF8PROC_CATEGORY_CC;
}

namespace {

// A byte becomes at most two (latin-1, and letters whose other case is longer), and a blank may
// follow the last word. A stem is never twice as long as its word (see end_word).
char* make_room(std::string_view text, CutText& cut, bool stems = false) {
  const std::size_t most = (stems ? 4 : 2) * text.size() + 4;
  if (cut.folded.size() < most) cut.folded.resize(most);
  cut.begins.clear();
  cut.ends.clear();
  return cut.folded.data();
}

}  // namespace

AsciiTable::AsciiTable(bool lower_case) {
  for (std::int32_t c = 0; c < 128; ++c) {
    const auto i = static_cast<std::size_t>(c);
    const auto folded = static_cast<char>(lower_case ? utf8proc_tolower(c) : c);
    word[i] = is_word_character(c) ? folded : '\0';
    any[i] = is_blank_character(c) ? ' ' : folded;
  }
}

Tokenizer::Tokenizer(const TextOptions& options)
    : words_(options.unit == TextOptions::Unit::words),
      lower_case_(options.lower_case),
      stem_(options.stem),
      shortest_(options.shortest),
      longest_(options.longest),
      min_length_(options.min_length),
      stop_words_(options.stop_words.begin(), options.stop_words.end()),
      ascii_(options.lower_case) {}

void Tokenizer::cut_words(std::string_view text, CutText& cut) const {
  char* const start = make_room(text, cut, !stem_.empty());
  if (!stem_.empty() && !cut.stemmer) cut.stemmer.emplace(stem_);
  char* word = start;  // the one being read
  char* out = start;
  std::size_t length = 0;  // of the word, in characters
  const auto end_word = [&] {
    const std::string_view whole(word, static_cast<std::size_t>(out - word));
    if (length < min_length_ || (!stop_words_.empty() && stop_words_.contains(whole))) {
      out = word;
    } else {
      if (!stem_.empty()) {
        const std::string_view stem = cut.stemmer->stem(whole).substr(0, 2 * whole.size());
        if (stem.data() != whole.data()) out = std::copy(stem.begin(), stem.end(), word);
      }
      cut.begins.push_back(static_cast<std::size_t>(word - start));
      cut.ends.push_back(static_cast<std::size_t>(out - start));
      *out++ = ' ';
      word = out;
    }
    length = 0;
  };
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p < end;) {
    const auto byte = static_cast<unsigned char>(*p);
    if (byte < 0x80) {
      ++p;
      if (const char c = ascii_.word[byte]) {
        *out++ = c;
        ++length;
        continue;
      }
    } else if (const std::int32_t c = next_character(p, end); is_word_character(c)) {
      out = put_character(fold(c), out);
      ++length;
      continue;
    }
    if (length > 0) end_word();
  }
  if (length > 0) end_word();
}

void Tokenizer::cut_characters(std::string_view text, CutText& cut) const {
  char* const start = make_room(text, cut);
  char* out = start;
  bool after_blank = true;  // skips blanks at the beginning
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p < end;) {
    std::int32_t c = next_character(p, end);
    c = c < 0x80 ? ascii_.any[static_cast<std::size_t>(c)] : is_blank_character(c) ? ' ' : fold(c);
    if (c == ' ' && after_blank) continue;
    after_blank = c == ' ';
    cut.begins.push_back(static_cast<std::size_t>(out - start));
    out = put_character(c, out);
    cut.ends.push_back(static_cast<std::size_t>(out - start));
  }
  if (after_blank && !cut.ends.empty()) {  // and at the end
    cut.begins.pop_back();
    cut.ends.pop_back();
  }
}

}  // namespace thresh
