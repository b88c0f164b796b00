// Maps labels to targets of a solver, and predictions to labels.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "thresh/options.hpp"
#include "thresh/rows.hpp"

namespace thresh {

// Two classes become -1 and +1, the larger label +1. More become 0, 1, ... in ascending order of
// their labels. Regression targets do not change.
class LabelMap {
 public:
  static LabelMap regression() { return {}; }
  // The same for numbers that must not be negative.
  static LabelMap counts() {
    LabelMap map;
    map.counts_ = true;
    return map;
  }
  // The classes of a survey. Throws Error with the reason if the labels are not classes.
  static LabelMap from_survey(const Survey& survey, std::optional<double> positive);
  // Without a negative label, for input read once: the first other label is -1, a third is an
  // Error.
  static LabelMap of_classes(std::optional<double> negative, double positive);
  static LabelMap of_many(std::vector<double> labels);

  Task task() const { return task_; }
  bool are_counts() const { return counts_; }
  // More than two classes, ascending; empty otherwise.
  const std::vector<double>& class_labels() const { return class_labels_; }
  // The target of a label, see above. Throws Error for an unknown label.
  double target(double label) {
    const bool known = negative_ && ((label == positive_) | (label == *negative_));
    // No branch, because it would be mispredicted.
    return known ? 2 * static_cast<double>(label == positive_) - 1 : other_target(label);
  }
  double negative() const { return *negative_; }
  double positive() const { return positive_; }
  bool both_known() const {
    return task_ == Task::regression || negative_.has_value() || !class_labels_.empty();
  }

 private:
  double other_target(double label);

  Task task_ = Task::regression;
  double positive_ = 1;
  std::optional<double> negative_;
  bool counts_ = false;
  std::vector<double> class_labels_;
};

// Whether there are too many labels, for the number of rows, to be classes.
bool look_like_values(const Survey& survey);
// With more than two classes: why some label may not be one, for the user; "" if nothing is odd.
std::string doubt_about_labels(const Survey& survey);

}  // namespace thresh
