// Pairs of features: a feature a*b has the product of their values.
//
// Pairs are made from the rows whenever these are read, and stored nowhere: only the list of pairs
// that occur in the training rows is, in numeric order. Behind the features of the data come the
// pairs: with n features, pair k has the id n + k. So to solvers a pair is a feature like any
// other.
#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sparse/random.hpp"
#include "thresh/rows.hpp"

namespace thresh {

class FeaturePairs {
 public:
  using Pair = std::pair<std::uint64_t, std::uint64_t>;  // of ids, the smaller one first

  // `features` are those of the data.
  FeaturePairs(std::uint64_t features, std::vector<Pair> pairs);

  std::uint64_t features() const { return features_; }
  std::uint64_t id_end() const { return features_ + pairs_.size(); }
  const std::vector<Pair>& all() const { return pairs_; }
  // The two features of a pair, by its id.
  const Pair& at(std::uint64_t id) const { return pairs_[id - features_]; }
  // None: it occurred in no training row.
  std::optional<std::uint64_t> id(std::uint64_t first, std::uint64_t second) const {
    const auto found = places_.find(code(first, second));
    if (found == places_.end()) return std::nullopt;
    return features_ + found->second;
  }
  // Both must be below kEnd.
  static std::uint64_t code(std::uint64_t first, std::uint64_t second) {
    return first << 32 | second;
  }
  static constexpr std::uint64_t kEnd = std::uint64_t{1} << 32;

 private:
  struct Hash {
    std::size_t operator()(std::uint64_t code) const { return mix(code); }
  };
  std::uint64_t features_;
  std::vector<Pair> pairs_;
  tsl::robin_map<std::uint64_t, std::uint32_t, Hash> places_;  // by code
};

// Which pairs are wanted: A:B for each feature of A and each of B, A:A with the squares of A's
// features, and A:* or *:* for all. A is a column of a table, a namespace of VW text, or the name
// of a feature; in libsvm text, its number.
class PairRule {
 public:
  // The names of features are those of the vocabulary; null: features have numbers, which start at
  // `first`. Throws UsageError or Error for an unknown one; `file` begins messages.
  PairRule(const std::vector<std::string>& asked, const Vocabulary* vocabulary, std::uint64_t first,
           const std::string& file);

  // The wanted pairs of a row, as places in `ids`, which ascend; in ascending order.
  void pairs_of(const std::vector<std::uint64_t>& ids,
                std::vector<std::pair<std::uint32_t, std::uint32_t>>& places) const;

 private:
  struct Side {
    bool all = false;
    std::vector<std::uint64_t> ids;  // ascending
    bool has(std::uint64_t id) const;
  };
  struct Product {
    Side left, right;
    bool same = false;     // both sides
    bool squares = false;  // a feature makes a pair with itself
  };
  static Side numbered_side(const std::string& name, std::uint64_t first, const std::string& asked);
  static std::optional<Side> named_side(const std::string& name, const Vocabulary& vocabulary);
  static Product named_product(const std::string& asked, const Vocabulary& vocabulary,
                               const std::string& file);

  std::vector<Product> products_;
};

struct PairedRows {
  std::shared_ptr<RowSource> rows;
  std::shared_ptr<const FeaturePairs> pairs;
};
// The rows with their pairs. One pass finds those that occur. `first` is the number of the first
// feature in messages. Throws Error if a product is not finite.
PairedRows with_pairs(std::shared_ptr<RowSource> rows, const PairRule& rule,
                      const std::shared_ptr<FeatureMap>& features, const ReadOptions& options);
// The same for other rows of the problem, whose new features and pairs are left out.
std::shared_ptr<RowSource> with_known_pairs(std::shared_ptr<RowSource> rows, const PairRule& rule,
                                            std::shared_ptr<const FeaturePairs> pairs,
                                            const std::shared_ptr<FeatureMap>& features);

}  // namespace thresh
