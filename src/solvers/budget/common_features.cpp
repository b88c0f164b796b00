#include "solvers/budget/common_features.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "cluster/slice_sums.hpp"
#include "cluster/words.hpp"
#include "solvers/budget/sparse_weights.hpp"
#include "solvers/budget/support_rows.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

std::vector<Message> from_all(const FeatureMap& features, Message mine) {
  if (!features.share()) return {std::move(mine)};
  std::vector<Message> all;
  features.share()->comm->exchange(mine, all);
  return all;
}

}  // namespace

void CommonFeatures::begin(const LinearState& own) {
  Message mine;
  own.for_each_weight([&](std::uint32_t slot, double weight) {
    put_word(features_.id(slot), mine);
    put_word(weight, mine);
  });
  std::vector<std::pair<std::uint64_t, double>> found;
  for (const Message& each : from_all(features_, std::move(mine))) {
    for (std::size_t at = 0; at + 2 * kWordBytes <= each.size(); at += 2 * kWordBytes) {
      found.emplace_back(word_at<std::uint64_t>(each.data() + at),
                         word_at<double>(each.data() + at + kWordBytes));
    }
  }
  std::sort(found.begin(), found.end());
  state_.weights.ensure(found.size());
  state_.intercept = own.intercept;
  for (std::size_t place = 0; place < found.size(); ++place) {
    state_.set(static_cast<std::uint32_t>(place), found[place].second);
  }
  own.for_each_weight([&](std::uint32_t slot, double) {
    const auto at = std::ranges::lower_bound(found, features_.id(slot), {},
                                             &std::pair<std::uint64_t, double>::first);
    own_.emplace_back(slot, static_cast<double>(at - found.begin()));
  });
  find_places();
}

void CommonFeatures::find_places() {
  place_of_slot_.clear();
  for (const auto& [slot, place] : own_) {
    if (slot >= place_of_slot_.size()) place_of_slot_.resize(slot + std::size_t{1}, Support::kNone);
    Archive::require(place >= 0 && place < static_cast<double>(size()));
    place_of_slot_[slot] = static_cast<std::uint32_t>(place);
  }
}

void CommonFeatures::publish(LinearState& own) const {
  for (const auto& [slot, place] : own_) {
    own.set(slot, state_.weights[static_cast<std::size_t>(place)]);
  }
  own.intercept = state_.intercept;
}

// Of each row: how many of its entries have places, and these.
Message CommonFeatures::message_of(std::span<const Row> rows) const {
  Message message;
  for (const Row& row : rows) {
    const std::size_t count_at = message.size();
    put_word(std::uint64_t{0}, message);
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < row.size; ++i) {
      const std::uint32_t slot = row.slots[i];
      const std::uint32_t place =
          slot < place_of_slot_.size() ? place_of_slot_[slot] : Support::kNone;
      if (place == Support::kNone) continue;
      put_word(std::uint64_t{place}, message);
      put_word(row.values[i], message);
      ++count;
    }
    std::memcpy(message.data() + count_at, &count, sizeof count);
  }
  return message;
}

void CommonFeatures::merge(std::span<const Row> rows, const std::vector<Message>& all) {
  rows_.assign(rows.begin(), rows.end());
  places_.clear();
  values_.clear();
  std::vector<std::size_t> at(all.size());  // where the next row of each rank is
  std::vector<std::pair<std::uint32_t, double>> entries;
  for (Row& row : rows_) {
    entries.clear();
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      const auto next = [&] {
        if (at[rank] + kWordBytes > all[rank].size()) {
          throw Error("ranks are at different places of the training");
        }
        return all[rank].data() + std::exchange(at[rank], at[rank] + kWordBytes);
      };
      for (auto left = word_at<std::uint64_t>(next()); left > 0; --left) {
        const auto place = static_cast<std::uint32_t>(word_at<std::uint64_t>(next()));
        entries.emplace_back(place, word_at<double>(next()));
      }
    }
    std::ranges::sort(entries, {}, &std::pair<std::uint32_t, double>::first);
    row.size = entries.size();
    for (const auto& [place, value] : entries) {
      places_.push_back(place);
      values_.push_back(value);
    }
  }
  std::size_t first = 0;
  for (Row& row : rows_) {
    row.slots = places_.data() + first;
    row.values = values_.data() + first;
    first += row.size;
  }
}

std::span<const Row> CommonFeatures::narrow(std::span<const Row> rows) {
  merge(rows, from_all(features_, message_of(rows)));
  return rows_;
}

// What is by place is the same on all ranks.
void CommonFeatures::archive(Archive& a) {
  std::vector<double> weights;
  for (std::size_t place = 0; place < size(); ++place) weights.push_back(state_.weights[place]);
  a(weights, state_.intercept);
  if (a.reads()) {
    state_.weights = WeightArray();
    state_.nonzeros = 0;
    state_.weights.ensure(weights.size());
    for (std::size_t place = 0; place < weights.size(); ++place) {
      state_.set(static_cast<std::uint32_t>(place), weights[place]);
    }
  }
  a.by_slot(own_, kUnlimited);
  if (a.reads()) find_places();
}

// Digit by digit: the bits of positive numbers are in their order.
double cut_anywhere(const FeatureMap& features, std::uint64_t n, std::span<const double> scores) {
  if (on_all_ranks(features, scores.size()) <= n) return 0;
  constexpr int kDigit = 11;
  constexpr int kDigits = 6;  // 64 bits, and two more
  std::uint64_t cut = 0;
  for (int digit = kDigits - 1; digit >= 0; --digit) {
    const int shift = digit * kDigit;
    const auto above = [&](std::uint64_t bits) {
      return digit == kDigits - 1 ? 0 : bits >> (shift + kDigit);
    };
    std::array<std::uint64_t, 1 << kDigit> counts{};
    for (const double score : scores) {
      const auto bits = std::bit_cast<std::uint64_t>(score);
      if (above(bits) == above(cut)) ++counts[bits >> shift & (counts.size() - 1)];
    }
    add_up_on_all_ranks(features, counts);
    std::uint64_t value = counts.size() - 1;
    for (; value > 0 && counts[value] <= n; --value) n -= counts[value];
    cut |= value << shift;
  }
  return std::bit_cast<double>(cut);
}

}  // namespace thresh
