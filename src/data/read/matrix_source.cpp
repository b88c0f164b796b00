#include "data/read/matrix_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/read/block_pool.hpp"
#include "data/read/cutter.hpp"
#include "data/read/matrix_reader.hpp"
#include "data/read/sources.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

constexpr const char* kName = "rows in memory";

void check_lengths(const MatrixView& matrix) {
  const auto check = [&](std::span<const double> numbers, const char* what) {
    if (numbers.empty() || numbers.size() == matrix.rows) return;
    throw UsageError(
        fmt::format("{}: {} {} for {} rows", kName, numbers.size(), what, matrix.rows));
  };
  check(matrix.labels, "labels");
  check(matrix.weights, "weights");
}

// Throws UsageError unless labels and weights of these rows are valid.
void check_numbers(const MatrixView& matrix, std::uint64_t first_row) {
  check_lengths(matrix);
  for (std::size_t row = 0; row < matrix.labels.size(); ++row) {
    if (std::isfinite(matrix.labels[row])) continue;
    throw UsageError(fmt::format("row {}: label is not finite", row + first_row));
  }
  for (std::size_t row = 0; row < matrix.weights.size(); ++row) {
    if (std::isfinite(matrix.weights[row]) && matrix.weights[row] >= 0) continue;
    throw UsageError(fmt::format("row {}: weight is not a finite number >= 0", row + first_row));
  }
}

// Weights are relative to the mean of those above zero, see MeanWeight.
double checked_mean(double mean) {
  if (std::isnormal(mean)) return mean;
  throw UsageError(fmt::format(
      "{}: {}", kName,
      mean == 0 ? "no weight is above zero" : "the weights are too far from 1 to be compared"));
}

// Appends all but the entries of rows first .. last - 1 whose first one has the number `id`.
void append_facts(const MatrixView& matrix, std::uint64_t first, std::uint64_t last,
                  std::uint64_t id, RowBlock& block) {
  block.dimension = std::max(block.dimension, matrix.columns);
  for (std::uint64_t row = first; row < last; ++row) {
    block.labels.push_back(matrix.labels.empty() ? 0 : matrix.labels[row]);
    block.ids.push_back(id++);
    if (!matrix.weights.empty()) block.weights.push_back(matrix.weights[row]);
  }
}

class MatrixSource : public RowSource {
 public:
  MatrixSource(const MatrixView& matrix, bool normalize, std::shared_ptr<FeatureMap> features,
               MatrixCheck check)
      : matrix_(matrix),
        normalize_(normalize),
        features_(std::move(features)),
        reader_(matrix_reader(matrix, 0, check)) {
    check_numbers(matrix, 0);
    BlockRule rule;
    for (std::uint64_t row = 0; row < matrix.rows; ++row) {
      if (rule.full()) {
        firsts_.push_back(row);
        rule = {};
      }
      rule.add(0, reader_->entries(row), true);
    }
    firsts_.push_back(matrix.rows);
    survey_.rows = matrix.rows;
    survey_.blocks = matrix.rows == 0 ? 0 : firsts_.size() - 1;
    survey_.dimension = matrix.columns;
    survey_.weighted = !matrix.weights.empty();
    survey_.label_names = matrix.label_names;
    for (const double label : matrix.labels) survey_.count_label(label);
    mean_weight_ = mean_weight();
  }

  BlockPtr block(std::size_t k) override {
    if (k >= survey_.blocks) return nullptr;
    const std::shared_ptr<RowBlock> block = pool_.take_empty();
    const std::uint64_t first = firsts_[k], last = firsts_[k + 1];
    if (!reader_->lend(first, last, normalize_, *features_, *block)) {
      reader_->append(first, last, normalize_, *features_, *block);
    }
    append_facts(matrix_, first, last, first, *block);
    for (double& weight : block->weights) weight /= mean_weight_;
    return block;
  }
  const Survey* survey() const override { return &survey_; }
  std::string name() const override { return kName; }
  bool rereads_fast() const override { return true; }

 private:
  double mean_weight() const {
    if (matrix_.weights.empty()) return 1;
    MeanWeight weights;
    for (const double weight : matrix_.weights) {
      weights.sum += weight;
      weights.counting_rows += weight > 0 ? 1 : 0;
    }
    return checked_mean(weights.counting_rows == 0 ? 0 : weights.mean());
  }

  MatrixView matrix_;
  bool normalize_;
  std::shared_ptr<FeatureMap> features_;
  std::unique_ptr<MatrixReader> reader_;
  BlockPool pool_{2 * kBlockEntries};
  std::vector<std::uint64_t> firsts_{0};  // first row of each block, and the end
  Survey survey_;
  double mean_weight_ = 1;
};

// Blocks of batches as they come. Where a batch ends does not matter.
class BatchStream : public RowSource {
 public:
  BatchStream(const NextBatch& next, bool normalize, std::shared_ptr<FeatureMap> features)
      : next_(next), normalize_(normalize), features_(std::move(features)) {}

  BlockPtr block(std::size_t) override {
    auto block = std::make_shared<RowBlock>();
    BlockRule rule;
    while (!rule.full() && fill()) {
      const std::uint64_t first = row_;
      while (row_ < batch_->rows && !rule.full()) rule.add(0, reader_->entries(row_++), true);
      reader_->append(first, row_, normalize_, *features_, *block);
      append_facts(*batch_, first, row_, seen_, *block);
      seen_ += row_ - first;
    }
    block->lines.resize(block->rows());  // there are none, but a spool stores them
    return block->rows() > 0 ? block : nullptr;
  }
  const Survey* survey() const override { return nullptr; }
  std::string name() const override { return kName; }
  const std::vector<std::string>& label_names() const { return label_names_; }

 private:
  // Whether there is a row that no block has.
  bool fill() {
    while (!batch_ || row_ == batch_->rows) {
      std::optional<MatrixView> batch = next_();
      if (!batch) return false;
      if (batch_ && batch->columns != batch_->columns) {
        throw UsageError(fmt::format("a batch has {} columns, but the first one has {}",
                                     batch->columns, batch_->columns));
      }
      if (batch_ && batch->weights.empty() != batch_->weights.empty() && batch->rows > 0) {
        throw UsageError("only some of the batches have weights");
      }
      if (batch->labels.empty() && batch->rows > 0) throw UsageError("a batch has no labels");
      check_numbers(*batch, seen_);
      reader_ = matrix_reader(*batch, seen_);
      batch_ = std::move(batch);
      label_names_ = batch_->label_names;
      row_ = 0;
    }
    return true;
  }

  const NextBatch& next_;
  bool normalize_;
  std::shared_ptr<FeatureMap> features_;
  std::optional<MatrixView> batch_;
  std::unique_ptr<MatrixReader> reader_;
  std::uint64_t row_ = 0;   // next of the batch
  std::uint64_t seen_ = 0;  // of all batches
  std::vector<std::string> label_names_;
};

// Batches that were spooled, with relative weights.
class BatchSource : public RowSource {
 public:
  explicit BatchSource(BatchStream& stream)
      : spool_(stream), mean_weight_(checked_mean(spool_.mean_weight())) {
    spool_.name_labels(stream.label_names());
  }
  BlockPtr block(std::size_t k) override {
    const std::shared_ptr<RowBlock> block = spool_.read(k);
    if (!block) return nullptr;
    block->lines.clear();
    for (double& weight : block->weights) weight /= mean_weight_;
    return block;
  }
  const Survey* survey() const override { return spool_.survey(); }
  std::string name() const override { return kName; }

 private:
  SpooledSource spool_;
  double mean_weight_;
};

}  // namespace

std::shared_ptr<RowSource> matrix_rows(const MatrixView& matrix, bool normalize_l2,
                                       std::shared_ptr<FeatureMap> features, MatrixCheck check) {
  return std::make_shared<MatrixSource>(matrix, normalize_l2, std::move(features), check);
}

std::shared_ptr<RowSource> batch_rows(const NextBatch& next, bool normalize_l2,
                                      std::shared_ptr<FeatureMap> features) {
  BatchStream stream(next, normalize_l2, std::move(features));
  return std::make_shared<BatchSource>(stream);
}

}  // namespace thresh
