// What a label means to a solver, and what a solver's answer means to the user.
#pragma once

#include <optional>

#include "thresh/options.hpp"
#include "thresh/rows.hpp"

namespace thresh {

// Two classes become -1 and +1, the larger label +1; regression targets stay as they are.
class LabelMap {
 public:
  static LabelMap regression() { return {}; }
  // The two classes of a survey, or an Error that says why they are not two.
  static LabelMap from_survey(const Survey& survey, std::optional<double> positive);
  // For a pipe read once: this label is +1, the first other one -1, a third an Error.
  static LabelMap from_positive(double positive);
  static LabelMap of_classes(double negative, double positive);

  Task task() const { return task_; }
  // -1 or +1, or the target itself. Throws Error for a label that is neither class.
  double target(double label);
  double negative() const { return *negative_; }
  double positive() const { return positive_; }
  bool both_known() const { return task_ == Task::regression || negative_.has_value(); }

 private:
  Task task_ = Task::regression;
  double positive_ = 1;
  std::optional<double> negative_;
};

}  // namespace thresh
