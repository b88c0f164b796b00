// The units of values and targets, which make the learner independent of their scale.
#pragma once

namespace thresh {

struct Units {
  double value = 1;                                 // values are multiplied by this
  double target = 1;                                // regression targets are divided by this
  double weight() const { return value * target; }  // weights are multiplied by both
};

}  // namespace thresh
