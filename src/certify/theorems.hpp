// Whether the conditions of the theorems of Xie et al. held when a model was trained, and what they
// then promise, beside what was measured.
//
// The training is repeated by code of its own (replay.hpp). The paper sets eta = 1: weights, lambda
// and tau are divided by eta. An intercept is a feature equal to 1 that is never thresholded, and
// counts in R and in the norm of w.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "diagnose/finding.hpp"
#include "thresh/model.hpp"

namespace thresh {

struct TheoremInput {
  const Model& model;
  std::shared_ptr<RowSource> source;  // the rows it was trained on, all features in them
  std::shared_ptr<FeatureMap> features;
  std::string weights_file;          // "" if there is none
  double delta = 0.05;               // of Theorem 3
  std::optional<double> test_error;  // measured on rows that took no part in the training
};

Section theorem_findings(const TheoremInput& input);

}  // namespace thresh
