// Base-2 exponents, and what of a dot product they leave out (Xie et al., section 4.3).
//
// The exponent of a number is the power of two just not above its magnitude: 0 for 1, -1 for 0.9.
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
  // Not more than 51 below the largest: what a double's sum still notices, as the paper has it.
  std::uint64_t within = 0;

  double mean() const;
  double deviation() const;  // of the numbers at hand, not an estimate for others
};

// Of the model's weights. Each class has a largest exponent of its own, as it has its own sums.
Exponents exponents_of(const Model& model);

// Terms w_j x_ij that adding to the largest term of their sum would leave without effect.
struct Absorbed {
  std::uint64_t terms = 0;   // of features that have a weight
  double mass = 0;           // sum of |x_ij| over them, in units of the largest
  std::uint64_t lost = 0;    // terms without effect
  double lost_mass = 0;      // theirs
  std::uint64_t beyond = 0;  // terms too large for the precision
  void add(const Absorbed& other);
};

struct ValueLook {
  Exponents values;              // of the data
  Absorbed in_double, in_float;  // of the model's sums, or of sums with equal weights
};
// `features` numbers the rows' features; without a model every weight is one. Values are measured
// in units of `largest`.
ValueLook look_at_values(RowSource& source, const Model* model, FeatureMap& features,
                         double largest, const Watch& watch = {});

}  // namespace thresh
