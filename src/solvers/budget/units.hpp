// What values and targets are measured in, so that neither's scale matters.
#pragma once

namespace thresh {

struct Units {
  double value = 1;                                 // a value is multiplied by this,
  double target = 1;                                // a target of regression divided by that
  double weight() const { return value * target; }  // and a weight multiplied by both
};

}  // namespace thresh
