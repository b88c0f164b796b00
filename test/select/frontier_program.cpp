// thresh frontier: the table, its JSON, its trace, and what it refuses.

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tools/program.hpp"

namespace {

class CliFrontier : public CliTest {
 protected:
  void SetUp() override {
    dir.write("a.svm", random_rows({.rows = 800}));
    dir.write("b.svm", random_rows({.rows = 300, .seed = 2}));
  }
  static Words plus(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  // Without the one thing that differs from run to run.
  Json frontier(const Words& options) const {
    Json json = good_json(plus({"frontier", "a.svm", "--json"}, options));
    for (Json& solver : json.at("solvers")) {
      EXPECT_GE(solver.at("seconds"), 0.0);
      solver.erase("seconds");
    }
    return json;
  }
  void refused(const Words& options, const std::string& part) const {
    EXPECT_TRUE(contains(bad(2, plus({"frontier", "a.svm"}, options)), part));
    EXPECT_EQ(files(), (Words{"a.svm", "b.svm"}));
  }
};

std::vector<double> column(const Json& points, const std::string& key) {
  std::vector<double> values;
  for (const Json& point : points) values.push_back(point.at(key));
  return values;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double standard_error(const std::vector<double>& values) {
  double squares = 0;
  for (const double value : values) squares += std::pow(value - mean(values), 2);
  const auto n = static_cast<double>(values.size());
  return std::sqrt(squares / (n - 1) / n);
}

TEST_F(CliFrontier, TheTableHasALineForEachUsualBudgetAndABarBehindIt) {
  const std::vector<std::string> lines = lines_of(good({"frontier", "a.svm"}));
  ASSERT_EQ(lines.size(), 2U + 6);  // 1, 2, 5, 10, 20 and all 40
  EXPECT_TRUE(lines[0].starts_with("budget, ") && lines[0].ends_with(" s of learning"));
  EXPECT_TRUE(contains(lines[1], "budget  non-zeros"));
  EXPECT_TRUE(contains(lines[1], "valid error  valid loss"));
  EXPECT_FALSE(contains(lines[1], "test error"));
  EXPECT_TRUE(lines[2].ends_with("  " + std::string(30, '=')));  // the worst has the longest
  EXPECT_EQ(std::count(lines[7].begin(), lines[7].end(), '=') % 30 > 0, true) << lines[7];
  for (std::size_t i = 2; i < lines.size(); ++i) EXPECT_TRUE(contains(lines[i], "% +- "));
  EXPECT_EQ(files(), (Words{"a.svm", "b.svm"}));  // nothing is written
  silent({"frontier", "a.svm", "-q"});
}

TEST_F(CliFrontier, JsonHasTheSamePoints) {
  const Json json = frontier({});
  EXPECT_EQ(json.at("data"), "a.svm");
  EXPECT_EQ(json.at("splits"), 1);
  ASSERT_EQ(json.at("solvers").size(), 1U);
  EXPECT_EQ(json.at("solvers")[0].at("solver"), "budget");
  const Json& points = json.at("solvers")[0].at("points");
  EXPECT_EQ(column(points, "features"), (std::vector<double>{1, 2, 5, 10, 20, 40}));
  const std::vector<double> loss = column(points, "valid_loss");
  EXPECT_TRUE(std::is_sorted(loss.rbegin(), loss.rend()));  // a smaller one that is better stays
  EXPECT_LT(loss.back(), loss.front());
  for (const Json& point : points) {
    EXPECT_LE(point.at("nonzeros"), point.at("features"));
    const double error = point.at("valid_error");
    EXPECT_GT(error, 0);
    EXPECT_LT(error, 0.6);
    const double rows = error * (1 - error) / std::pow(point.at("valid_error_se").get<double>(), 2);
    EXPECT_NEAR(rows, 160, 40);  // 20% of 800 are held out
    EXPECT_FALSE(point.contains("test_error"));
  }
  EXPECT_LT(points.back().at("valid_error"), 0.35);
  EXPECT_EQ(frontier({}), json);
}

TEST_F(CliFrontier, BudgetsAreNumbersOrShares) {
  const Json points = frontier({"--budgets", "9,25%,3,10"}).at("solvers")[0].at("points");
  EXPECT_EQ(column(points, "features"), (std::vector<double>{3, 9, 10}));
}

// Held-out rows that are the test rows: both columns speak of the same model.
TEST_F(CliFrontier, TheTestErrorIsThatOfTheModelShown) {
  const Json json = frontier({"--valid", "b.svm", "--test", "b.svm", "--solvers", "budget,l0-sgd"});
  for (const Json& solver : json.at("solvers")) {
    for (const Json& point : solver.at("points")) {
      EXPECT_NEAR(point.at("test_error"), point.at("valid_error"), 1e-12);
      EXPECT_NEAR(point.at("test_error_se"), point.at("valid_error_se"), 1e-12);
    }
  }
  EXPECT_TRUE(contains(good({"frontier", "a.svm", "--test", "b.svm"}), "test error"));
}

// With another solver there is a `train` for each budget to compare with.
TEST_F(CliFrontier, APointIsWhatTrainAndEvalSay) {
  for (const std::string solver : {"l0-sgd", "budget"}) {
    const Words options{"--beta", "1", "--passes", "20", "--holdout", "25%"};
    Words own = solver == "budget" ? options : Words(options.begin() + 2, options.end());
    const Json json =
        frontier(plus(own, {"--solvers", solver, "--budgets", "4", "--test", "b.svm"}));
    const Json point = json.at("solvers")[0].at("points")[0];
    // With a trace it is a single run, whose budget is not an upper limit for held-out rows.
    own = plus(own, {"--solver", solver, "--features", "4", "--json", "-o", "m.thresh", "--trace",
                     "t.jsonl"});
    const Json alone = good_json(plus({"train", "a.svm"}, own));
    for (const char* key : {"nonzeros", "valid_error", "valid_error_se", "valid_loss"}) {
      EXPECT_EQ(point.at(key), alone.at(key)) << key;
    }
    EXPECT_EQ(point.at("test_error"), good_json({"eval", "m.thresh", "b.svm", "--json"})["error"]);
  }
}

TEST_F(CliFrontier, SeveralSolversAreThoseOneByOne) {
  const Json both = frontier({"--solvers", "l0-sgd,budget"}).at("solvers");
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[0], frontier({"--solvers", "l0-sgd"}).at("solvers")[0]);
  EXPECT_EQ(both[1], frontier({}).at("solvers")[0]);
  const std::vector<std::string> lines =
      lines_of(good({"frontier", "a.svm", "--solvers", "l0-sgd,budget"}));
  ASSERT_EQ(lines.size(), 2U * 8);
  EXPECT_TRUE(lines[0].starts_with("l0-sgd, "));
  EXPECT_TRUE(lines[8].starts_with("budget, "));
}

TEST_F(CliFrontier, ASolverThatDivergesIsListedWithItsReason) {
  std::string rows;
  for (int i = 0; i < 200; ++i) rows += fmt::format("{} 1:{}e6 2:{}e6\n", i % 7, i % 5 + 1, i % 3);
  dir.write("a.svm", rows);
  const Words both = {"frontier",  "a.svm",      "--task",    "regression",
                      "--solvers", "budget,rda", "--budgets", "1,2"};
  const std::string text = good(both);
  EXPECT_TRUE(contains(text, "budget, "));
  EXPECT_TRUE(contains(text, "\nrda: diverged: "));
  Words json = both;
  json.push_back("--json");
  const Json solvers = good_json(json).at("solvers");
  EXPECT_EQ(solvers[0].at("points").size(), 2U);
  EXPECT_TRUE(solvers[1].at("points").empty());
  EXPECT_TRUE(contains(solvers[1].at("failure"), "diverged: "));
  Words alone = both;
  alone[5] = "rda";
  const Result result = thresh(alone);
  EXPECT_EQ(result.exit, 1);
  EXPECT_TRUE(contains(result.err, "thresh: rda: diverged: ")) << result;
}

TEST_F(CliFrontier, SplitsAreRunsOfOtherSeedsAndGiveStandardErrors) {
  const Words options{"--budgets", "2,7", "--test", "b.svm", "--solvers", "budget,l0-sgd"};
  const Json json = frontier(plus(options, {"--splits", "3", "--seed", "5"}));
  EXPECT_EQ(json.at("splits"), 3);
  std::vector<Json> splits;
  for (const char* seed : {"5", "6", "7"})
    splits.push_back(frontier(plus(options, {"--seed", seed})));
  EXPECT_NE(splits[0], splits[1]);
  for (std::size_t s = 0; s < 2; ++s) {
    for (std::size_t i = 0; i < 2; ++i) {
      const Json& point = json.at("solvers")[s].at("points")[i];
      std::map<std::string, std::vector<double>> each;
      for (const Json& split : splits) {
        const Json& part = split.at("solvers")[s].at("points")[i];
        for (const char* key : {"nonzeros", "valid_error", "valid_loss", "test_error"}) {
          each[key].push_back(part.at(key));
        }
      }
      for (const auto& [key, values] : each) EXPECT_NEAR(point.at(key), mean(values), 1e-12);
      EXPECT_NEAR(point.at("valid_error_se"), standard_error(each["valid_error"]), 1e-12);
      // The test rows are the same in all splits, and could have been others.
      const double error = mean(each["test_error"]);
      EXPECT_NEAR(
          point.at("test_error_se"),
          std::hypot(standard_error(each["test_error"]), std::sqrt(error * (1 - error) / 300)),
          1e-12);
    }
  }
}

TEST_F(CliFrontier, TheTraceHasALineForEachPoint) {
  const Words options{"--budgets", "2,7", "--test", "b.svm", "--solvers", "budget,l0-sgd"};
  const Json json = frontier(plus(options, {"--trace", "t.jsonl"}));
  std::vector<Json> expected;
  for (const Json& solver : json.at("solvers")) {
    for (Json point : solver.at("points")) {
      point["solver"] = solver.at("solver");
      expected.push_back(point);
    }
  }
  std::vector<Json> got;
  for (const std::string& line : lines_of(ScratchDir::slurp(dir.file("t.jsonl")))) {
    got.push_back(Json::parse(line));
  }
  EXPECT_EQ(got, expected);
}

// Whole or not at all: what was there before stays until all is known.
TEST_F(CliFrontier, ATraceThatCannotBeFinishedLeavesTheOldOne) {
  dir.write("t.jsonl", "before\n");
  bad(1, {"frontier", "a.svm", "--test", "none.svm", "--trace", "t.jsonl", "-q"});
  EXPECT_EQ(ScratchDir::slurp(dir.file("t.jsonl")), "before\n");
  Command full = command({"frontier", "a.svm", "--trace", "t.jsonl", "-q"});
  full.file_limit = 20;
  const Result result = run(full);
  EXPECT_EQ(result.exit, 1) << result;
  EXPECT_TRUE(contains(complaint(result), "t.jsonl"));
  EXPECT_EQ(ScratchDir::slurp(dir.file("t.jsonl")), "before\n");
  EXPECT_EQ(files(), (Words{"a.svm", "b.svm", "t.jsonl"}));
}

TEST_F(CliFrontier, AnInterruptionWritesNothing) {
  Process process(command(
      {"frontier", "a.svm", "--passes", "1000000000", "--splits", "2", "--trace", "t.jsonl"}));
  ASSERT_TRUE(process.run_until([&] { return contains(process.err(), "split 1 of 2"); }));
  process.signal(SIGINT);
  const Result stopped = process.finish();
  EXPECT_EQ(stopped.exit, 130) << stopped;
  EXPECT_EQ(stopped.out, "");
  EXPECT_TRUE(contains(stopped.err, "thresh: interrupted; no file was written\n"));
  EXPECT_EQ(files(), (Words{"a.svm", "b.svm"}));
}

TEST_F(CliFrontier, RegressionClassesAndStandardInput) {
  std::string rows;
  for (int i = 0; i < 90; ++i) {
    rows += std::to_string(i % 3) + " " + std::to_string(i % 3 + 1) + ":1 " +
            std::to_string(4 + i % 5) + ":0.3\n";
  }
  dir.write("c.svm", rows);
  const std::string values = good({"frontier", "c.svm", "--task", "regression", "--test", "c.svm"});
  EXPECT_TRUE(contains(values, "valid RMSE"));
  EXPECT_TRUE(contains(values, "test RMSE"));
  EXPECT_FALSE(contains(values, "%"));
  for (const std::string kind : {"ovr", "softmax"}) {
    const Json json = good_json({"frontier", "c.svm", "--multiclass", kind, "--budgets", "1,3",
                                 "--test", "c.svm", "--json"});
    const Json& points = json.at("solvers")[0].at("points");
    EXPECT_EQ(column(points, "test_error"), (std::vector<double>{0, 0}));
    EXPECT_EQ(points[0].at("nonzeros"), 3);  // one for each class
  }
  const Result piped = thresh_reading(random_rows({.rows = 800}), {"frontier", "-", "--json"});
  EXPECT_EQ(piped.exit, 0) << piped;
  Json expected = frontier({}), got = Json::parse(piped.out);
  EXPECT_EQ(got.at("solvers")[0].at("points"), expected.at("solvers")[0].at("points"));
}

TEST_F(CliFrontier, KeptFeaturesAreInEveryModel) {
  const Json free = frontier({"--budgets", "2"});
  EXPECT_NE(frontier({"--budgets", "2", "--keep", "3"}), free);  // 3 is of no use
  refused({"--budgets", "2,5", "--keep", "1,2,3"}, "--keep names more features than the budget");
}

// As `train` does it: budgets that have no room for them are no question.
TEST_F(CliFrontier, UsualBudgetsLeaveRoomForWhatIsKept) {
  const Json points = frontier({"--keep", "3,6,9"}).at("solvers")[0].at("points");
  EXPECT_EQ(column(points, "features"), (std::vector<double>{5, 10, 20, 40}));
}

TEST_F(CliFrontier, WhatCannotBeReadOrJudgedIsSaidBeforeTheLearning) {
  dir.write("a.svm", random_rows({}));
  EXPECT_TRUE(contains(bad(1, {"frontier", "a.svm", "--test", "nope.svm"}), "thresh: nope.svm: "));
  EXPECT_TRUE(contains(bad(2, {"frontier", "a.svm", "--test", "-"}), "--test"));
  EXPECT_TRUE(contains(bad(2, {"frontier", "a.svm", "--holdout", "0%"}), "--holdout 0%"));
}

TEST_F(CliFrontier, WhatMakesNoSenseIsSaidInOneLine) {
  for (const std::string part : {"0", "1.5", "101%", "ten", "5,"}) {
    refused({"--budgets", part}, "use numbers of features, or percentages");
  }
  refused({"--splits", "0"}, "--splits must be at least 1");
  refused({"--splits", "2", "--valid", "b.svm"},
          "--splits draws its own validation rows; leave out --valid");
  refused({"--solvers", "budget,nobody"}, "no solver is called 'nobody'");
  refused({"--solvers", "budget,fobos", "--beta", "1"}, "fobos has no option --beta");
  refused({"--passes", "0"}, "--passes must be at least 1");
  for (const std::string name : {"--features", "--density", "--solver", "--from", "--names"}) {
    refused({name, "1"}, "unknown option " + name);
  }
  EXPECT_TRUE(contains(bad(2, {"frontier"}), "data is required"));
  EXPECT_TRUE(contains(bad(1, {"frontier", "none.svm"}), "none.svm"));
}

}  // namespace
