// Raw text as rows: which parts of a text are features, and what they weigh.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace thresh {

// A number of documents, or a share of all of them.
struct DocumentLimit {
  bool is_share = false;
  double value = 1;  // documents, or a fraction
};

struct TextOptions {
  // Words: runs of letters, digits, marks and underscores. Characters: n-grams of the whole text,
  // with every run of white space as one blank.
  enum class Unit { words, characters } unit = Unit::words;
  std::uint32_t shortest = 1;  // n-grams of so many words or characters
  std::uint32_t longest = 1;
  std::uint32_t min_length = 2;  // shorter words, in characters, are passed over
  bool lower_case = true;
  std::vector<std::string> stop_words;  // passed over before n-grams are formed; sorted, no doubles
  std::string stem;  // words to their stems, by this algorithm of Snowball (stemmers()); "": no
  DocumentLimit min_df{false, 1};                       // terms in fewer documents are no features,
  DocumentLimit max_df{true, 1};                        // nor are those in more
  enum class Tf { count, log, binary } tf = Tf::count;  // n, 1 + ln n or 1 for n occurrences
  bool idf = true;              // times ln((1 + documents) / (1 + documents with the term)) + 1
  bool l2 = true;               // then scaled to unit length
  std::uint32_t hash_bits = 0;  // features are 2^bits hashes of terms; 0: there is a vocabulary
};

// English words that say little about what a text is about.
const std::vector<std::string>& english_stop_words();
// All words of a file, as texts with these options have them.
std::vector<std::string> read_stop_words(const std::string& path, const TextOptions& options);

// The algorithms for stems: english, porter, german and others, as libstemmer names them.
std::vector<std::string> stemmers();

// Throws UsageError for options that make no sense.
void check_text_options(const TextOptions& options);

class TextVectorizer;

}  // namespace thresh
