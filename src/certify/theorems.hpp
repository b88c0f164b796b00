// Checks whether the conditions of the theorems of Xie et al. held during training, and compares
// their guarantees with measurements.
//
// The training is repeated by independent code (replay.hpp). The paper sets eta = 1: weights,
// lambda and tau are divided by eta. An intercept is a feature equal to 1 that is never
// thresholded; it counts in R and in the norm of w.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "diagnose/finding.hpp"
#include "thresh/model.hpp"

namespace thresh {

struct TheoremInput {
  const Model& model;
  std::shared_ptr<RowSource> source;  // the training rows, with all features
  std::shared_ptr<FeatureMap> features;
  std::string weights_file;          // "" if none
  double delta = 0.05;               // of Theorem 3
  std::optional<double> test_error;  // measured on rows not used for training
};

Section theorem_findings(const TheoremInput& input);

}  // namespace thresh
