// Base-2 exponents, and which terms of a dot product are lost (Xie et al., section 4.3).
//
// The exponent of x is the largest e with 2^e <= |x|: 0 for 1, -1 for 0.9.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "diagnose/passes.hpp"
#include "thresh/model.hpp"

namespace thresh {

struct Exponents {
  std::map<int, std::uint64_t> counts;
  std::uint64_t total = 0;
  // At most 51 below the largest: the terms that affect a sum of doubles, according to the paper.
  std::uint64_t within = 0;

  double mean() const;
  double deviation() const;  // population, not sample, deviation
};

// The exponents of the model's weights. Each class has its own largest exponent and sums.
Exponents exponents_of(const Model& model);

// Terms w_j x_ij that have no effect when added to the largest term of their sum.
struct Absorbed {
  std::uint64_t terms = 0;   // of features with a weight
  double mass = 0;           // sum of their |x_ij|, in units of the largest
  std::uint64_t lost = 0;    // terms without effect
  double lost_mass = 0;      // their mass
  std::uint64_t beyond = 0;  // terms that overflow the precision
  void add(const Absorbed& other);
};

struct ValueStats {
  Exponents values;              // of the data
  Absorbed in_double, in_float;  // for the model's sums, or with equal weights
};
// `features` maps the rows' features. Without a model every weight is 1. Values are in units of
// `largest`.
ValueStats measure_values(RowSource& source, const Model* model, FeatureMap& features,
                          double largest, const Watch& watch = {});

}  // namespace thresh
