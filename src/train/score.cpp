#include "train/score.hpp"

#include <cmath>

#include "sparse/kernels.hpp"

namespace thresh {

Score score(Solver& solver, const std::shared_ptr<RowSource>& source, const RowView& view) {
  const bool classify = view.labels.task() == Task::classification;
  const LinearState& state = solver.state();
  solver.settle();
  Score total;
  std::vector<double> margins;
  for_each_window(source, view, [&](const Window& window) {
    solver.ensure_slots(window.slot_end);
    margins.clear();
    for (const Row& row : window.rows) {
      const double margin = dot(state.weights.data(), row) + state.intercept;
      const double miss = classify ? static_cast<double>((margin > 0) != (row.label > 0))
                                   : (margin - row.label) * (margin - row.label);
      margins.push_back(margin);
      total.error += row.weight * miss;
      total.weight += row.weight;
    }
    total.loss += solver.loss(margins, window.rows);
  });
  if (total.weight > 0) {
    total.loss /= total.weight;
    total.error /= total.weight;
    if (!classify) total.error = std::sqrt(total.error);
  }
  return total;
}

}  // namespace thresh
