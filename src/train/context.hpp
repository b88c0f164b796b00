// What all parts of a run share: the problem, the options, what set_up() found, and how to warn.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "solvers/catalog.hpp"
#include "sparse/feature_map.hpp"
#include "thresh/fit.hpp"
#include "train/setup.hpp"

namespace thresh {

struct RunContext {
  const Problem& problem;
  const Options options;  // with the number of passes that the solver wants, if the user set none
  Observer& observer;
  const CatalogEntry& entry;
  RunSetup setup;
  std::vector<std::string> warnings = {};
  std::uint64_t all_steps = 0;  // of which --iterate random draws one; 0: not asked for
  std::uint64_t drawn_step = 0;
  double largest_value = 0;    // |x_ij| of all rows, measured unless --iterate last
  bool weighted_rows = false;  // some row's weight is not 1; likewise

  // Of more than two, else 0.
  std::size_t classes() const { return setup.training.labels.class_labels().size(); }
  // The number of weights that a model may have.
  std::uint64_t dimension() const {
    return setup.dimension * std::max<std::uint64_t>(1, classes());
  }
  // How many passes over the rows the run may make.
  std::uint64_t passes() const { return options.steps ? kUnlimited : options.passes; }
  // The step after which the run ends, if a step decides.
  std::optional<std::uint64_t> last_step() const {
    return drawn_step > 0 ? drawn_step : options.steps;
  }
  // The feature at a slot, by its number in the file.
  std::uint64_t index_of(std::uint32_t slot) const {
    return problem.features->id(slot) + (problem.zero_based ? 0 : 1);
  }

  void warn(std::string what) {
    observer.on_warning(what);
    warnings.push_back(std::move(what));
  }
  void warn_all(std::vector<std::string> what) {
    for (std::string& warning : what) warn(std::move(warning));
  }
};

}  // namespace thresh
