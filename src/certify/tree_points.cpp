#include "certify/tree_points.hpp"

#include <algorithm>
#include <numeric>

#include "sparse/parallel.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

constexpr std::size_t kQuad = 4;                          // points that share a loop over entries
constexpr std::size_t kFirstPoints = 64;                  // of the first pass, which is timed
constexpr std::size_t kMostPoints = 512;                  // of a pass
constexpr std::size_t kPassBytes = std::size_t{1} << 27;  // for the points of a pass
constexpr double kReadShare = 0.9;  // of the time that is left, for a new start

}  // namespace

// The entries of a window by column. Columns 0, 1, ... are the features that matter, then come
// others that points have weights for.
class TreePoints::Columns {
 public:
  Columns(const FeatureFacts& features, const std::vector<std::uint32_t>& slots,
          const std::vector<const SlotPoint*>& points) {
    places_.ensure(features.slot_end());
    for (const std::uint32_t slot : slots) places_[slot] = ++columns_;
    for (const SlotPoint* point : points) {
      for (const auto& [slot, weight] : point->weights) {
        if (slot < places_.size() && places_[slot] == 0) places_[slot] = ++columns_;
      }
    }
  }

  void take(const Window& window, const TrainingRows& rows, const SlopeSums& any) {
    y.clear();
    weights.clear();
    starts.assign(columns_ * SlopeSums::kParts + 1, 0);
    for (const Row& row : window.rows) {
      y.push_back(rows.target(row));
      weights.push_back(row.weight);
      const std::size_t part = any.part_of(y.back());
      for_each(row, part, [&](std::size_t to, double) { ++starts[to + 1]; });
    }
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    at.resize(starts.back());
    values.resize(starts.back());
    next_.assign(starts.begin(), starts.end() - 1);
    for (std::uint32_t i = 0; i < window.rows.size(); ++i) {
      for_each(window.rows[i], any.part_of(y[i]), [&](std::size_t from, double value) {
        const std::size_t to = next_[from]++;
        at[to] = i;
        values[to] = value;
      });
    }
  }
  // None if the feature does not occur.
  std::optional<std::size_t> column_of(std::uint32_t slot) const {
    if (slot >= places_.size() || places_[slot] == 0) return std::nullopt;
    return places_[slot] - std::size_t{1};
  }

  // Of the rows.
  std::vector<double> y, weights;
  // The entries of column j in rows of part p begin at starts[j kParts + p].
  std::vector<std::size_t> starts;
  std::vector<std::uint32_t> at;
  std::vector<double> values;

 private:
  template <class Visit>
  void for_each(const Row& row, std::size_t part, const Visit& visit) const {
    for (std::size_t k = 0; k < row.size; ++k) {
      const std::uint32_t place = places_[row.slots[k]];
      if (place > 0) visit((place - std::size_t{1}) * SlopeSums::kParts + part, row.values[k]);
    }
  }

  ZeroedArray<std::uint32_t> places_;  // by slot: the column and 1
  std::uint32_t columns_ = 0;
  std::vector<std::size_t> next_;
};

// Some points. Each of their sums adds rows in the order of the rows, as PointSums does.
class TreePoints::Quad {
 public:
  Quad(const TreePoints& all, const SlotPoint* const* points, std::size_t size)
      : all_(all),
        points_(points, points + size),
        sums_(kQuad, SlopeSums(all.features_.problem().loss)),
        pulls_(all.slots_.size() * SlopeSums::kParts * kQuad) {}

  void add(const Columns& columns) {
    const std::size_t rows = columns.y.size();
    std::vector<Real> slopes(rows * kQuad);
    for (std::size_t p = 0; p < points_.size(); ++p) {
      for (std::size_t i = 0; i < rows; ++i) slopes[i * kQuad + p] = points_[p]->intercept;
      add_margins(columns, p, slopes);
      for (std::size_t i = 0; i < rows; ++i) {
        Real& slope = slopes[i * kQuad + p];
        slope = sums_[p].add(slope, columns.y[i], columns.weights[i]);
      }
    }
    for (std::size_t j = 0; j < all_.slots_.size() * SlopeSums::kParts; ++j) {
      Real* const to = &pulls_[j * kQuad];
      Real sums[kQuad] = {to[0], to[1], to[2], to[3]};
      for (std::size_t k = columns.starts[j]; k < columns.starts[j + 1]; ++k) {
        const Real* const slope = &slopes[columns.at[k] * kQuad];
        const Real x = columns.values[k];
        for (std::size_t p = 0; p < kQuad; ++p) sums[p] += slope[p] * x;
      }
      std::copy(sums, sums + kQuad, to);
    }
  }

  PointFacts facts(std::size_t p) const {
    return sums_[p].facts(
        all_.features_, all_.slots_, [&](std::size_t k) { return all_.scales_[k]; },
        [&](std::size_t k, std::size_t part) {
          return pulls_[(k * SlopeSums::kParts + part) * kQuad + p];
        });
  }

 private:
  // Weights come in the order of a row's entries, so margins have the same digits.
  void add_margins(const Columns& columns, std::size_t p, std::vector<Real>& margins) const {
    for (const auto& [slot, weight] : points_[p]->weights) {
      const std::optional<std::size_t> column = columns.column_of(slot);
      if (!column) continue;
      const std::size_t first = *column * SlopeSums::kParts;
      for (std::size_t k = columns.starts[first]; k < columns.starts[first + SlopeSums::kParts];
           ++k) {
        margins[columns.at[k] * kQuad + p] += Real(weight) * columns.values[k];
      }
    }
  }

  const TreePoints& all_;
  std::vector<const SlotPoint*> points_;
  std::vector<SlopeSums> sums_;
  std::vector<Real> pulls_;  // by slot, part and point
};

TreePoints::TreePoints(const FeatureFacts& features, const TrainingRows& rows,
                       const std::vector<BoundNode>& nodes, const std::vector<std::uint32_t>& slots,
                       const ProofLimits& limits)
    : features_(features), rows_(rows), nodes_(nodes), slots_(slots), limits_(limits) {
  for (const std::uint32_t slot : slots) scales_.push_back(features.scale_of(slot));
  const std::size_t bytes = (sizeof(Real) * SlopeSums::kParts + sizeof(FeatureGain)) *
                            std::max<std::size_t>(1, slots.size());
  most_ = std::clamp<std::size_t>(kPassBytes / bytes, kQuad, kMostPoints);
  for (const BoundNode& node : nodes) all_ += node.point ? 1 : 0;
}

std::shared_ptr<const PointFacts> TreePoints::facts_of(std::size_t node) {
  while (!read_.empty() && read_.front().first < node) read_.pop_front();
  if (read_.empty() || read_.front().first != node) read_from(node);
  return read_.front().second;
}

void TreePoints::check_limits() const {
  if (limits_.told) limits_.told(done_, all_);
  if (!limits_.until || done_ == 0 || done_ == all_) return;
  const auto seconds = [](auto time) { return std::chrono::duration<double>(time).count(); };
  const double spent = seconds(Clock::now() - start_), given = seconds(*limits_.until - start_);
  const double part = static_cast<double>(done_) / static_cast<double>(all_);
  const double needed = spent / part;
  // A little later is better than to begin again shortly before the end.
  if (needed <= given * (1 + part / 2)) return;
  // What was read is lost, so a new start has only what is left.
  const double left = kReadShare * std::max(0.0, given - spent);
  const auto points = static_cast<std::size_t>(left / needed * static_cast<double>(all_));
  throw ProofTooLarge{std::max(points, kFirstPoints)};
}

void TreePoints::read_from(std::size_t node) {
  check_limits();
  std::vector<std::size_t> numbers;
  std::vector<const SlotPoint*> points;
  const std::size_t most = done_ == 0 ? std::min(most_, kFirstPoints) : most_;
  for (; node < nodes_.size() && numbers.size() < most; ++node) {
    if (!nodes_[node].point) continue;
    numbers.push_back(node);
    points.push_back(&*nodes_[node].point);
  }
  Columns columns(features_, slots_, points);
  std::vector<Quad> quads;
  for (std::size_t p = 0; p < points.size(); p += kQuad) {
    quads.emplace_back(*this, &points[p], std::min(kQuad, points.size() - p));
  }
  const SlopeSums any(features_.problem().loss);
  for_each_window(rows_.source, rows_.view, [&](const Window& window) {
    if (limits_.stop != nullptr && *limits_.stop) throw Interrupted("interrupted");
    columns.take(window, rows_, any);
    parallel_for(quads.size(), [&](std::size_t q) { quads[q].add(columns); });
  });
  std::vector<std::shared_ptr<const PointFacts>> facts(points.size());
  parallel_for(points.size(), [&](std::size_t p) {
    facts[p] = std::make_shared<const PointFacts>(quads[p / kQuad].facts(p % kQuad));
  });
  read_.clear();
  for (std::size_t p = 0; p < points.size(); ++p) read_.emplace_back(numbers[p], facts[p]);
  done_ += points.size();
}

}  // namespace thresh
