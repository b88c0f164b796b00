// The little language of grids, and what its words multiply to.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "thresh/error.hpp"
#include "thresh/select.hpp"
#include "thresh/thresh.hpp"
#include "tools/error_of.hpp"

namespace thresh::grid_law {
namespace {

using Values = std::vector<std::string>;

Values values_of(const std::string& text, const std::string& solver = "fobos") {
  const std::vector<Axis> axes = parse_grid(text, solver);
  EXPECT_EQ(axes.size(), 1U);
  return axes.at(0).values;
}

TEST(Grid, ListsRangesAndLogarithmicRanges) {
  EXPECT_EQ(values_of("lambda=1e-4,0.5,3"), (Values{"1e-4", "0.5", "3"}));
  EXPECT_EQ(values_of("eta=0.1:0.5:0.1"), (Values{"0.1", "0.2", "0.3", "0.4", "0.5"}));
  EXPECT_EQ(values_of("eta=1:2:0.4"), (Values{"1", "1.4", "1.8"}));
  EXPECT_EQ(values_of("eta=2:2:1"), (Values{"2"}));
  EXPECT_EQ(values_of("lambda=log:1e-3:1:4"), (Values{"0.001", "0.01", "0.1", "1"}));
  EXPECT_EQ(values_of("lambda=log:1:0.01:3"), (Values{"1", "0.1", "0.01"}));
  EXPECT_EQ(values_of("lambda=log:5:7:1"), (Values{"5"}));
  EXPECT_EQ(values_of("tau=log:1e-3:1:2", "margin-perceptron"), (Values{"0.001", "1"}));
  EXPECT_EQ(values_of("loss=logistic,hinge"), (Values{"logistic", "hinge"}));
  EXPECT_EQ(values_of("schedule=sqrt"), (Values{"sqrt"}));
}

TEST(Grid, WholeNumbersAreRoundedAndPercentagesKeepTheirSign) {
  EXPECT_EQ(values_of("features=log:1:100:5", "budget"), (Values{"1", "3", "10", "32", "100"}));
  EXPECT_EQ(values_of("passes=log:1:4:7"), (Values{"1", "2", "3", "4"}));  // each once
  EXPECT_EQ(values_of("every=log:1:100:5", "truncated-gradient"),
            (Values{"1", "3", "10", "32", "100"}));
  EXPECT_EQ(values_of("density=log:0.1%:10%:3"), (Values{"0.1%", "1%", "10%"}));
  EXPECT_EQ(values_of("density=1%:3%:1%"), (Values{"1%", "2%", "3%"}));
}

TEST(Grid, PointsOfALogarithmicRangeAreAsFarApart) {
  const Values values = values_of("lambda=log:3e-7:20:12");
  ASSERT_EQ(values.size(), 12U);
  for (std::size_t i = 1; i < values.size(); ++i) {
    const double ratio = std::stod(values[i]) / std::stod(values[i - 1]);
    EXPECT_NEAR(ratio, std::pow(20 / 3e-7, 1.0 / 11), 1e-4 * ratio);
  }
}

TEST(Grid, WhatCannotBeIsRefused) {
  for (const char* text : {"lambda",
                           "=1",
                           "lambda=",
                           "lambda=a",
                           "lambda=1,",
                           "lambda=1:2",
                           "lambda=1:2:0",
                           "lambda=2:1:1",
                           "lambda=1:2:3:4",
                           "lambda=log:1:2",
                           "lambda=log:0:1:3",
                           "lambda=log:1:-2:3",
                           "lambda=log:1:2:0",
                           "lambda=log:1:2:1.5",
                           "lambda=log:1:2:1e9",
                           "lambda=0:1:1e-9",
                           "lambda=1 lambda=2",
                           "lambda=1 l1=2",
                           "nonsense=1",
                           "radius=1",
                           "loss=best",
                           "density=5",
                           "passes=1.5",
                           "features=-1",
                           "density=1%:3:1%",
                           "density=log:1:3%:2",
                           "intercept=yes",
                           "seed=1,2"}) {
    EXPECT_NE(refusal_of([&] { parse_grid(text, "fobos"); }), "") << text;
  }
  EXPECT_EQ(refusal_of([] { parse_grid("lamda=1", "fobos"); }),
            "fobos has no option lamda that can be tuned (did you mean lambda?)");
}

TEST(Grid, EveryOwnOptionCanBeChosen) {
  for (const SolverInfo& info : solvers()) {
    for (const OptionInfo& option : info.options) {
      const std::string value = option.kind == OptionInfo::Kind::flag ? "true,false"
                                : option.default_value.empty()        ? "1"
                                                                      : option.default_value;
      EXPECT_EQ(refusal_of([&] { parse_grid(option.name + "=" + value, info.name); }), "")
          << info.name;
    }
    for (const std::string& unused : info.unused) {
      EXPECT_NE(refusal_of([&] { parse_grid(unused + "=1", info.name); }), "") << info.name;
    }
  }
}

TEST(Grid, SettingsArriveInTheOptions) {
  Options base;
  base.solver = "projected-sgd";
  base.lambda = 7;
  const auto candidates = grid_candidates(
      base, parse_grid("eta=0.5 features=9 passes=3 loss=hinge schedule=inverse radius=2 "
                       "non-negative=true class-weight=balanced intercept=false steps=12",
                       "projected-sgd"));
  ASSERT_EQ(candidates.size(), 1U);
  const Options& got = candidates[0].options;
  EXPECT_EQ(got.eta, 0.5);
  EXPECT_EQ(got.features, 9U);
  EXPECT_EQ(got.passes, 3U);
  EXPECT_EQ(got.steps, 12U);
  EXPECT_EQ(got.loss, Loss::hinge);
  EXPECT_EQ(got.schedule, Schedule::inverse);
  EXPECT_EQ(got.solver_options,
            (std::map<std::string, std::string>{{"radius", "2"}, {"non-negative", "true"}}));
  EXPECT_TRUE(got.balanced_classes);
  EXPECT_FALSE(got.intercept);
  EXPECT_EQ(got.lambda, 7);
  const auto both = grid_candidates(got, parse_grid("non-negative=false,true", "projected-sgd"));
  EXPECT_FALSE(both.at(0).options.solver_options.contains("non-negative"));
  EXPECT_EQ(both.at(1).options.solver_options.at("non-negative"), "true");
}

TEST(Grid, OptionsOfARunThatNoSearchChoosesHaveNamesToo) {
  TrainOptions options;
  for (const auto& [name, text] :
       std::map<std::string, std::string>{{"order", "sequential"},
                                          {"seed", "18446744073709551615"},
                                          {"holdout", "12.5%"},
                                          {"on-divergence", "continue"},
                                          {"keep", "3,14"},
                                          {"positive", "2"},
                                          {"memory", "1e6"},
                                          {"trace-at", "500"},
                                          {"compensated", "true"},
                                          {"task", "regression"}}) {
    set_option(options, name, text);
  }
  EXPECT_EQ(options.order, Order::sequential);
  EXPECT_EQ(options.seed, 18446744073709551615U);
  EXPECT_EQ(options.holdout, 0.125);
  EXPECT_EQ(options.on_divergence, OnDivergence::proceed);
  EXPECT_EQ(options.keep, (std::vector<std::uint64_t>{3, 14}));
  EXPECT_EQ(options.positive, 2);
  EXPECT_EQ(options.memory, 1'000'000U);
  EXPECT_EQ(options.trace.value().every, 500U);
  EXPECT_TRUE(options.compensated);
  EXPECT_EQ(options.task, Task::regression);
  set_option(options, "keep", "3,pear");
  EXPECT_TRUE(options.keep.empty());
  EXPECT_EQ(options.keep_names, (Values{"3", "pear"}));
  EXPECT_EQ(refusal_of([&] { set_option(options, "ordre", "shuffle"); }),
            "budget has no option ordre (did you mean order?)");
  EXPECT_EQ(refusal_of([&] { set_option(options, "order", "random"); }),
            "--order random: use shuffle, sequential, replacement");
}

// The flags of the program come from this list, so that a default shown must be one that is read.
TEST(Grid, DefaultsOfSharedOptionsCanBeSet) {
  for (const OptionInfo& option : shared_options()) {
    if (option.default_value.empty() || option.kind == OptionInfo::Kind::bytes) continue;
    Options options;
    EXPECT_EQ(refusal_of([&] { set_shared_option(options, option.name, option.default_value); }),
              "")
        << option.name;
  }
}

TEST(Grid, AllCombinationsTheLastFastest) {
  Options base;
  base.solver = "fobos";
  const auto got = grid_candidates(base, parse_grid("lambda=1,2 eta=3,4,5\tpasses=6,7", "fobos"));
  std::size_t i = 0;
  for (const char* lambda : {"1", "2"}) {
    for (const char* eta : {"3", "4", "5"}) {
      for (const char* passes : {"6", "7"}) {
        ASSERT_LT(i, got.size());
        EXPECT_EQ(got[i++].settings,
                  (Settings{{"lambda", lambda}, {"eta", eta}, {"passes", passes}}));
      }
    }
  }
  EXPECT_EQ(i, got.size());
  EXPECT_NE(
      refusal_of([&] { grid_candidates(base, parse_grid("lambda=0:999:1 eta=1:999:1", "fobos")); }),
      "");
}

TEST(Grid, RandomDrawsAreDifferentSeededAndWithin) {
  Options base;
  base.solver = "fobos";
  const auto axes = parse_grid("lambda=log:1e-4:1:3 eta=1,2,3", "fobos");
  const auto some = random_candidates(base, axes, 200);
  ASSERT_EQ(some.size(), 200U);
  std::set<Settings> seen;
  double below = 0;
  for (const Candidate& candidate : some) {
    EXPECT_TRUE(seen.insert(candidate.settings).second);
    EXPECT_GE(candidate.options.lambda, 1e-4);
    EXPECT_LE(candidate.options.lambda, 1);
    below += candidate.options.lambda < 0.01 ? 1 : 0;
    EXPECT_EQ(std::to_string(*candidate.options.eta).substr(0, 1), candidate.settings[1].second);
  }
  EXPECT_NEAR(below, 100, 4 * std::sqrt(50));  // half of them, on a logarithmic scale
  EXPECT_EQ(random_candidates(base, axes, 200)[17].settings, some[17].settings);
  base.seed = 2;
  EXPECT_NE(random_candidates(base, axes, 200)[17].settings, some[17].settings);
  // There are no more than these.
  EXPECT_EQ(random_candidates(base, parse_grid("eta=1,2,3 lambda=0,1", "fobos"), 50).size(), 6U);
}

}  // namespace
}  // namespace thresh::grid_law
