// What words in the data mean: names of features become ids, and words for classes labels.
//
// Files that go together, training and validation or a model and the rows it predicts, share one.
// Ids are given in the order in which names are first met, so they depend on the data alone. With
// hashing an id is the low bits of XXH3-64 of the name, and memory no longer grows with the names:
// a bit for every id says whether it has been met, and then its name goes to a temporary file,
// which is read once, at the end, for the few names that a model needs.
//
// Names from a cache stay where they lie. A table of them is made when one is first looked up,
// which a training run without other data never does.
#pragma once

#include <tsl/robin_map.h>

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
#include "thresh/text.hpp"

namespace thresh {

class Vocabulary {
 public:
  static constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();
  static constexpr unsigned kMaxHashBits = 30;

  // 0 bits: no hashing.
  explicit Vocabulary(unsigned hash_bits = 0);

  // The id of a feature; kUnknown for a new one once the vocabulary is frozen.
  std::uint64_t id(std::string_view name);
  // The same for names that have been met; kUnknown for any other.
  std::uint64_t find(std::string_view name) const;
  // Puts a name in its place, from a model.
  void set(std::string_view name, std::uint64_t id);
  // Takes the names that for_each() has told of before, as append_name() has written them; `owner`
  // keeps them where they are. Throws Error, with the reason, for what it cannot have written. The
  // vocabulary must be new.
  void restore(unsigned hash_bits, std::string_view names, std::shared_ptr<const void> owner);
  // From now on new names are unknown: weights for them would be learned from no row.
  void freeze() { frozen_ = true; }
  // Ids below are taken.
  void reserve(std::uint64_t ids) { next_ = std::max(next_, ids); }

  unsigned hash_bits() const { return hash_bits_; }
  // One past the largest id that there can be so far.
  std::uint64_t id_end() const;

  // Calls visit for every name met, in the order of first appearance, once for each id.
  void for_each(const std::function<void(std::uint64_t id, std::string_view name)>& visit) const;

  // How texts become rows; null for all other data. Without hashing it has the names.
  std::shared_ptr<const TextVectorizer> text;
  LabelNames labels;
  // A JSON object: what else whoever read the first file found out that matters for the others.
  std::string reading = "{}";
  // What the user should know about how that file was read; "" if nothing.
  std::string note;

 private:
  std::uint64_t hashed(std::string_view name);
  void index_stored() const;

  unsigned hash_bits_;
  bool frozen_ = false;
  std::uint64_t next_ = 0;

  // Without hashing: names live in pieces that never move.
  struct Hash {
    std::size_t operator()(std::string_view name) const;
  };
  std::string_view keep(std::string_view name);
  // Hashes are stored: a growing table would else read every name again.
  using Ids = tsl::robin_map<std::string_view, std::uint64_t, Hash, std::equal_to<>,
                             std::allocator<std::pair<std::string_view, std::uint64_t>>, true>;
  mutable Ids ids_;
  std::vector<std::pair<std::uint64_t, std::string_view>> names_;
  std::vector<std::unique_ptr<char[]>> pieces_;
  std::size_t piece_used_ = 0;
  std::size_t piece_size_ = 0;

  // With hashing: which ids have been met, and a file of ID, LENGTH, NAME.
  mutable std::vector<bool> met_;
  std::unique_ptr<TempFile> met_names_;

  // From a cache, in the same form. Their ids are in the tables above once they have been indexed.
  std::string_view stored_;
  std::shared_ptr<const void> stored_owner_;
  mutable std::once_flag indexed_;
};

// A name with its id, as a file has it.
void append_name(std::uint64_t id, std::string_view name, std::string& out);

}  // namespace thresh
