// The threshold by blocks: Condat's sweep (2016) arranged for today's processors.
//
// The mean excess of any subset is a lower bound of theta. So the bound need not move with every
// value: a block of values is compared with one bound, those above it are appended without a
// branch, and the bound is then raised by the sum of all kept, which is known. When twice as many
// are kept as after the last time, those that have fallen below the bound are taken out.
//
// Cost: O(n) in practice, and near the speed of memory where few values survive.

#include "projection/threshold.hpp"

namespace thresh {
namespace {

class Filter {
 public:
  Filter(const Entries& entries, double radius, Candidates& kept)
      : radius_(radius), cut_(entries.floor), kept_(kept) {}

  void visit(std::span<const double> values) {
    const std::size_t before = kept_.size();
    if (!any_above(values)) return;
    kept_.append_above(values, cut_);
    add(kept_.values().subspan(before));
    raise();
    if (kept_.size() >= limit_) take_out();
  }

  // Until it hardly helps; a round is a pass over what is kept.
  void take_out() {
    std::size_t before = 0;
    do {
      before = kept_.size();
      kept_.keep_above(cut_);
      sum_ = size_ = 0;
      add(kept_.values());
      raise();
    } while (kept_.size() < before - before / 8);
    limit_ = std::max<std::size_t>(2 * kept_.size(), kEntryBlock);
  }

 private:
  bool any_above(std::span<const double> values) const {
    long long above = 0;
    for (const double v : values) above |= v > cut_;
    return above != 0;
  }

  // In four accumulators, which a processor adds to at once.
  void add(std::span<const double> values) {
    double sum[4] = {};
    double size[4] = {};
    std::size_t i = 0;
    for (; i + 4 <= values.size(); i += 4) {
      for (std::size_t lane = 0; lane < 4; ++lane) {
        sum[lane] += values[i + lane];
        size[lane] += std::fabs(values[i + lane]);
      }
    }
    for (; i < values.size(); ++i) {
      sum[0] += values[i];
      size[0] += std::fabs(values[i]);
    }
    sum_ += (sum[0] + sum[1]) + (sum[2] + sum[3]);
    size_ += (size[0] + size[1]) + (size[2] + size[3]);
  }

  void raise() {
    if (kept_.size() == 0) return;
    const auto count = static_cast<double>(kept_.size());
    cut_ = std::max(cut_, (sum_ - radius_ - kSlack * (size_ + radius_)) / count);
  }

  double radius_;
  double cut_;       // nothing at or below it is in the support
  double sum_ = 0;   // of the values kept
  double size_ = 0;  // of their magnitudes
  std::size_t limit_ = 1;
  Candidates& kept_;
};

}  // namespace

bool candidates_by_filter(const Entries& entries, double radius, Candidates& kept) {
  Filter filter(entries, radius, kept);
  double scratch[kEntryBlock];
  for (std::size_t at = 0; at < entries.values.size(); at += kEntryBlock) {
    const auto block = entries.block(at, scratch);
    if (block.empty()) return false;
    filter.visit(block);
  }
  if (kept.size() > 0) filter.take_out();
  return true;
}

}  // namespace thresh
