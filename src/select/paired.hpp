// Two models compared on the same rows.
#pragma once

#include <cstdint>
#include <vector>

#include "thresh/select.hpp"

namespace thresh {

// What a model is judged by. Always a number that should be small: 1 - AUC and 1 - F1.
enum class Measure { error, loss, auc, f1, rmse };

// A measure and the part of each row in it. The weighted mean of the parts is the value, and their
// spread is that of the value: for AUC, F1 and RMSE, which are not means, to first order.
struct Measured {
  double value = 0;
  std::vector<double> parts;
};
Measured measure(const RowScores& rows, Measure by);
// The same of a model on its held-out rows; without scores of single rows, its error or loss.
double score_of(const SizedResult& model, Measure by);

// What chooses between models of one size. For regression it is the mean |residual|, which a few
// extreme rows cannot decide, unless the loss was chosen for what it measures (`by_loss`).
inline Measure usual_measure(Task task, bool by_loss) {
  return task == Task::regression && !by_loss ? Measure::error : Measure::loss;
}
inline Measure usual_measure(const Frontier& frontier) {
  return usual_measure(frontier.task, frontier.by_loss);
}

inline bool loss_decides(const Options& options) {
  return options.loss && is_for_numbers(*options.loss);
}

struct Difference {
  double mean = 0;
  double se = 0;
};

// How much worse `a` is than `b` on the same rows. `repeats` scores of a row are not independent:
// they are added up if RowScores::ids tell which they are, else they count as equal.
Difference difference_of(const RowScores& a, const RowScores& b, Measure by, std::uint64_t repeats);

// Whether `a` makes fewer errors than `b` on the same rows, by more than two standard errors of the
// difference. False if the scores of single rows are not known.
bool has_fewer_errors(const SizedResult& a, const SizedResult& b, std::uint64_t repeats = 1);

}  // namespace thresh
