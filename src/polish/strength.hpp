// The strength of a ridge that has the lowest loss, or residuals, on held-out rows.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "polish/ridge.hpp"

namespace thresh {

// The ridge 10^(k/2).
double ridge_at(int k);
int strength_of(double ridge);  // k, the nearest one
inline constexpr int kUsualStrength = 0;
inline constexpr int kWeakest = -12, kStrongest = 8;

// One class: the rows to fit and those to judge.
struct HeldOutFit {
  RidgeProblem train;
  RidgeProblem held_out;
  bool by_residuals = false;        // for regression: one extreme row must not decide
  std::vector<double> shares = {};  // by column: the ridge is divided by it; empty: by 1
  std::size_t merged = 0;           // how many fewer rows `train` has, since equal ones are one

  RidgeModel fit(double ridge, RidgeModel start, const FitEnd& end = {}) const;

  // Rows to fit, each of those that are merged counted.
  std::size_t rows() const { return train.rows() + merged; }
  // Of the held-out rows.
  std::vector<double> row_scores(const RidgeModel& model) const {
    return by_residuals ? held_out.residuals(model) : held_out.losses(model);
  }
  // The optimum of many rows is uncertain by more than a rough fit: choices need no exact ones.
  bool has_many_rows() const;
};

// The sum of the scores of all classes, by held-out row.
std::vector<double> row_scores(std::span<const HeldOutFit> classes,
                               std::span<const RidgeModel> models);

// The models of all classes, or a single one, with one ridge.
struct StrengthFit {
  double ridge = 0;
  std::vector<RidgeModel> models;  // by class
  double held_out = 0;             // sum of the scores
};

// Walks through the ridges 10^(k/2), from `first` in the direction that lowers the held-out score
// of all classes together, until it rises, or with many rows hardly falls any more. Neighbours
// start from each other's weights.
StrengthFit best_strength(std::span<const HeldOutFit> classes, std::vector<RidgeModel> start,
                          int first = kUsualStrength);

}  // namespace thresh
