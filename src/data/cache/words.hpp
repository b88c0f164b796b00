// What a cache of data with names says of words: its format, how it was read, what labels are, and
// all that a Vocabulary knows once data have been read.
//
// The words of a cache are a JSON object; its names are the terms of texts, a line each (see
// text_format.hpp), and behind them the names of features (see vocabulary.hpp).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "data/cache/file.hpp"
#include "data/names/vocabulary.hpp"
#include "thresh/rows.hpp"

namespace thresh {

// The options that decide how data with names are read: a JSON object, the same for the same rows.
std::string asked_of(const ReadOptions& options, Format format);
// The same as a number, of any format: what a CacheOrigin has.
std::uint64_t reading_key(const ReadOptions& options, Format format);

// To be written: what is known of data of this format that were read as asked. Nothing for libsvm
// text, which has no vocabulary.
CacheWords words_of(const Vocabulary* vocabulary, Format format, const std::string& asked);

// Reads data of read.format and writes a cache of them; see write_cache(). Gives the note that the
// reading left.
std::string cache_rows(const std::string& data, const std::string& cache_path, ReadOptions read,
                       const std::string& asked, const std::function<CacheOrigin()>& origin);

// What is in a cache.
class CachedWords {
 public:
  // Throws Error for a file that has words which make no sense.
  explicit CachedWords(std::shared_ptr<const CacheFile> file);

  Format format() const { return format_; }
  // Of the program that made it; "" if it does not say.
  const std::string& version() const { return version_; }
  const std::string& asked() const { return asked_; }
  const std::vector<std::string>& labels() const { return labels_; }

  // Tells a new vocabulary everything.
  void restore(Vocabulary& vocabulary) const;
  // Throws Error if one of these options was given and is not what the cache was made with.
  void check_asked(const ReadOptions& options) const;
  // Why these rows are not those that data read with this vocabulary would be; "" if they are.
  std::string misfit(const Vocabulary& vocabulary) const;

 private:
  void check_labels() const;
  void check_dimension(std::uint64_t end) const;
  std::shared_ptr<const TextVectorizer> vectorizer() const;
  std::string misfit_of_texts(const TextVectorizer& wanted) const;

  std::shared_ptr<const CacheFile> file_;
  Format format_ = Format::libsvm;
  std::string version_, asked_, reading_, note_;
  std::vector<std::string> labels_;
  unsigned hash_bits_ = 0;
  std::uint64_t dimension_ = 0;  // of texts
  std::uint64_t terms_bytes_ = 0;
};

}  // namespace thresh
