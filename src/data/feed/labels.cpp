#include "data/feed/labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "data/names/label_names.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

// Short, because a message does not need 17 digits.
std::string shown(const std::vector<std::string>& names, double label) {
  return names.empty() ? fmt::format("{:g}", label) : label_text(names, label);
}

std::string list_labels(const Survey& survey) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(survey.labels.size(), 4); ++i) {
    text += (i == 0 ? "" : ", ") + shown(survey.label_names, survey.labels[i].label);
  }
  return survey.labels.size() > 4 ? text + ", ..." : text;
}

constexpr std::size_t kMany = 20;  // classes

// Classes may have any numbers, but so many classes are hardly ever fractions.
bool are_values(const Survey& survey) {
  return survey.labels.size() > kMany &&
         std::any_of(survey.labels.begin(), survey.labels.end(), [](const LabelCount& count) {
           return count.label != std::floor(count.label);
         });
}

}  // namespace

bool look_like_values(const Survey& survey) {
  constexpr std::uint64_t kFewRows = 10;
  return are_values(survey) ||
         (survey.labels.size() > kMany && survey.rows < kFewRows * survey.labels.size());
}

std::string doubt_about_labels(const Survey& survey) {
  const std::size_t classes = survey.labels.size();
  if (classes <= 2) return "";
  if (look_like_values(survey)) {
    return fmt::format(
        "{} classes of {:.1f} rows: are the labels numbers to predict (--task regression)?",
        classes, static_cast<double>(survey.rows) / static_cast<double>(classes));
  }
  // A broken line, such as a line feed inside a text, makes a class of its own.
  constexpr std::uint64_t kEnoughRows = 50;
  for (const LabelCount& count : survey.labels) {
    if (count.rows > 1 || survey.rows < kEnoughRows) continue;
    return fmt::format("only one of {} rows has the label '{}': is it one of {} classes?",
                       survey.rows, shown(survey.label_names, count.label), classes);
  }
  return "";
}

LabelMap LabelMap::of_classes(std::optional<double> negative, double positive) {
  LabelMap map;
  map.task_ = Task::classification;
  map.negative_ = negative;
  map.positive_ = positive;
  return map;
}

LabelMap LabelMap::from_survey(const Survey& survey, std::optional<double> positive) {
  if (survey.labels.empty()) throw Error("no rows");
  if (survey.labels.size() == 1) {
    throw Error(fmt::format("every row has the label {}; classification needs at least two classes",
                            list_labels(survey)));
  }
  if (survey.more_labels) {
    throw Error(
        fmt::format("more than {} different labels ({}); to predict numbers, use --task regression",
                    survey.labels.size(), list_labels(survey)));
  }
  if (are_values(survey)) {
    throw Error(
        fmt::format("{} different labels that are not whole numbers ({}); to predict numbers, use "
                    "--task regression",
                    survey.labels.size(), list_labels(survey)));
  }
  if (survey.labels.size() > 2) {
    if (positive) throw Error("--positive applies only to two classes");
    std::vector<double> labels;
    for (const LabelCount& count : survey.labels) labels.push_back(count.label);
    return of_many(std::move(labels));
  }
  const auto [low, high] = std::minmax(survey.labels[0].label, survey.labels[1].label);
  if (!positive) return of_classes(low, high);
  if (*positive != low && *positive != high) {
    throw Error(fmt::format("--positive {}: no row has this label; the labels are {}",
                            shown(survey.label_names, *positive), list_labels(survey)));
  }
  return of_classes(*positive == high ? low : high, *positive);
}

LabelMap LabelMap::of_many(std::vector<double> labels) {
  LabelMap map;
  map.task_ = Task::classification;
  std::sort(labels.begin(), labels.end());
  map.class_labels_ = std::move(labels);
  return map;
}

double LabelMap::other_target(double label) {
  if (task_ == Task::regression) {
    if (!counts_ || label >= 0) return label;
    throw Error(fmt::format("label {:g} is negative, but --loss poisson needs counts", label));
  }
  if (!class_labels_.empty()) {
    const auto found = std::lower_bound(class_labels_.begin(), class_labels_.end(), label);
    if (found != class_labels_.end() && *found == label)
      return static_cast<double>(found - class_labels_.begin());
    throw Error(
        fmt::format("label {:g} is not one of the {} classes", label, class_labels_.size()));
  }
  if (label == positive_) return 1;
  if (!negative_) negative_ = label;
  if (label == *negative_) return -1;
  throw Error(fmt::format("label {:g} is neither of the two classes {:g} and {:g}", label,
                          *negative_, positive_));
}

}  // namespace thresh
