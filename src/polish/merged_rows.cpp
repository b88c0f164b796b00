#include "polish/merged_rows.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "sparse/random.hpp"

namespace thresh {
namespace {

std::uint64_t hash_of(const SparseVector& row, double target) {
  std::uint64_t hash = std::bit_cast<std::uint64_t>(target);
  for (std::size_t k = 0; k < row.size; ++k) {
    hash = (hash ^ row.at[k]) * 0x9e3779b97f4a7c15;
    hash = std::rotl(hash, 29) ^ std::bit_cast<std::uint64_t>(row.values[k]);
  }
  return mix(hash);
}

constexpr std::uint32_t kFree = std::numeric_limits<std::uint32_t>::max();

bool are_equal(const SparseVector& a, const SparseVector& b) {
  return a.size == b.size && std::equal(a.at, a.at + a.size, b.at) &&
         std::equal(a.values, a.values + a.size, b.values);
}

// Numbers for pairs of a merged row and a value.
class Pieces {
 public:
  Pieces(std::size_t most, std::uint32_t first)
      : table_(std::bit_ceil(2 * most + 1), kFree), first_(first) {}

  // The same number for pairs of the same bits (a NaN is not even equal to itself), counted from
  // `first`.
  std::uint32_t number_of(std::uint32_t of, double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const std::uint64_t hash = of * 0x9e3779b97f4a7c15 ^ bits;
    for (std::size_t at = mix(hash) & (table_.size() - 1);; at = (at + 1) & (table_.size() - 1)) {
      if (table_[at] == kFree) {
        table_[at] = static_cast<std::uint32_t>(pieces_.size());
        pieces_.push_back({of, value});
      }
      const Piece& piece = pieces_[table_[at]];
      if (piece.of == of && std::bit_cast<std::uint64_t>(piece.value) == bits)
        return first_ + table_[at];
    }
  }

  struct Piece {
    std::uint32_t of;
    double value;
  };
  // What the number stands for, if it is that of a pair.
  const Piece* piece(std::uint32_t number) const {
    return number < first_ ? nullptr : &pieces_[number - first_];
  }
  std::size_t end() const { return first_ + pieces_.size(); }

 private:
  std::vector<std::uint32_t> table_;
  std::vector<Piece> pieces_;
  std::uint32_t first_;
};

// Numbers the merged rows anew, by the first row of each, and sums the weights. Returns their old
// numbers.
std::vector<std::uint32_t> number_by_first(std::vector<std::uint32_t>& place, std::size_t numbers,
                                           std::span<const double> weights,
                                           std::vector<double>& sums) {
  std::vector<std::uint32_t> now(numbers, kFree), before;
  for (std::size_t i = 0; i < place.size(); ++i) {
    std::uint32_t& number = now[place[i]];
    if (number == kFree) {
      number = static_cast<std::uint32_t>(before.size());
      before.push_back(place[i]);
      sums.push_back(0);
    }
    place[i] = number;
    sums[number] += weights[i];
  }
  return before;
}

}  // namespace

MergedRows merge_equal_rows(const SupportMatrix& rows, std::span<const double> targets) {
  const std::size_t n = rows.rows();
  MergedRows merged;
  SupportMatrix& all = merged.rows;
  all.columns = rows.columns;
  merged.place.reserve(n);
  std::vector<std::uint32_t> table(std::bit_ceil(2 * n + 1), kFree);
  for (std::size_t i = 0; i < n; ++i) {
    const SparseVector row = rows.row(i);
    std::size_t at = hash_of(row, targets[i]) & (table.size() - 1);
    while (table[at] != kFree &&
           !(merged.targets[table[at]] == targets[i] && are_equal(all.row(table[at]), row))) {
      at = (at + 1) & (table.size() - 1);
    }
    if (table[at] == kFree) {
      table[at] = static_cast<std::uint32_t>(all.rows());
      all.at.insert(all.at.end(), row.at, row.at + row.size);
      all.values.insert(all.values.end(), row.values, row.values + row.size);
      all.starts.push_back(all.at.size());
      all.labels.push_back(rows.labels[i]);
      all.weights.push_back(0);
      merged.targets.push_back(targets[i]);
    }
    all.weights[table[at]] += rows.weights[i];
    merged.place.push_back(table[at]);
  }
  return merged;
}

MergedRows with_column(const MergedRows& merged, std::uint32_t at, const SingleColumn& column,
                       std::span<const double> weights) {
  const SupportMatrix& from = merged.rows;
  MergedRows more;
  more.place = merged.place;
  Pieces pieces(column.rows.size(), static_cast<std::uint32_t>(from.rows()));
  for (std::size_t k = 0; k < column.rows.size(); ++k) {
    std::uint32_t& place = more.place[column.rows[k]];
    place = pieces.number_of(place, column.values[k]);
  }
  SupportMatrix& to = more.rows;
  to.columns = from.columns + 1;
  to.at.reserve(from.entries() + pieces.end());
  to.values.reserve(from.entries() + pieces.end());
  for (const std::uint32_t number :
       number_by_first(more.place, pieces.end(), weights, to.weights)) {
    const Pieces::Piece* const piece = pieces.piece(number);
    const std::uint32_t source = piece != nullptr ? piece->of : number;
    const SparseVector row = from.row(source);
    std::size_t k = 0;
    for (; k < row.size && row.at[k] < at; ++k) to.at.push_back(row.at[k]);
    to.values.insert(to.values.end(), row.values, row.values + k);
    if (piece != nullptr) {
      to.at.push_back(at);
      to.values.push_back(piece->value);
    }
    to.values.insert(to.values.end(), row.values + k, row.values + row.size);
    for (; k < row.size; ++k) to.at.push_back(row.at[k] + 1);
    to.starts.push_back(to.at.size());
    to.labels.push_back(from.labels[source]);
    more.targets.push_back(merged.targets[source]);
  }
  return more;
}

MergedRows without_column(const MergedRows& merged, std::uint32_t at,
                          std::span<const double> weights) {
  const SupportMatrix& from = merged.rows;
  SupportMatrix rest;
  rest.columns = from.columns - 1;
  rest.labels = from.labels;
  rest.weights = from.weights;
  for (std::size_t i = 0; i < from.rows(); ++i) {
    const SparseVector row = from.row(i);
    for (std::size_t k = 0; k < row.size; ++k) {
      if (row.at[k] == at) continue;
      rest.at.push_back(row.at[k] - (row.at[k] > at ? 1 : 0));
      rest.values.push_back(row.values[k]);
    }
    rest.starts.push_back(rest.at.size());
  }
  MergedRows fewer = merge_equal_rows(rest, merged.targets);
  std::vector<double>& sums = fewer.rows.weights;
  std::fill(sums.begin(), sums.end(), 0);
  std::vector<std::uint32_t> place(merged.place.size());
  for (std::size_t i = 0; i < place.size(); ++i) {
    place[i] = fewer.place[merged.place[i]];
    sums[place[i]] += weights[i];
  }
  fewer.place = std::move(place);
  return fewer;
}

std::size_t merge_if_many_are_equal(SupportMatrix& rows, std::vector<double>& targets) {
  MergedRows merged = merge_equal_rows(rows, targets);
  const std::size_t gone = rows.rows() - merged.rows.rows();
  if (4 * gone < rows.rows()) return 0;
  rows = std::move(merged.rows);
  targets = std::move(merged.targets);
  return gone;
}

}  // namespace thresh
