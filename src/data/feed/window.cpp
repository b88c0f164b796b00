#include "data/feed/window.hpp"

#include <fmt/format.h>

#include "sparse/random.hpp"

namespace thresh {

// Depends only on the row's number, or that of its group, not on the order of visits. By time, the
// latest rows are held out, and folds are consecutive periods.
bool RowView::holds_out(std::uint64_t id) const {
  if (keys && keys->by_time()) {
    const double earlier = keys->times[id];
    if (folds == 0) return earlier >= 1 - holdout;
    return static_cast<std::uint64_t>(earlier * static_cast<double>(folds)) == fold;
  }
  if (keys) id = keys->groups[id];
  if (folds == 0) return Random(seed, id).uniform() < holdout;
  // Each of `folds` consecutive rows goes to another fold, so that folds have equal sizes.
  return (id + Random(seed, id / folds).below(folds)) % folds == fold;
}

void RowView::check_weights(const RowSource& source, bool weighted) const {
  if (!weights || !weighted) return;
  throw Error(source.name() + ": rows already have weights, so --weights cannot be used");
}

double RowView::weighed(const Row& row) const {
  const double own = weights ? weights->at(row.id) : row.weight;
  if (class_weights.empty()) return own;
  return own * class_weights[labels.class_labels().empty() ? (row.label > 0 ? 1 : 0)
                                                           : static_cast<std::size_t>(row.label)];
}

void RowView::throw_bad_label(const Row& row, const RowSource& source, std::uint64_t line,
                              const Error& error) {
  const std::string where = line == 0 ? fmt::format(" row {}", row.id) : fmt::format("{}", line);
  throw Error(fmt::format("{}:{}: {}", source.name(), where, error.what()));
}

}  // namespace thresh
