// Every solver of the catalog with the options it needs, on data that make it defer much work.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "thresh/thresh.hpp"
#include "tools/problems.hpp"

namespace thresh {

inline const OptionInfo* option_of(const SolverInfo& info, const std::string& name) {
  for (const OptionInfo& option : info.options) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

inline Options options_for(const SolverInfo& info) {
  Options options;
  options.solver = info.name;
  options.passes = 3;
  options.lambda = 0.013;
  options.dim = 40;
  if (option_of(info, "radius") != nullptr) options.solver_options["radius"] = "1.7";
  if (info.budget == BudgetUse::required) options.features = 11;
  return options;
}

// Each solver with its defaults, and with batches if it supports them.
inline void for_each_way(const std::function<void(const SolverInfo&, const Options&)>& test) {
  for (const SolverInfo& info : solvers()) {
    const Options options = options_for(info);
    SCOPED_TRACE(info.name);
    test(info, options);
    for (const char* batch : {"0", "1", "7"}) {
      if (option_of(info, "batch") == nullptr) break;
      SCOPED_TRACE(std::string("--batch ") + batch);
      Options other = options;
      other.solver_options["batch"] = batch;
      test(info, other);
    }
  }
}

// Sparse, so that much work is deferred for long.
inline DenseProblem sparse_rows(std::size_t rows = 300) {
  return random_problem(rows, 40, 0.05, 5);
}

// The weights of a model with features counted from 1, zeros included.
inline std::vector<double> weights_of(const Model& model, std::size_t features) {
  std::vector<double> w(features);
  for (const Coefficient& c : model.coefficients) w.at(c.index - 1) = c.weight;
  return w;
}

inline std::uint64_t nonzeros_of(const Model& model) {
  for (const Coefficient& coefficient : model.coefficients) EXPECT_NE(coefficient.weight, 0);
  return model.coefficients.size();
}

}  // namespace thresh
