// GraDes step by step, as in figures 1 to 4 of Xie et al.:
//
//     w <- D_J (w + (1/gamma) X'(y - Xw)),  J the k largest magnitudes; w = 0 at first
//
// with the spectral radius of D_J (I - X'X/gamma) and the potential |y - Xw|^2 / 2 after each step.
// Before the first step D_J is the identity. As in the paper, there is no intercept.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "data/feed/labels.hpp"
#include "diagnose/overview.hpp"
#include "diagnose/spectrum.hpp"

namespace thresh {

struct GradesOptions {
  std::uint64_t features = 0;   // k
  std::optional<double> gamma;  // none: the largest eigenvalue of X'X
  std::uint64_t steps = 10;
};

struct GradesStep {
  std::uint64_t nonzeros = 0;
  Radius radius;
  double log10_potential = 0;
};

struct GradesRun {
  Eigenvalue gamma;
  std::vector<GradesStep> steps;            // the first entry is the state before any step
  bool overflowed = false;                  // the next step had a number that is not finite
  std::vector<std::uint32_t> support = {};  // slots of the last J
};

GradesRun run_grades(RowSource& source, const Overview& overview, LabelMap labels,
                     const GradesOptions& options, const Watch& watch = {});

}  // namespace thresh
