// Two labels become -1 and +1 and back again.
#include "data/feed/labels.hpp"

#include <gtest/gtest.h>

#include "sparse/random.hpp"
#include "tools/error_of.hpp"

namespace thresh::labels_law {
namespace {

Survey survey_with(const std::vector<double>& labels) {
  Survey survey;
  for (const double label : labels) survey.count_label(label);
  survey.rows = labels.size();
  return survey;
}

TEST(LabelMap, TheLargerOfAnyTwoLabelsIsPositive) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const double a = random.normal();
    const double b = random.below(2) == 0 ? random.normal() : -a;
    const double low = std::min(a, b);
    const double high = std::max(a, b);
    LabelMap map = LabelMap::from_survey(survey_with({a, b, a}), std::nullopt);
    EXPECT_EQ(map.task(), Task::classification);
    EXPECT_TRUE(map.both_known());
    EXPECT_EQ(map.target(high), 1);
    EXPECT_EQ(map.target(low), -1);
    EXPECT_EQ(map.positive(), high);
    EXPECT_EQ(map.negative(), low);
    LabelMap turned = LabelMap::from_survey(survey_with({a, b}), low);
    EXPECT_EQ(turned.target(low), 1);
    EXPECT_EQ(turned.target(high), -1);
    EXPECT_EQ(turned.negative(), high);
  }
}

TEST(LabelMap, ClassesAreNeeded) {
  const auto error = [](const Survey& survey, std::optional<double> positive = {}) {
    return error_of([&] { LabelMap::from_survey(survey, positive); });
  };
  EXPECT_EQ(error(survey_with({})), "no rows");
  EXPECT_EQ(error(survey_with({1, 1})),
            "every row has the label 1; classification needs at least two classes");
  EXPECT_EQ(error(survey_with({1, 2, 3}), 3), "--positive applies only to two classes");
  EXPECT_EQ(error(survey_with({1, 2}), 3),
            "--positive 3: no row has this label; the labels are 1, 2");
  Survey many;
  for (std::size_t i = 0; i <= Survey::kMaxLabels; ++i) many.count_label(static_cast<double>(i));
  EXPECT_EQ(error(many),
            "more than 1024 different labels (0, 1, 2, 3, ...); to predict numbers, use --task "
            "regression");
  Survey values;
  for (int i = 0; i < 20; ++i) values.count_label(i + 0.5);
  EXPECT_EQ(error(values), "");
  values.count_label(-3);
  EXPECT_EQ(error(values),
            "21 different labels that are not whole numbers (0.5, 1.5, 2.5, 3.5, ...); to predict "
            "numbers, use --task regression");
}

TEST(LabelMap, MoreThanTwoClassesAreNumberedByTheirLabels) {
  LabelMap map = LabelMap::from_survey(survey_with({5, -1, 3, 5, 3}), std::nullopt);
  EXPECT_EQ(map.class_labels(), (std::vector<double>{-1, 3, 5}));
  EXPECT_EQ(map.target(-1), 0);
  EXPECT_EQ(map.target(3), 1);
  EXPECT_EQ(map.target(5), 2);
  EXPECT_TRUE(map.both_known());
  EXPECT_EQ(error_of([&] { map.target(4); }), "label 4 is not one of the 3 classes");
}

TEST(LabelMap, APipesNegativeClassIsTheFirstOtherLabel) {
  LabelMap map = LabelMap::of_classes(std::nullopt, 2);
  EXPECT_FALSE(map.both_known());
  EXPECT_EQ(map.target(2), 1);
  EXPECT_FALSE(map.both_known());
  EXPECT_EQ(map.target(7), -1);
  EXPECT_TRUE(map.both_known());
  EXPECT_EQ(map.negative(), 7);
  EXPECT_EQ(map.target(2), 1);
  EXPECT_EQ(error_of([&] { map.target(0); }), "label 0 is neither of the two classes 7 and 2");
}

TEST(LabelMap, OtherLabelsThanTheModelsAreRefused) {
  LabelMap map = LabelMap::of_classes(0, 1);
  EXPECT_EQ(map.target(-0.0), -1);
  EXPECT_EQ(error_of([&] { map.target(-1); }), "label -1 is neither of the two classes 0 and 1");
}

TEST(LabelMap, TargetsOfRegressionStayAsTheyAre) {
  LabelMap map = LabelMap::regression();
  EXPECT_EQ(map.task(), Task::regression);
  EXPECT_TRUE(map.both_known());
  for (const double target : {-1.5, 0.0, 3e300}) EXPECT_EQ(map.target(target), target);
}

TEST(Survey, CountsLabelsInOrderOfAppearance) {
  const Survey survey = survey_with({3, 1, 3, -0.0, 0, 1, 3});
  ASSERT_EQ(survey.labels.size(), 3u);
  EXPECT_EQ(survey.labels[0].label, 3);
  EXPECT_EQ(survey.labels[0].rows, 3u);
  EXPECT_EQ(survey.labels[1].rows, 2u);
  EXPECT_EQ(survey.labels[2].rows, 2u);
  EXPECT_FALSE(survey.more_labels);
}

}  // namespace
}  // namespace thresh::labels_law
