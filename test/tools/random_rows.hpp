// Random rows as arrays and as libsvm text, and a comparison of blocks.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "sparse/random.hpp"
#include "thresh/rows.hpp"

// Rows in CSR form with 0-based indices.
struct RandomRows {
  std::vector<std::size_t> starts{0};
  std::vector<std::uint64_t> indices;
  std::vector<double> values;
  std::vector<double> labels;

  void add(thresh::Random& random, std::size_t entries, std::uint64_t widest_gap) {
    std::uint64_t index = 0;
    for (std::size_t i = 0; i < entries; ++i) {
      index += random.below(widest_gap) + (i > 0 ? 1 : 0);
      indices.push_back(index);
      values.push_back(random.below(20) == 0 ? 0 : random.normal());  // some explicit zeros
    }
    starts.push_back(indices.size());
    labels.push_back(random.below(2) == 0 ? -1 : 1);
  }

  std::string row_text(std::size_t row, bool zero_based = false) const {
    std::string text = fmt::format("{:.17g}", labels[row]);
    for (std::size_t i = starts[row]; i < starts[row + 1]; ++i) {
      text += fmt::format(" {}:{:.17g}", indices[i] + (zero_based ? 0 : 1), values[i]);
    }
    return text;
  }

  std::string text(bool zero_based = false) const {
    std::string all;
    for (std::size_t row = 0; row < labels.size(); ++row) all += row_text(row, zero_based) + "\n";
    return all;
  }
};

inline RandomRows random_rows(std::uint64_t seed, std::size_t rows, std::size_t most_entries = 12,
                              std::uint64_t widest_gap = 50) {
  thresh::Random random(seed);
  RandomRows made;
  for (std::size_t i = 0; i < rows; ++i) {
    made.add(random, random.below(most_entries + 1), widest_gap);
  }
  return made;
}

// Compares everything except what only text has.
inline bool same_rows(const thresh::RowBlock& a, const thresh::RowBlock& b) {
  return a.starts == b.starts && a.slots == b.slots && a.values == b.values &&
         a.labels == b.labels && a.ids == b.ids && a.slot_end == b.slot_end &&
         a.dimension == b.dimension;
}

inline bool same_block(const thresh::RowBlock& a, const thresh::RowBlock& b) {
  return same_rows(a, b) && a.lines == b.lines && a.source_bytes == b.source_bytes &&
         a.bad_rows == b.bad_rows;
}
