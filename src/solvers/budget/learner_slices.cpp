// What a learner does with --slices, in one process or on several ranks.

#include <memory>

#include "solvers/budget/learner.hpp"

namespace thresh {

// Sets the weights of the next rows.
void BudgetLearner::weigh(std::span<const Row> rows) {
  row_weights_.clear();
  const std::uint64_t first = state_.t + 1;
  const bool sums = sums_ && !rows.empty() && !long_rows_.all_are_short(first);
  if (sums) {
    sums_->clear();
    for (const Row& row : rows) {
      sums_->add_terms(row.size, [&](const auto& add) {
        for (std::size_t i = 0; i < row.size; ++i) {
          const double value = row.values[i] * units_.value;
          add(row.slots[i], value * value);
        }
      });
    }
    sums_->total({state_.nonzeros, state_.accesses});
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    row_weights_.push_back(sums ? long_rows_.weight_of(rows[i], first + i, (*sums_)[i])
                                : long_rows_.weight_of(rows[i], first + i));
  }
}

// An exchange, if other ranks have some of the slices.
double BudgetLearner::sliced_dot(const Row& row) {
  sums_->clear();
  state_.weights.viewed([&](const auto& weights) { sums_->add(weights, row); });
  sums_->total({state_.nonzeros, state_.accesses});
  return (*sums_)[0];
}

// The thresholds have done their work.
void BudgetLearner::give_places() {
  if (!sums_ || common_) return;
  common_ = std::make_unique<CommonFeatures>(*features_);
  common_->begin(state_);
}

void BudgetLearner::archive_common(Archive& a) {
  if (!sums_) return;
  bool has = common_ != nullptr;
  a(has);
  if (a.reads()) common_ = has ? std::make_unique<CommonFeatures>(*features_) : nullptr;
  if (has) a(*common_);
}

}  // namespace thresh
