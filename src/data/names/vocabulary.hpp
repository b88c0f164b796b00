// Translates words in the data: names of features become ids, words for classes become labels.
//
// Related files (training and validation, or a model and the rows it predicts) share one. Ids are
// assigned in order of first appearance, so they depend only on the data. With hashing an id is the
// low bits of XXH3-64 of the name, and memory does not grow with the names: one bit per id records
// whether it was seen. At first sight the name goes to a temporary file. It is read once, at the
// end, for the few names that a model needs.
//
// Names from a cache stay where they are. They are indexed at the first lookup, which a training
// run without other data never needs.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "data/names/label_names.hpp"
#include "files/temp_file.hpp"
#include "text/term_map.hpp"
#include "thresh/record.hpp"
#include "thresh/text.hpp"

namespace thresh {

class Vocabulary {
 public:
  static constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();
  static constexpr unsigned kMaxHashBits = 30;

  // 0 bits: no hashing.
  explicit Vocabulary(unsigned hash_bits = 0);

  // The id of a feature. Once the vocabulary is frozen, kUnknown for a new one.
  std::uint64_t id(std::string_view name);
  // The same for names seen so far; kUnknown for any other.
  std::uint64_t find(std::string_view name) const;
  // Sets the id of a name, from a model.
  void set(std::string_view name, std::uint64_t id);
  // Takes names that for_each() visited earlier, in the form of append_name(). `owner` holds their
  // memory. Throws Error with the reason if the form is wrong. The vocabulary must be new.
  void restore(unsigned hash_bits, std::string_view names, std::shared_ptr<const void> owner);
  // From now on new names are unknown, because no row would train weights for them.
  void freeze() { frozen_ = true; }
  // Marks ids below `ids` as taken.
  void reserve(std::uint64_t ids) { next_ = std::max(next_, ids); }

  unsigned hash_bits() const { return hash_bits_; }
  // One past the largest possible id so far.
  std::uint64_t id_end() const;

  // Calls visit for every name seen, in order of first appearance, once for each id.
  void for_each(const std::function<void(std::uint64_t id, std::string_view name)>& visit) const;

  // How texts become rows; null for other data. Without hashing it holds the names.
  std::shared_ptr<const TextVectorizer> text;
  // How text columns of a table become features.
  ColumnTexts column_texts;
  LabelNames labels;
  // Other facts from reading the first file that matter for later files.
  Record reading;
  // A note to the user about how that file was read; "" if there is none.
  std::string note;
  // The label's column, if no option and no usual name tells; otherwise "".
  std::string label_guessed;
  // Groups or times of the rows of the first file; null if there are none.
  std::shared_ptr<const RowKeys> row_keys;

 private:
  std::uint64_t hashed(std::string_view name);
  void index_stored() const;

  unsigned hash_bits_;
  bool frozen_ = false;
  std::uint64_t next_ = 0;

  // Without hashing.
  mutable TermMap<std::uint64_t> ids_;
  std::vector<std::pair<std::uint64_t, std::string_view>> names_;
  TermStore store_;  // of the names

  // With hashing: which ids were seen, and a file of ID, LENGTH, NAME.
  mutable std::vector<bool> met_;
  std::unique_ptr<TempFile> met_names_;

  // From a cache, in the same form. Indexing adds their ids to the tables above.
  std::string_view stored_;
  std::shared_ptr<const void> stored_owner_;
  mutable std::once_flag indexed_;
};

// Appends a name with its id, as stored in files.
void append_name(std::uint64_t id, std::string_view name, std::string& out);

}  // namespace thresh
