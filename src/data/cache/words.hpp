// The words in a cache of data with names: format, reading options, labels, and all that a
// Vocabulary knows after the data were read.
//
// The words of a cache are a JSON object. Its names are the terms of texts, one per line (see
// text_format.hpp), followed by the names of features (see vocabulary.hpp).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "data/cache/file.hpp"
#include "data/names/vocabulary.hpp"
#include "thresh/rows.hpp"

namespace thresh {

// The options for reading data with names, as a JSON object. The same rows give the same object.
std::string asked_of(const ReadOptions& options, Format format);
// The same as a number, for any format. CacheOrigin stores it.
std::uint64_t reading_key(const ReadOptions& options, Format format);

// The words to write for data of this format that were read as asked. Empty for libsvm text, which
// has no vocabulary.
CacheWords words_of(const Vocabulary* vocabulary, Format format, const std::string& asked);

// Reads data of read.format and writes a cache of them; see write_cache(). Returns the reader's
// note to the user, or "".
std::string cache_rows(const std::string& data, const std::string& cache_path, ReadOptions read,
                       const std::string& asked, const std::function<CacheOrigin()>& origin,
                       std::uint64_t slices = 0);

// The words of a cache file, parsed.
class CachedWords {
 public:
  // Throws Error if the words of the file are invalid.
  explicit CachedWords(std::shared_ptr<const CacheFile> file);

  Format format() const { return format_; }
  // Version of the program that made it; "" if unknown.
  const std::string& version() const { return version_; }
  const std::string& asked() const { return asked_; }
  const std::vector<std::string>& labels() const { return labels_; }

  // Copies everything into a new vocabulary.
  void restore(Vocabulary& vocabulary) const;
  // Throws Error if one of these options was given and differs from the cache's.
  void check_asked(const ReadOptions& options) const;
  // Why reading the data with this vocabulary would give other rows; "" if it would not.
  std::string misfit(const Vocabulary& vocabulary) const;

 private:
  void check_labels() const;
  void check_dimension(std::uint64_t end) const;
  std::shared_ptr<const TextVectorizer> vectorizer() const;
  std::string misfit_of_texts(const TextVectorizer& wanted) const;

  std::shared_ptr<const CacheFile> file_;
  Format format_ = Format::libsvm;
  std::string version_, asked_, note_;
  Record reading_;
  std::vector<std::string> labels_;
  unsigned hash_bits_ = 0;
  std::uint64_t dimension_ = 0;  // of texts
  std::uint64_t terms_bytes_ = 0;
};

}  // namespace thresh
