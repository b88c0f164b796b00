#include "train/score.hpp"

#include <cmath>

#include "sparse/kernels.hpp"

namespace thresh {
namespace {

// The margins of all rows, class by class if there are more than two.
void find_margins(const Solver& solver, std::span<const Row> rows, std::vector<double>& margins) {
  margins.clear();
  const auto add = [&](const LinearState& state) {
    for (const Row& row : rows) {
      margins.push_back(dot(state.weights.data(), row) + state.intercept);
    }
  };
  if (solver.parts().empty()) add(solver.state());
  for (const auto& part : solver.parts()) add(part->state());
}

// Whether the class with the largest margin, the first of equals, is not the row's.
bool wrong_class(const std::vector<double>& margins, std::size_t rows, std::size_t row,
                 double label) {
  std::size_t best = 0;
  for (std::size_t c = 1; c * rows < margins.size(); ++c) {
    if (margins[c * rows + row] > margins[best * rows + row]) best = c;
  }
  return static_cast<double>(best) != label;
}

}  // namespace

Score score(Solver& solver, const std::shared_ptr<RowSource>& source, const RowView& view) {
  solver.settle();
  const bool classify = view.labels.task() == Task::classification;
  const bool many = !solver.parts().empty();
  Score total;
  std::vector<double> margins;
  for_each_window(source, view, [&](const Window& window) {
    solver.ensure_slots(window.slot_end);
    find_margins(solver, window.rows, margins);
    for (std::size_t i = 0; i < window.rows.size(); ++i) {
      const Row& row = window.rows[i];
      double miss = 0;
      if (many) {
        miss = wrong_class(margins, window.rows.size(), i, row.label) ? 1 : 0;
      } else if (classify) {
        miss = (margins[i] > 0) != (row.label > 0) ? 1 : 0;
      } else {
        miss = (margins[i] - row.label) * (margins[i] - row.label);
      }
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
