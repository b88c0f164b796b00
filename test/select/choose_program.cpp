// thresh train without a budget: models of all sizes, the choice, and the chosen one from all rows.

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <regex>
#include <set>
#include <utility>

#include "tools/program.hpp"

namespace {

std::string three_classes() {
  std::string text;
  for (int i = 0; i < 90; ++i) {
    text += fmt::format("{} {}:1 {}:0.{}\n", i % 3, i % 3 + 1, 4 + i % 5, 1 + i % 7);
  }
  return text;
}

class CliChoose : public CliTest {
 protected:
  CliChoose() { default_solver = ""; }
  void SetUp() override { dir.write("a.svm", few_decide(2000)); }

  static Words plus(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  Json choose(const Words& options, const std::string& data = "a.svm") const {
    return good_json(plus({"train", data, "--json", "-o", "m.thresh"}, options));
  }
  std::string model() const { return ScratchDir::slurp(dir.file("m.thresh")); }
  // The options of the model that was chosen.
  Json header() const { return Json::parse(lines_of(model()).at(1)).at("options"); }
  // What `train` makes of the size and the beta or ridge that were chosen.
  std::string same_by_hand(const Json& chosen, const Words& options,
                           const std::string& data = "a.svm") const {
    const std::string setting = header().contains("ridge") ? "ridge" : "beta";
    const Words size{"--features", chosen.at("chosen").dump(), "--" + setting,
                     header().at(setting).dump()};
    return train(plus(plus({data}, size), options), "hand.thresh");
  }
  void refused(int exit, const Words& options, const std::string& part) const {
    EXPECT_TRUE(contains(bad(exit, plus({"train", "a.svm", "-q"}, options)), part));
    EXPECT_FALSE(exists("a.svm.thresh"));
  }
};

TEST_F(CliChoose, ASmallModelOfTheFeaturesThatMatter) {
  const Json json = choose({});
  EXPECT_EQ(json.at("chosen"), 5);
  EXPECT_EQ(json.at("frontier").size(), 6U);  // 1, 2, 5, 10, 20 and all 31
  EXPECT_EQ(json.at("frontier")[5].at("features"), 31);
  EXPECT_EQ(json.at("nonzeros"), 5);
  EXPECT_EQ(json.at("model"), "m.thresh");
  EXPECT_EQ(json.at("bad_rows"), 0);
  EXPECT_EQ(json.at("options").at("solver"), "budget");
  EXPECT_EQ(json.at("options").at("features"), 5);
  EXPECT_EQ(weights().size(), 5U);
  std::vector<std::uint64_t> indices;
  for (const Weight& weight : weights()) indices.push_back(weight.index);
  const std::vector<std::uint64_t> decide = {4, 8, 12};
  EXPECT_TRUE(std::includes(indices.begin(), indices.end(), decide.begin(), decide.end()));
}

TEST_F(CliChoose, TheTableHasBarsAndMarksTheChoice) {
  const std::vector<std::string> lines = lines_of(good({"train", "a.svm"}));
  ASSERT_EQ(lines.size(), 2U + 6 + 1);
  EXPECT_TRUE(lines[0].ends_with(" rows, each held out once in 5 folds"));
  EXPECT_TRUE(contains(lines[1], "budget  non-zeros"));
  EXPECT_TRUE(lines[2].ends_with("  " + std::string(30, '=')));
  for (std::size_t i = 2; i < 8; ++i) {
    const bool marked = lines[i].ends_with(" <- the smallest that is as good as the best");
    EXPECT_EQ(marked, i == 4) << lines[i];
  }
  EXPECT_TRUE(lines[8].starts_with("model: a.svm.thresh (all rows; 5 of 31 features, "));
  EXPECT_TRUE(exists("a.svm.thresh"));
  silent({"train", "a.svm", "-q"});
}

// With few rows each is held out in turn; with very few in several sets of folds, if that is quick.
TEST_F(CliChoose, FewRowsAreAllHeldOut) {
  const auto first_line = [&](int n, const char* far) {
    std::string text;
    for (int i = 0; i < n; ++i) {
      text += fmt::format("{} {}:1 {}:1{}\n", 1 - i % 2, 1 + i % 7,
                          8 + (i % 2 == 0 ? i % 3 : i % 5), i == 0 ? far : "");
    }
    dir.write("rows.svm", text);
    return lines_of(thresh({"train", "rows.svm", "-o", "m.thresh"}).out)[0];
  };
  EXPECT_TRUE(contains(first_line(4999, ""), "each held out once in 5 folds"));
  EXPECT_FALSE(contains(first_line(5000, ""), "folds"));
  EXPECT_TRUE(contains(first_line(300, ""), "each held out once in 5 folds, 3 times"));
  EXPECT_TRUE(contains(first_line(300, " 2400:1"), "each held out once in 5 folds, 2 times"));
  EXPECT_TRUE(first_line(300, " 4000:1").ends_with("each held out once in 5 folds"));
}

// Only held-out rows can tell how sure a model may be: without them its slope is 1.
std::string uncalibrated(const std::string& model) {
  const std::string one =
      std::regex_replace(model, std::regex(R"("slope":[^,]*)"), R"("slope":1.0)");
  return std::regex_replace(one, std::regex("crc32 [0-9a-f]*"), "crc32");
}

TEST_F(CliChoose, TheModelIsTheOneThatTrainLearnsFromAllRows) {
  const std::vector<Words> all = {{},
                                  {"--seed", "7"},
                                  {"--passes", "9"},
                                  {"--no-intercept"},
                                  {"--loss", "hinge"},
                                  {"--keep", "30"},
                                  {"--order", "sequential"}};
  for (const Words& options : all) {
    SCOPED_TRACE(testing::PrintToString(options));
    const Json json = choose(options);
    EXPECT_EQ(uncalibrated(model()), uncalibrated(same_by_hand(json, options)));
    EXPECT_EQ(header().at("holdout"), 0.0);
  }
  for (const char* share : {"10%", "40%"}) {
    const Json json = choose({"--holdout", share});
    EXPECT_EQ(uncalibrated(model()), uncalibrated(same_by_hand(json, {})));
  }
  choose({"--beta", "0.5"});
  EXPECT_EQ(header().at("beta"), 0.5);
}

TEST_F(CliChoose, TheSmallestModelOfAllSettingsAndOfThatSizeTheLowestLoss) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    dir.write("r.svm", random_rows({.rows = 200, .seed = seed}));
    // The size chosen, and the loss there.
    const auto chosen = [&](const Words& options) {
      const Json json = choose(plus({"--max-error", "45%"}, options), "r.svm");
      const std::uint64_t size = json.at("chosen");
      for (const Json& point : json.at("frontier")) {
        if (point.at("features") == size)
          return std::pair(size, point.at("valid_loss").get<double>());
      }
      return std::pair(size, -1.0);
    };
    const auto of_all = chosen({});
    EXPECT_LE(of_all, chosen({"--beta", "0.1"}));
    EXPECT_LE(of_all, chosen({"--beta", "1"}));
  }
}

TEST_F(CliChoose, TheSameBytesTwice) {
  const Json json = choose({});
  const std::string first = model();
  EXPECT_EQ(choose({}), json);
  EXPECT_EQ(model(), first);
}

TEST_F(CliChoose, AValidationFileDecidesAndIsNotLearnedFrom) {
  dir.write("valid.svm", few_decide(500, 2));
  dir.write("other.svm", few_decide(500, 2, true));
  const Json json = choose({"--valid", "valid.svm"});
  EXPECT_EQ(json.at("valid_rows"), lines_of(few_decide(500, 2)).size());
  EXPECT_LT(json.at("valid_error"), 0.1);
  EXPECT_EQ(model(), same_by_hand(json, {"--valid", "valid.svm"}));
  const std::vector<Weight> learned = weights();
  same_by_hand(json, {});
  EXPECT_EQ(weights("hand.thresh"), learned);

  // Where everything is the other way round, no model is better than none.
  const Result run = thresh({"train", "a.svm", "--valid", "other.svm", "--json", "-o", "m.thresh"});
  EXPECT_TRUE(contains(run.err, "no model is better than the constant one"));
  const Json other = Json::parse(run.out);
  EXPECT_EQ(other.at("chosen"), 0);
  EXPECT_EQ(other.at("nonzeros"), 0);
  EXPECT_TRUE(weights().empty());
  EXPECT_TRUE(contains(good({"train", "a.svm", "--valid", "valid.svm"}),
                       " rows held out, a.svm to learn from\n"));
}

TEST_F(CliChoose, TheSmallestModelOfAnErrorThatWillDo) {
  const Json usual = choose({});
  for (const Json& point : usual.at("frontier")) {
    const double error = point.at("valid_error");
    const std::string limit = fmt::format("{:.6f}%", 100 * error + 1e-4);
    const Json json = choose({"--max-error", limit});
    EXPECT_EQ(json.at("frontier"), usual.at("frontier"));
    for (const Json& smallest : usual.at("frontier")) {
      if (smallest.at("valid_error") > error) continue;
      EXPECT_EQ(json.at("chosen"), smallest.at("features"));
      break;
    }
    EXPECT_EQ(uncalibrated(model()), uncalibrated(same_by_hand(json, {})));
  }
  EXPECT_TRUE(contains(good({"train", "a.svm", "--max-error", "45%"}),
                       "= <- the smallest within --max-error 45%\n"));
}

TEST_F(CliChoose, AnErrorThatNoModelHasIsSaidAndNothingWritten) {
  dir.write("a.svm", random_rows({.rows = 200}));
  refused(1, {"--max-error", "0.0001%"}, "no model has a validation error of at most 0.0001%: ");
  const std::string line = bad(1, {"train", "a.svm", "-q", "--max-error", "0%", "--json"});
  EXPECT_TRUE(contains(line, "the best one has "));
  EXPECT_TRUE(line.ends_with("; no model was written"));
  EXPECT_EQ(files(), (Words{"a.svm"}));
}

TEST_F(CliChoose, AnErrorThatIsNoneIsSaidBeforeAnythingIsRead) {
  for (const std::string text : {"five", "5%%", "nan%"}) {
    EXPECT_TRUE(contains(bad(2, {"train", "none.svm", "--max-error", text}), "--max-error"));
  }
  EXPECT_TRUE(contains(bad(2, {"train", "none.svm", "--task", "regression", "--max-error", "5%"}),
                       "in units of the target"));
}

TEST_F(CliChoose, OptionsOfASingleRunAreRefused) {
  const std::vector<Words> all = {{"--from", "a.svm"},
                                  {"--trace", "t"},
                                  {"--trace-at", "passes"},
                                  {"--calibrate"},
                                  {"--steps", "50"}};
  for (const Words& options : all) {
    refused(2, options, options[0] + " requires --features or --density");
  }
  refused(2, {"--max-error", "5%", "--features", "3"}, "--max-error requires");
  refused(2, {"--max-error", "5%", "--density", "3%"}, "--max-error requires");
  refused(2, {"--lambda", "0.1"}, "--lambda does not apply to budget; choose another --solver");
  refused(2, {"-o", "a.svm"}, "overwrite the training data");
  refused(2, {"--by", "size"}, "--by");
  refused(2, {"--ridge", "0"}, "--ridge must be above 0");
  refused(2, {"--ridge", "-1", "--features", "3"}, "--ridge must be above 0");
  refused(2, {"--ridge", "1", "--beta", "1"}, "--beta does not apply with --ridge");
  refused(2, {"--ridge", "1", "--features", "3", "--loss", "hinge"},
          "--ridge: the hinge loss has no curvature");
  EXPECT_EQ(files(), (Words{"a.svm"}));
}

TEST_F(CliChoose, RowsFromStandardInput) {
  const Result result = thresh_reading(few_decide(2000), {"train", "-", "-q"});
  EXPECT_EQ(result.exit, 0) << result;
  train({"a.svm"});
  EXPECT_EQ(ScratchDir::slurp(dir.file("stdin.thresh")), model());
}

// The ridge may have been chosen on fewer rows, which did fit into memory.
TEST_F(CliChoose, AGivenRidgeNeedsWhatMemoryItNeeds) {
  const Words options{"a.svm", "--features", "5", "--ridge", "1"};
  const std::string usual = train(options, "m.thresh");
  EXPECT_EQ(train(plus(options, {"--memory", "1K"}), "m.thresh"), usual);
}

// Held-out rows choose the best of all sizes up to the limit, and the model has all rows.
TEST_F(CliChoose, ASizeThatIsGivenIsAnUpperLimit) {
  const Json usual = choose({"--holdout", "20%"});
  const std::uint64_t size = usual.at("chosen");
  for (const char* limit : {"20", "31"}) {
    const Json json = choose({"--holdout", "20%", "--features", limit, "--by", "error"});
    EXPECT_LE(json.at("nonzeros"), std::stoul(limit));
    EXPECT_LE(json.at("best_valid_error"), usual.at("best_valid_error"));
    EXPECT_EQ(uncalibrated(model()), uncalibrated(same_by_hand(json, {})));
  }
  EXPECT_LE(choose({"--holdout", "20%", "--features", "2"}).at("nonzeros"), 2);
  EXPECT_LE(choose({"--holdout", "20%", "--density", "10%"}).at("nonzeros"), 3);
  EXPECT_GT(size, 2U);
  // A trace is that of a single run.
  train({"a.svm", "--holdout", "20%", "--features", "20", "--trace", "t"}, "m.thresh");
  EXPECT_EQ(weights().size(), 20U);
}

TEST_F(CliChoose, ClassesAndValues) {
  dir.write("c.svm", three_classes());
  for (const Words& options : {Words{}, Words{"--multiclass", "softmax"}}) {
    const Json json = choose(options, "c.svm");
    EXPECT_EQ(json.at("chosen"), 1);
    EXPECT_EQ(json.at("nonzeros"), 3);
    EXPECT_EQ(model(), same_by_hand(json, options, "c.svm"));
    EXPECT_EQ(good_json({"eval", "m.thresh", "c.svm", "--json"}).at("error"), 0.0);
  }
  EXPECT_TRUE(contains(good({"train", "c.svm"}), "3 of 24 weights"));
  const Words values{"--task", "regression"};
  const Json json = choose(values, "c.svm");
  EXPECT_EQ(json.at("chosen"), 2);  // the label is x2 + 2 x3
  EXPECT_EQ(model(), same_by_hand(json, values, "c.svm"));
  EXPECT_TRUE(contains(good(plus({"train", "c.svm"}, values)), "valid RMSE"));
  EXPECT_EQ(choose(plus(values, {"--max-error", "0.9"}), "c.svm").at("chosen"), 1);
  EXPECT_TRUE(contains(bad(1, plus({"train", "c.svm", "--max-error", "-1"}, values)), "no model"));
}

TEST_F(CliChoose, AnInterruptionWritesNothing) {
  Process process(command({"train", "a.svm", "--passes", "1000000000"}));
  ASSERT_TRUE(
      process.run_until([&] { return contains(process.err(), "learning models of all sizes"); }));
  process.signal(SIGINT);
  const Result stopped = process.finish();
  EXPECT_EQ(stopped.exit, 130) << stopped;
  EXPECT_EQ(stopped.out, "");
  EXPECT_TRUE(contains(stopped.err, "thresh: interrupted; no file was written\n"));
  EXPECT_EQ(files(), (Words{"a.svm"}));
}

// Errors are all the same there: no row is more likely than not of the rare class. Losses are not.
TEST_F(CliChoose, ARareClassThatNoModelPredictsIsFoundByLoss) {
  std::string rows;
  for (int i = 0; i < 4000; ++i) {
    const bool a = i % 7 == 0, b = i % 11 == 0;
    const bool rare = i % 40 < (a ? 9 : 0) + (b ? 9 : 0);
    rows += fmt::format("{}{}{} 3:1 {}:0.5\n", rare ? "+1" : "-1", a ? " 1:1" : "", b ? " 2:1" : "",
                        4 + i % 5);
  }
  dir.write("rare.svm", rows);
  EXPECT_GE(choose({}, "rare.svm").at("chosen"), 2);
  const Result result = thresh({"train", "rare.svm", "-q", "--by", "error"});
  EXPECT_EQ(result.exit, 0) << result;
  EXPECT_TRUE(contains(result.err,
                       "thresh: warning: no model is better than the constant one, which ignores "
                       "all features; by loss, "));
  EXPECT_TRUE(weights("rare.svm.thresh").empty());
}

// Sizes are compared on few rows, so that it is the last run, on all of them, that takes long.
TEST_F(CliChoose, AnInterruptionOfTheLastRunKeepsTheModelSoFar) {
  dir.write("b.svm", few_decide(40000));
  Process process(command({"train", "b.svm", "--holdout", "99.9%", "--passes", "2000"}));
  ASSERT_TRUE(process.run_until([&] { return contains(process.err(), "non-zeros"); }));
  process.signal(SIGINT);
  const Result stopped = process.finish();
  EXPECT_EQ(stopped.exit, 130) << stopped;
  EXPECT_TRUE(stopped.err.ends_with("thresh: stopped; the model so far is in b.svm.thresh\n"));
  EXPECT_TRUE(contains(stopped.out, "model: b.svm.thresh (interrupted; "));
  const Json json = good_json({"export", "b.svm.thresh", "--format", "json"});
  EXPECT_EQ(json.at("summary").at("status"), "stopped");
  EXPECT_GT(json.at("summary").at("examples"), 0);
  EXPECT_FALSE(json.at("weights").empty());
  EXPECT_LE(json.at("weights").size(), json.at("options").at("features"));
}

TEST_F(CliChoose, RowsTooFewToHoldAnyOutAreSaidToBe) {
  dir.write("two.svm", "+1 1:1\n-1 2:1\n");
  EXPECT_TRUE(contains(bad(1, {"train", "two.svm"}), "nothing to validate on"));
  EXPECT_EQ(files(), (Words{"a.svm", "two.svm"}));
}

}  // namespace
