// What a label means to a solver, and what a solver's answer means to the user.
#pragma once

#include <optional>
#include <vector>

#include "thresh/options.hpp"
#include "thresh/rows.hpp"

namespace thresh {

// Two classes become -1 and +1, the larger label +1; more become 0, 1, ... in ascending order of
// their labels; regression targets stay as they are.
class LabelMap {
 public:
  static LabelMap regression() { return {}; }
  // The classes of a survey, or an Error that says why they are none.
  static LabelMap from_survey(const Survey& survey, std::optional<double> positive);
  // For a pipe read once: this label is +1, the first other one -1, a third an Error.
  static LabelMap from_positive(double positive);
  static LabelMap of_classes(double negative, double positive);
  static LabelMap of_many(std::vector<double> labels);

  Task task() const { return task_; }
  // More than two classes, ascending; empty otherwise.
  const std::vector<double>& many() const { return many_; }
  // What the label means to a solver, see above. Throws Error for a label of no class.
  double target(double label) {
    const bool known = negative_ && ((label == positive_) | (label == *negative_));
    // Not a branch, which nobody could predict.
    return known ? 2 * static_cast<double>(label == positive_) - 1 : other_target(label);
  }
  double negative() const { return *negative_; }
  double positive() const { return positive_; }
  bool both_known() const {
    return task_ == Task::regression || negative_.has_value() || !many_.empty();
  }

 private:
  double other_target(double label);

  Task task_ = Task::regression;
  double positive_ = 1;
  std::optional<double> negative_;
  std::vector<double> many_;
};

// Whether labels are so many, for the rows there are, that they are hardly classes.
bool look_like_values(const Survey& survey);

}  // namespace thresh
