// Options for raw text: which terms become features, and their values.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace thresh {

// A number of documents, or a fraction of all documents.
struct DocumentLimit {
  bool is_share = false;
  double value = 1;
};

struct TextOptions {
  // words: runs of letters, digits, marks and underscores. characters: n-grams of the whole text,
  // with every run of white space replaced by one space.
  enum class Unit { words, characters } unit = Unit::words;
  std::uint32_t shortest = 1;  // n-grams have from `shortest` to `longest` words or characters
  std::uint32_t longest = 1;
  std::uint32_t min_length = 2;  // in characters; shorter words are ignored
  bool lower_case = true;
  std::vector<std::string> stop_words;  // removed before n-grams are formed; sorted and unique
  std::string stem;  // Snowball algorithm that reduces words to stems, see stemmers(); "": none
  DocumentLimit min_df{false, 1};                       // terms in fewer documents are ignored
  DocumentLimit max_df{true, 1};                        // terms in more documents are ignored
  enum class Tf { count, log, binary } tf = Tf::count;  // n, 1 + ln n or 1 for n occurrences
  bool idf = true;              // times ln((1 + documents) / (1 + documents with the term)) + 1
  bool l2 = true;               // then scaled to unit length
  std::uint32_t hash_bits = 0;  // features are hashes of terms, 2^hash_bits of them; 0: no hashing
};

// Common English words, for TextOptions::stop_words.
const std::vector<std::string>& english_stop_words();
// All words of a file, split and lower-cased as texts are with these options.
std::vector<std::string> read_stop_words(const std::string& path, const TextOptions& options);

// The stemming algorithms of libstemmer: english, porter, german and others.
std::vector<std::string> stemmers();

// Throws UsageError for invalid options.
void check_text_options(const TextOptions& options);

class TextVectorizer;
// How the cells of text columns of a table become features, by column.
using ColumnTexts = std::map<std::string, std::shared_ptr<const TextVectorizer>>;

}  // namespace thresh
