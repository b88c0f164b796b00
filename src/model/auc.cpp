#include "model/auc.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <queue>

#include "model/metrics.hpp"
#include "thresh/error.hpp"

namespace thresh {

// Takes the entries in ascending order. A change of the margin closes a group of ties.
class ExactAuc::Sweep {
 public:
  void add(const Entry& entry) {
    if (entry.margin != margin_) close_ties();
    margin_ = entry.margin;
    (entry.weight > 0 ? tied_positives_ : tied_negatives_).add(std::abs(entry.weight));
  }

  std::optional<double> finish() {
    close_ties();
    const double pairs = positives_.value() * negatives_.value();
    if (!(pairs > 0)) return std::nullopt;
    return std::min(ordered_.value() / pairs, 1.0);
  }

  // Points so far hold what is below them. With the totals known, that is what is above.
  std::vector<CurvePoint> curve() const {
    const double positives = positives_.value(), negatives = negatives_.value();
    std::vector<CurvePoint> above = {{margin_, 0, 0}};
    for (auto point = below_.rbegin(); point != below_.rend(); ++point) {
      above.push_back({point->margin, positives - point->positives, negatives - point->negatives});
    }
    return above;
  }

 private:
  // Every stride-th change of the margin, so that few points remain of any number.
  void add_point() {
    if (changes_++ % stride_ != 0) return;
    if (below_.size() == 2 * kCurve - 1) {
      for (std::size_t i = 0; 2 * i < below_.size(); ++i) below_[i] = below_[2 * i];
      below_.resize((below_.size() + 1) / 2);
      stride_ *= 2;
      if ((changes_ - 1) % stride_ != 0) return;
    }
    below_.push_back({last_, positives_.value(), negatives_.value()});
  }

  void close_ties() {
    const double positives = tied_positives_.value();
    const double negatives = tied_negatives_.value();
    if (!(positives + negatives > 0)) return;
    add_point();
    ordered_.add(positives * negatives_.value());
    ordered_.add(positives * negatives / 2);
    positives_.add(positives);
    negatives_.add(negatives);
    last_ = margin_;
    tied_positives_ = tied_negatives_ = {};
  }

  double margin_ = 0;
  CompensatedSum tied_positives_, tied_negatives_;
  CompensatedSum positives_, negatives_;  // below the current ties
  CompensatedSum ordered_;                // weight of the correctly ordered pairs
  std::vector<CurvePoint> below_;
  std::uint64_t changes_ = 0, stride_ = 1;
  double last_ = -std::numeric_limits<double>::max();  // the highest margin below the current ties
};

// Reads one sorted chunk of the file, block by block.
class ExactAuc::RunReader {
 public:
  RunReader(const TempFile& file, uint64_t begin, uint64_t end, size_t block)
      : file_(&file), next_(begin), end_(end), block_(block) {
    refill();
  }

  bool done() const { return at_ == entries_.size(); }
  const Entry& front() const { return entries_[at_]; }
  void pop() {
    if (++at_ == entries_.size()) refill();
  }

 private:
  void refill() {
    entries_.resize(std::min<uint64_t>(block_, end_ - next_));
    at_ = 0;
    if (entries_.empty()) return;
    file_->pread(entries_.data(), entries_.size() * sizeof(Entry), next_ * sizeof(Entry));
    next_ += entries_.size();
  }

  const TempFile* file_;
  uint64_t next_, end_;  // in entries
  size_t block_;
  std::vector<Entry> entries_;
  size_t at_ = 0;
};

void ExactAuc::add(double margin, bool positive, double weight) {
  if (std::isnan(margin)) throw Error("margin is not a number");
  if (weight == 0) return;
  if (buffer_.size() == run_size_) spill();
  buffer_.push_back({margin, positive ? weight : -weight});
}

std::optional<double> ExactAuc::finish() {
  Sweep sweep;
  if (spilled_) {
    merge_into(sweep);
  } else {
    std::sort(buffer_.begin(), buffer_.end());
    for (const Entry& entry : buffer_) sweep.add(entry);
  }
  const std::optional<double> auc = sweep.finish();
  if (auc) curve_ = sweep.curve();
  return auc;
}

void ExactAuc::spill() {
  std::sort(buffer_.begin(), buffer_.end());
  if (!spilled_) spilled_.emplace();
  spilled_->append(buffer_.data(), buffer_.size() * sizeof(Entry));
  buffer_.clear();
}

void ExactAuc::merge_into(Sweep& sweep) {
  spill();
  spilled_->flush();
  buffer_ = std::vector<Entry>();  // frees it: the blocks of all readers are as large together
  const uint64_t entries = spilled_->size() / sizeof(Entry);
  const uint64_t runs = (entries + run_size_ - 1) / run_size_;
  const size_t block = std::max<size_t>(1, run_size_ / runs);

  std::vector<RunReader> readers;
  readers.reserve(runs);
  for (uint64_t begin = 0; begin < entries; begin += run_size_) {
    readers.emplace_back(*spilled_, begin, std::min(begin + run_size_, entries), block);
  }
  // The queue holds the chunks with entries left, the one with the smallest front on top.
  const auto later = [](const RunReader* a, const RunReader* b) { return b->front() < a->front(); };
  std::priority_queue<RunReader*, std::vector<RunReader*>, decltype(later)> queue(later);
  for (RunReader& reader : readers) queue.push(&reader);
  while (!queue.empty()) {
    RunReader* reader = queue.top();
    queue.pop();
    sweep.add(reader->front());
    reader->pop();
    if (!reader->done()) queue.push(reader);
  }
}

}  // namespace thresh
