// Runs of `budget` on a file of rows, whose fits held-out rows choose.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "thresh/thresh.hpp"
#include "tools/error_of.hpp"
#include "tools/scratch.hpp"

namespace thresh {

class BudgetFits : public testing::Test {
 protected:
  Problem problem(const std::string& text) { return open_problem(dir.write("a.svm", text)); }
  static TrainOptions options(std::uint64_t features) {
    TrainOptions options;
    options.features = features;
    return options;
  }
  static FitResult searched(const Problem& problem, Options options,
                            std::vector<std::uint64_t> budgets) {
    options.budgets = std::move(budgets);
    options.holdout = 0.25;
    options.polish = true;
    return fit(problem, options);
  }
  static std::string refusal(const Problem& problem, const Options& options) {
    return refusal_of([&] { fit(problem, options); });
  }
  ScratchDir dir;
};

}  // namespace thresh
