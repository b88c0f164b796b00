#include "data/table/column_facts.hpp"

#include <algorithm>
#include <cmath>

#include "data/read/name_table.hpp"

namespace thresh {

void DistinctCount::add(std::uint64_t hash) {
  if (hash >= below_) return;
  hashes_.push_back(hash);
  if (hashes_.size() >= 4 * kSmallest) tidy();
}

void DistinctCount::merge(const DistinctCount& other) {
  for (const std::uint64_t hash : other.hashes_) add(hash);
}

void DistinctCount::tidy() const {
  std::sort(hashes_.begin(), hashes_.end());
  hashes_.erase(std::unique(hashes_.begin(), hashes_.end()), hashes_.end());
  if (hashes_.size() <= kSmallest) return;
  hashes_.resize(kSmallest + 1);
  below_ = hashes_.back();
  hashes_.pop_back();
}

double DistinctCount::estimate() const {
  tidy();
  constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
  if (below_ == kAll) return static_cast<double>(hashes_.size());
  // kSmallest hashes fall below this share of the range.
  return static_cast<double>(kSmallest) * (static_cast<double>(kAll) / static_cast<double>(below_));
}

void ColumnFacts::add(const Cell& cell) {
  using Kind = Cell::Kind;
  if (cell.kind == Kind::empty) ++empty;
  if (cell.kind == Kind::na) ++na;
  if (cell.kind == Kind::no_number) ++no_numbers;
  if (cell.kind == Kind::empty || cell.kind == Kind::na || cell.kind == Kind::no_number) return;
  const bool from_memory = cell.kind == Kind::number && cell.text.empty();
  if (const auto date = from_memory ? parse_date(cell.number) : parse_date(cell.text)) {
    ++dates;
    days += date->days();
    latest = std::max(latest.value_or(date->days()), date->days());
  }
  if (cell.kind == Kind::word) {
    ++words;
    blanks += static_cast<std::uint64_t>(std::count(cell.text.begin(), cell.text.end(), ' '));
    distinct_.add(hash_of_name(cell.text));
    if (!is_other_notation(cell.text)) return;
    ++notations;
    if (notation.empty()) notation = cell.text;
    return;
  }
  ++numbers;
  ascends_ = ascends_ && (!last_ || *last_ < cell.number);
  if (!first_) first_ = cell.number;
  last_ = cell.number;
  least = std::min(least, cell.number);
  most = std::max(most, cell.number);
  sample_.push_back(cell.number);
  if (cell.number != std::floor(cell.number)) return;
  ++integers;
  const std::string_view text = cell.text;
  if (text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9') ++leading_zeros;
  const double bits = cell.number + 0.0;  // -0 is 0
  distinct_.add(hash_of_name({reinterpret_cast<const char*>(&bits), sizeof bits}));
}

void ColumnFacts::merge(const ColumnFacts& later, std::size_t held) {
  for (const double value : later.sample_) {
    if (seen_++ % stride_ == 0) sample_.push_back(value);
    if (sample_.size() < 2 * held) continue;
    for (std::size_t i = 0; i < held; ++i) sample_[i] = sample_[2 * i];
    sample_.resize(held);
    stride_ *= 2;
  }
  ascends_ = ascends_ && later.ascends_ && (!last_ || !later.first_ || *last_ < *later.first_);
  if (!first_) first_ = later.first_;
  if (later.last_) last_ = later.last_;
  empty += later.empty;
  na += later.na;
  numbers += later.numbers;
  no_numbers += later.no_numbers;
  words += later.words;
  integers += later.integers;
  leading_zeros += later.leading_zeros;
  dates += later.dates;
  days += later.days;
  blanks += later.blanks;
  notations += later.notations;
  if (notation.empty()) notation = later.notation;
  if (later.latest) latest = std::max(latest.value_or(*later.latest), *later.latest);
  least = std::min(least, later.least);
  most = std::max(most, later.most);
  distinct_.merge(later.distinct_);
}

bool ColumnFacts::counts_rows() const {
  const auto n = static_cast<double>(numbers);
  if (numbers == 0 || integers < numbers || least < 0 || least > 10) return false;
  const double range = most - least + 1;
  return ascends_ ? range <= 3 * n : range == n && distinct() > 0.9 * n;
}

std::optional<double> ColumnFacts::trimmed_mean() const {
  if (sample_.empty()) return std::nullopt;
  std::vector<double> sorted = sample_;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t outside = sorted.size() / 20;
  const std::size_t inside = sorted.size() - 2 * outside;
  double mean = 0;
  for (std::size_t i = 0; i < inside; ++i) {
    mean += sorted[outside + i] / static_cast<double>(inside);
  }
  return std::clamp(mean, sorted[outside],
                    sorted[sorted.size() - 1 - outside]);  // despite rounding
}

}  // namespace thresh
