#include "data/labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "thresh/error.hpp"

namespace thresh {
namespace {

std::string list_labels(const Survey& survey) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(survey.labels.size(), 4); ++i) {
    text += fmt::format("{}{:g}", i == 0 ? "" : ", ", survey.labels[i].label);
  }
  return survey.labels.size() > 4 ? text + ", ..." : text;
}

}  // namespace

LabelMap LabelMap::of_classes(double negative, double positive) {
  LabelMap map;
  map.task_ = Task::classification;
  map.negative_ = negative;
  map.positive_ = positive;
  return map;
}

LabelMap LabelMap::from_positive(double positive) {
  LabelMap map;
  map.task_ = Task::classification;
  map.positive_ = positive;
  return map;
}

LabelMap LabelMap::from_survey(const Survey& survey, std::optional<double> positive) {
  if (survey.labels.empty()) throw Error("no rows");
  if (survey.labels.size() == 1) {
    throw Error(fmt::format("every row has the label {:g}: one class cannot be told from another",
                            survey.labels[0].label));
  }
  if (survey.labels.size() > 2) {
    throw Error(fmt::format("{}{} different labels ({}): two classes are needed",
                            survey.more_labels ? "more than " : "", survey.labels.size(),
                            list_labels(survey)));
  }
  const auto [low, high] = std::minmax(survey.labels[0].label, survey.labels[1].label);
  if (!positive) return of_classes(low, high);
  if (*positive != low && *positive != high) {
    throw Error(fmt::format("no row has the label --positive {:g}; there are {}", *positive,
                            list_labels(survey)));
  }
  return of_classes(*positive == high ? low : high, *positive);
}

double LabelMap::target(double label) {
  if (task_ == Task::regression) return label;
  if (label == positive_) return 1;
  if (!negative_) negative_ = label;
  if (label == *negative_) return -1;
  throw Error(fmt::format("label {:g} is neither of the two classes {:g} and {:g}", label,
                          *negative_, positive_));
}

}  // namespace thresh
