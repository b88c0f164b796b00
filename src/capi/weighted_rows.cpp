#include "capi/weighted_rows.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "thresh/error.hpp"

namespace thresh::capi {
namespace {

double mean_of_positive(const std::vector<double>& weights) {
  double sum = 0;
  std::uint64_t counting = 0;
  for (const double weight : weights) {
    sum += weight;
    counting += weight > 0 ? 1 : 0;
  }
  const double mean = counting == 0 ? 0 : sum / static_cast<double>(counting);
  if (!std::isnormal(mean)) {
    throw UsageError(mean == 0 ? "no weight is above zero"
                               : "the weights are too far from 1 to be compared");
  }
  return mean;
}

class WeightedRows : public RowSource {
 public:
  WeightedRows(std::shared_ptr<RowSource> rows, const std::vector<double>& weights)
      : rows_(std::move(rows)), weights_(weights), survey_(*rows_->survey()) {
    const double mean = mean_of_positive(weights);
    for (double& weight : weights_) weight /= mean;
    survey_.weighted = true;
  }
  BlockPtr block(std::size_t k) override {
    const BlockPtr block = rows_->block(k);
    if (!block) return nullptr;
    auto weighted = std::make_shared<RowBlock>(*block);
    weighted->weights.clear();
    for (const std::uint64_t row : block->ids) weighted->weights.push_back(weights_.at(row));
    return weighted;
  }
  const Survey* survey() const override { return &survey_; }
  std::string name() const override { return rows_->name(); }

 private:
  std::shared_ptr<RowSource> rows_;
  std::vector<double> weights_;
  Survey survey_;
};

}  // namespace

void check_weights(const std::vector<double>& weights, std::uint64_t rows) {
  if (weights.size() != rows) {
    throw UsageError(fmt::format("{} weights for {} rows", weights.size(), rows));
  }
  for (std::size_t row = 0; row < weights.size(); ++row) {
    if (std::isfinite(weights[row]) && weights[row] >= 0) continue;
    throw UsageError(fmt::format("row {}: weight is not a finite number >= 0", row));
  }
}

std::shared_ptr<RowSource> weighted_rows(std::shared_ptr<RowSource> rows,
                                         const std::vector<double>& weights) {
  if (weights.empty()) return rows;
  return std::make_shared<WeightedRows>(std::move(rows), weights);
}

}  // namespace thresh::capi
