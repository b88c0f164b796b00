// Cuts a text into terms: n-grams of words or of characters.
#pragma once

#include <utf8proc.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "text/stemmer.hpp"
#include "thresh/text.hpp"

namespace thresh {

// Letters, marks (accents and separate vowel signs), digits and the underscore.
bool is_word_character(std::int32_t character);
// White space, and control characters, which must not appear in names either.
bool is_blank_character(std::int32_t character);

// Most text is ASCII, for which a small table suffices.
struct AsciiTable {
  std::array<char, 128> word{};  // the character as part of a word; 0 if it cannot be
  std::array<char, 128> any{};   // the same for every character; blanks are ' '

  explicit AsciiTable(bool lower_case);
};

// A text in lower case without the separators of its units, so that every n-gram is a substring.
// Reused for each text.
struct CutText {
  std::string folded;               // words with one blank between them; or all characters
  std::vector<std::size_t> begins;  // of the units
  std::vector<std::size_t> ends;    // one past the end of each unit
  std::optional<Stemmer> stemmer;   // made on first use
};

class Tokenizer {
 public:
  explicit Tokenizer(const TextOptions& options);

  // Calls visit(std::string_view term) for every occurrence of a term. The term is valid until the
  // next call with this CutText.
  template <class Visit>
  void for_each_term(std::string_view text, CutText& cut, const Visit& visit) const {
    if (words_) {
      cut_words(text, cut);
    } else {
      cut_characters(text, cut);
    }
    const std::size_t units = cut.begins.size();
    for (std::size_t i = 0; i < units; ++i) {
      const std::size_t last = std::min(i + longest_, units);
      for (std::size_t end = i + shortest_; end <= last; ++end) {
        visit(
            std::string_view(cut.folded.data() + cut.begins[i], cut.ends[end - 1] - cut.begins[i]));
      }
    }
  }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view word) const {
      return std::hash<std::string_view>()(word);
    }
  };

  void cut_words(std::string_view text, CutText& cut) const;
  void cut_characters(std::string_view text, CutText& cut) const;
  std::int32_t fold(std::int32_t character) const {
    return lower_case_ ? utf8proc_tolower(character) : character;
  }

  bool words_;
  bool lower_case_;
  std::string stem_;
  std::size_t shortest_, longest_, min_length_;
  std::unordered_set<std::string, Hash, std::equal_to<>> stop_words_;
  AsciiTable ascii_;
};

}  // namespace thresh
