#include "cluster/slice_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "cluster/shares.hpp"
#include "cluster/words.hpp"
#include "sparse/largest.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

// A message: rows, non-zeros, accesses; the nodes of all rows; the number of entries of each row.
constexpr std::size_t kHead = 3;

// Magnitudes with their features, of all ranks.
std::vector<std::pair<double, std::uint64_t>> numbers_by_id(const std::vector<Message>& all) {
  std::vector<std::pair<double, std::uint64_t>> found;
  for (const Message& each : all) {
    for (std::size_t at = 0; at + 2 * kWordBytes <= each.size(); at += 2 * kWordBytes) {
      found.emplace_back(word_at<double>(each.data() + at),
                         word_at<std::uint64_t>(each.data() + at + kWordBytes));
    }
  }
  return found;
}

bool stays_before(const std::pair<double, std::uint64_t>& a,
                  const std::pair<double, std::uint64_t>& b) {
  return a.first != b.first ? a.first > b.first : a.second < b.second;
}

}  // namespace

SliceSums::SliceSums(std::uint64_t slices, const FeatureMap& features)
    : slices_(slices), first_(0), owned_(slices), features_(features), comm_(nullptr) {
  if (slices == 0 || slices > kMostSlices) {
    throw UsageError(fmt::format("--slices must be at least 1 and at most {}", kMostSlices));
  }
  const auto& share = features.share();
  if (!share) return;
  if (share->slices != slices) {
    throw UsageError(fmt::format("the rows were read for {} slices", share->slices));
  }
  first_ = share->first;
  owned_ = share->end - share->first;
  comm_ = share->comm;
  ranks_.resize(slices);
  for (std::size_t rank = 0; rank < comm_->size(); ++rank) {
    const Share other = share_of(rank, *comm_, slices);
    std::fill(ranks_.begin() + static_cast<std::ptrdiff_t>(other.first),
              ranks_.begin() + static_cast<std::ptrdiff_t>(other.end),
              static_cast<std::uint16_t>(rank));
  }
  find_nodes(0, slices);
}

void SliceSums::ensure_slots(std::size_t n) {
  slice_of_slot_.reserve(n);
  for (std::size_t slot = slice_of_slot_.size(); slot < n; ++slot) {
    const std::uint64_t id = features_.id(static_cast<std::uint32_t>(slot));
    slice_of_slot_.push_back(static_cast<std::uint16_t>(slice_of(id, slices_) - first_));
  }
}

void SliceSums::clear() {
  rows_ = 0;
  entries_.clear();
}

double* SliceSums::next_row(std::size_t entries) {
  entries_.push_back(entries);
  sums_.resize(std::max(sums_.size(), (rows_ + 1) * owned_));
  double* const sums = sums_.data() + rows_++ * owned_;
  std::fill(sums, sums + owned_, 0.0);
  return sums;
}

// The largest nodes of the tree whose slices are all here, in order.
void SliceSums::find_nodes(std::uint64_t begin, std::uint64_t end) {
  if (end <= first_ || begin >= first_ + owned_) return;
  if (ranks_[begin] == ranks_[end - 1]) {
    nodes_.push_back({begin - first_, end - first_});
    return;
  }
  const std::uint64_t middle = begin + (end - begin) / 2;
  find_nodes(begin, middle);
  find_nodes(middle, end);
}

// The rest of the tree, over the nodes of all ranks in order.
double SliceSums::sum_nodes(std::uint64_t begin, std::uint64_t end, const double*& next) const {
  if (ranks_[begin] == ranks_[end - 1]) return *next++;
  const std::uint64_t middle = begin + (end - begin) / 2;
  const double left = sum_nodes(begin, middle, next);
  return left + sum_nodes(middle, end, next);
}

void SliceSums::start(const OwnCounts& mine) {
  totals_.resize(rows_);
  row_entries_.swap(entries_);
  if (!shared()) {
    for (std::size_t i = 0; i < rows_; ++i) {
      totals_[i] = tree_sum(sums_.data() + i * owned_, owned_);
    }
    return;
  }
  message_.clear();
  for (const std::uint64_t head : {std::uint64_t{rows_}, mine.nonzeros, mine.accesses}) {
    put_word(head, message_);
  }
  for (std::size_t i = 0; i < rows_; ++i) {
    for (const Node& node : nodes_) {
      put_word(tree_sum(sums_.data() + i * owned_ + node.begin, node.end - node.begin), message_);
    }
    put_word(row_entries_[i], message_);
  }
  comm_->begin(message_);
}

void SliceSums::finish() {
  if (!shared()) return;
  comm_->finish(all_);
  take(all_);
}

void SliceSums::take(const std::vector<Message>& all) {
  const std::size_t rows = totals_.size();
  others_ = {};
  std::vector<const std::byte*> at;  // where the next number of each rank is
  std::vector<std::size_t> nodes;    // of each rank, per row
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const std::size_t words = all[rank].size() / kWordBytes;
    const bool whole = all[rank].size() % kWordBytes == 0 && words >= kHead;
    if (!whole || word_at<std::uint64_t>(all[rank].data()) != rows ||
        (rows > 0 && (words - kHead) % rows != 0)) {
      throw Error(fmt::format("{} is at another place of the training", comm_->name_of(rank)));
    }
    nodes.push_back(rows > 0 ? (words - kHead) / rows - 1 : 0);
    if (rank != comm_->rank()) {
      others_.nonzeros += word_at<std::uint64_t>(all[rank].data() + kWordBytes);
      others_.accesses += word_at<std::uint64_t>(all[rank].data() + 2 * kWordBytes);
    }
    at.push_back(all[rank].data() + kHead * kWordBytes);
  }
  for (std::size_t i = 0; i < rows; ++i) {
    row_nodes_.clear();
    row_entries_[i] = 0;
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      for (std::size_t k = 0; k < nodes[rank]; ++k, at[rank] += kWordBytes) {
        row_nodes_.push_back(word_at<double>(at[rank]));
      }
      row_entries_[i] += word_at<std::uint64_t>(at[rank]);
      at[rank] += kWordBytes;
    }
    const double* next = row_nodes_.data();
    totals_[i] = sum_nodes(0, slices_, next);
  }
}

void SliceSums::dots(const WeightArray& weights, std::span<const Row> rows,
                     std::vector<double>& dots) {
  weights.viewed([&](const auto& view) {
    for_each_row(
        rows.size(), [&](std::size_t i) { add(view, rows[i]); },
        [&](std::size_t, double dot) { dots.push_back(dot); });
  });
}

std::uint64_t SliceSums::everywhere(std::uint64_t mine) {
  return on_all_ranks(features_, mine);
}

std::vector<Message> SliceSums::all(const Message& mine) const {
  std::vector<Message> all = {mine};
  if (shared()) comm_->exchange(mine, all);
  return all;
}

void keep_largest_anywhere(const FeatureMap& features, std::uint64_t k,
                           std::span<const std::uint32_t> slots, std::span<double> weights) {
  keep_largest(weights, k);  // of the others none can stay
  if (!features.share()) return;
  Message mine;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (weights[j] == 0) continue;
    put_word(std::fabs(weights[j]), mine);
    put_word(features.id(slots[j]), mine);
  }
  std::vector<Message> all;
  features.share()->comm->exchange(mine, all);
  std::vector<std::pair<double, std::uint64_t>> found = numbers_by_id(all);
  if (found.size() <= k) return;
  const auto first_to_go = found.begin() + static_cast<std::ptrdiff_t>(k);
  std::nth_element(found.begin(), first_to_go, found.end(), stays_before);
  for (std::size_t j = 0; j < weights.size(); ++j) {
    const std::pair<double, std::uint64_t> here(std::fabs(weights[j]), features.id(slots[j]));
    if (!stays_before(here, *first_to_go)) weights[j] = 0;
  }
}

std::uint64_t SliceSums::smallest_here(std::uint64_t n, const Message& mine) const {
  std::vector<std::pair<double, std::uint64_t>> found = numbers_by_id(all(mine));
  if (n == 0) return 0;
  if (found.size() <= n) return mine.size() / (2 * kWordBytes);
  const auto last_to_go = found.end() - static_cast<std::ptrdiff_t>(n);
  std::nth_element(found.begin(), last_to_go, found.end(), stays_before);
  std::uint64_t here = 0;
  for (const auto& each : numbers_by_id({mine})) {
    here += static_cast<std::uint64_t>(!stays_before(each, *last_to_go));
  }
  return here;
}

double SliceSums::largest(double mine) const {
  Message message;
  put_word(mine, message);
  double largest = 0;
  for (const Message& each : all(message)) {
    largest = std::max(largest, word_at<double>(each.data()));
  }
  return largest;
}

void add_up_on_all_ranks(const FeatureMap& features, std::span<std::uint64_t> counts) {
  if (!features.share()) return;
  std::vector<Message> all;
  features.share()->comm->exchange(std::as_bytes(counts), all);
  std::fill(counts.begin(), counts.end(), 0);
  for (const Message& each : all) {
    if (each.size() != counts.size_bytes()) throw Error("ranks are at different places");
    for (std::size_t i = 0; i < counts.size(); ++i) {
      counts[i] += word_at<std::uint64_t>(each.data() + i * kWordBytes);
    }
  }
}

std::uint64_t on_all_ranks(const FeatureMap& features, std::uint64_t mine) {
  add_up_on_all_ranks(features, {&mine, 1});
  return mine;
}

}  // namespace thresh
