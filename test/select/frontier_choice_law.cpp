// Which sizes a frontier has, and the choice between its models.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "thresh/select.hpp"
#include "tools/error_of.hpp"

namespace thresh::frontier_choice_law {
namespace {

using Budgets = std::vector<std::uint64_t>;

TEST(BudgetList, NumbersAndSharesInAnyOrderEachOnce) {
  EXPECT_EQ(parse_budgets("7", 40), (Budgets{7}));
  EXPECT_EQ(parse_budgets("500,10,2%", 1000), (Budgets{10, 20, 500}));
  EXPECT_EQ(parse_budgets("5,1%,5,100%", 500), (Budgets{5, 500}));
  EXPECT_EQ(parse_budgets("1e3,2.5%", 1000), (Budgets{25, 1000}));
  EXPECT_EQ(parse_budgets("70", 40), (Budgets{70}));  // more than there are
}

TEST(BudgetList, AShareIsRoundedDownButNeverToNothing) {
  EXPECT_EQ(parse_budgets("50%", 3), (Budgets{1}));
  EXPECT_EQ(parse_budgets("0.1%", 40), (Budgets{1}));
  for (std::uint64_t k = 1; k <= 100; ++k) {  // 0.29 * 100 is a little less than 29
    EXPECT_EQ(parse_budgets(std::to_string(k) + "%", 100), (Budgets{k}));
  }
}

TEST(BudgetList, WhatIsNoBudgetIsNamed) {
  for (const std::string part : {"", "0", "-5", "1.5", "1e15", "0%", "-1%", "101%", "100.1%",
                                 "junk", "nan", "inf", "nan%", "%", "10%%", "10 ", "5x", "1;2"}) {
    for (const std::string& text : {part, "10," + part, part + ",10"}) {
      EXPECT_EQ(refusal_of([&] { parse_budgets(text, 1000); }),
                "--budgets " + part + ": use numbers of features, or percentages")
          << text;
    }
  }
}

TEST(BudgetList, TheUsualOnesEndAtAllFeatures) {
  EXPECT_EQ(usual_budgets(0), (Budgets{1}));
  EXPECT_EQ(usual_budgets(1), (Budgets{1}));
  EXPECT_EQ(usual_budgets(2), (Budgets{1, 2}));
  EXPECT_EQ(usual_budgets(20), (Budgets{1, 2, 5, 10, 20}));
  EXPECT_EQ(usual_budgets(999), (Budgets{1, 2, 5, 10, 20, 50, 100, 200, 500, 999}));
  EXPECT_EQ(usual_budgets(1000), (Budgets{10, 20, 50, 100, 200, 500, 1000}));
  EXPECT_EQ(usual_budgets(1001), (Budgets{10, 20, 50, 100, 200, 500, 1000, 1001}));
  const Budgets most = usual_budgets(std::uint64_t{1} << 40);
  EXPECT_EQ(most.size(), 3u * 11 + 2);
  EXPECT_TRUE(std::is_sorted(most.begin(), most.end()));
}

// Models of 1, 2, 3, ... features with these errors and standard errors.
Frontier frontier_of(const std::vector<std::pair<double, double>>& errors) {
  Frontier frontier;
  for (const auto& [error, se] : errors) {
    SizedResult& model = frontier.tried.emplace_back();
    model.budget = frontier.tried.size();
    model.last.valid_error = error;
    model.last.valid_error_se = se;
    model.last.valid_loss = error;
  }
  return frontier;
}

std::uint64_t near_best(const std::vector<std::pair<double, double>>& errors) {
  return smallest_near_best(frontier_of(errors)).budget;
}

TEST(FrontierChoice, TheSmallestWithinOneStandardErrorOfTheBest) {
  EXPECT_EQ(near_best({{0.5, 0}}), 1u);
  EXPECT_EQ(near_best({{0.5, 0.1}, {0.31, 0.1}, {0.25, 0.05}}), 3u);
  EXPECT_EQ(near_best({{0.5, 0.1}, {0.29, 0.1}, {0.25, 0.05}}), 2u);
  EXPECT_EQ(near_best({{0.5, 0.1}, {0.375, 0}, {0.25, 0.125}}), 2u);  // just
  // The standard error is the best one's, however uncertain the others are.
  EXPECT_EQ(near_best({{0.4, 1}, {0.2, 0.01}, {0.3, 1}}), 2u);
  EXPECT_EQ(near_best({{0.4, 0}, {0.2, 0.3}, {0.3, 0}}), 1u);
}

TEST(FrontierChoice, OfModelsAsGoodTheFirstIsTheBest) {
  EXPECT_EQ(near_best({{0.5, 0}, {0.25, 0}, {0.25, 0}}), 2u);
  EXPECT_EQ(near_best({{0.5, 0}, {0.25, 0.1}, {0.25, 0.4}}), 2u);
}

TEST(FrontierChoice, WithoutStandardErrorsTheBestIsTaken) {
  Frontier frontier = frontier_of({{0.5, 0}, {0.251, 0}, {0.25, 0}});
  for (SizedResult& model : frontier.tried) model.last.valid_error_se.reset();
  EXPECT_EQ(smallest_near_best(frontier).budget, 3u);
}

TEST(FrontierChoice, TheSmallestWithinAnErrorIfThereIsOne) {
  const Frontier frontier = frontier_of({{0.5, 0}, {0.25, 0}, {0.375, 0}, {0.125, 0}});
  EXPECT_EQ(smallest_within(frontier, 1)->budget, 1u);
  EXPECT_EQ(smallest_within(frontier, 0.4)->budget, 2u);
  EXPECT_EQ(smallest_within(frontier, 0.25)->budget, 2u);  // just
  EXPECT_EQ(smallest_within(frontier, 0.2)->budget, 4u);
  EXPECT_FALSE(smallest_within(frontier, 0.1));
}

// What two settings gave: errors of the first and of the second, losses likewise.
Frontier frontier_of_two(const std::vector<double>& errors, const std::vector<double>& losses,
                         const std::vector<double>& others, const std::vector<double>& their) {
  Frontier frontier;
  const auto add = [&](const char* name, const std::vector<double>& e,
                       const std::vector<double>& l) {
    for (std::size_t i = 0; i < e.size(); ++i) {
      SizedResult& model = frontier.tried.emplace_back();
      model.budget = i + 1;
      model.last.valid_error = e[i];
      model.last.valid_error_se = 0.0625;
      model.last.valid_loss = l[i];
      model.settings = {{"beta", name}};
    }
  };
  add("0.1", errors, losses);
  add("1", others, their);
  return frontier;
}

// Each of them alone would take two features. At that size the one that has the lower loss makes
// more errors, which is no reason to take three.
TEST(FrontierChoice, WhatEverySettingWouldTakeIsTaken) {
  const Frontier frontier =
      frontier_of_two({0.5, 0.25, 0.25}, {9, 5, 3}, {0.5, 0.375, 0.3125}, {9, 4, 4});
  const SizedResult chosen = smallest_near_best(frontier);
  EXPECT_EQ(chosen.budget, 2u);
  EXPECT_EQ(chosen.settings, (Settings{{"beta", "0.1"}}));
  EXPECT_EQ(smallest_within(frontier, 0.3)->settings, (Settings{{"beta", "0.1"}}));
}

TEST(FrontierChoice, OfOneSizeTheLowerLossDecides) {
  const Frontier frontier = frontier_of_two({0.5, 0.25}, {9, 5}, {0.5, 0.28125}, {9, 4});
  const SizedResult chosen = smallest_near_best(frontier);
  EXPECT_EQ(chosen.budget, 2u);
  EXPECT_EQ(chosen.settings, (Settings{{"beta", "1"}}));
}

// Of several runs one stands for those that differ in numbers alone; of one run all are told.
TEST(Warnings, AreToldOnce) {
  std::vector<std::string> all;
  add_warnings(all, {"--keep 5: idle", "--keep 7: idle", "eta 0.5 is large"});
  add_warnings(all, {"--keep 5: idle", "eta 0.25 is large", "rows are long"});
  EXPECT_EQ(all, (std::vector<std::string>{"--keep 5: idle", "--keep 7: idle", "eta 0.5 is large",
                                           "rows are long"}));
}

}  // namespace
}  // namespace thresh::frontier_choice_law
