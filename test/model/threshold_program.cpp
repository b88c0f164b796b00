// thresh threshold and predict --threshold.

#include <algorithm>
#include <cmath>

#include "tools/program.hpp"

class CliThreshold : public CliTest {
 protected:
  void SetUp() override {
    dir.write("a.svm", random_rows({.rows = 600}));
    dir.write("b.svm", random_rows({.rows = 500, .seed = 2}));
    train({"a.svm", "--holdout", "20%", "--calibrate"});
    margin = margins("m.thresh", "b.svm");
    for (const SvmRow& row : parse_rows(ScratchDir::slurp(dir.file("b.svm")))) {
      positive.push_back(row.label > 0);
    }
  }

  struct Counts {
    double hits = 0, misses = 0, alarms = 0;
    double f1() const { return 2 * hits / (2 * hits + misses + alarms); }
  };
  Counts at(double threshold) const {
    Counts counts;
    for (std::size_t i = 0; i < margin.size(); ++i) {
      const bool yes = margin[i] > threshold;
      if (positive[i]) ++(yes ? counts.hits : counts.misses);
      if (!positive[i] && yes) ++counts.alarms;
    }
    return counts;
  }
  // Just below every margin, and above all.
  std::vector<double> every_threshold() const {
    std::vector<double> all = {*std::max_element(margin.begin(), margin.end())};
    for (const double m : margin) all.push_back(std::nextafter(m, -1e300));
    return all;
  }

  std::vector<double> margin;
  std::vector<bool> positive;
};

// Against a search that counts all rows anew for every threshold.
TEST_F(CliThreshold, IsTheBestOfAll) {
  const auto chosen = [&](const std::string& by) {
    const double t =
        good_json({"threshold", "m.thresh", "b.svm", "--by", by, "--json"}).at("margin");
    return at(t);
  };
  double f1 = 0, cost = 1e300, positives = 1e300;
  double truth = 0;
  for (const bool p : positive) truth += p ? 1 : 0;
  for (const double t : every_threshold()) {
    const Counts c = at(t);
    f1 = std::max(f1, c.f1());
    cost = std::min(cost, 10 * c.misses + c.alarms);
    if (c.hits >= 0.95 * truth) positives = std::min(positives, c.hits + c.alarms);
  }
  EXPECT_EQ(chosen("f1").f1(), f1);
  const Counts careful = chosen("cost=10:1");
  EXPECT_EQ(10 * careful.misses + careful.alarms, cost);
  const Counts complete = chosen("recall=0.95");
  EXPECT_EQ(complete.hits + complete.alarms, positives);
  EXPECT_GE(complete.hits, 0.95 * truth);
  EXPECT_EQ(chosen("recall=1").misses, 0);
}

TEST_F(CliThreshold, IsStoredAndUsedByEveryCommand) {
  const std::string before = ScratchDir::slurp(dir.file("m.thresh"));
  const Json chosen = good_json(
      {"threshold", "m.thresh", "b.svm", "--by", "cost=10:1", "-o", "t.thresh", "--json"});
  EXPECT_EQ(ScratchDir::slurp(dir.file("m.thresh")), before);
  EXPECT_TRUE(before.starts_with("thresh-model 1\n"));
  EXPECT_TRUE(ScratchDir::slurp(dir.file("t.thresh")).starts_with("thresh-model 5\n"));
  const double t = chosen.at("margin");
  const Words labels = lines_of(good({"predict", "t.thresh", "b.svm"}));
  for (std::size_t i = 0; i < labels.size(); ++i) EXPECT_EQ(labels[i], margin[i] > t ? "1" : "-1");
  const Json eval = good_json({"eval", "t.thresh", "b.svm", "--json"});
  EXPECT_EQ(eval.at("confusion"), chosen.at("after").at("confusion"));
  EXPECT_EQ(good_json({"eval", "m.thresh", "b.svm", "--json"}).at("confusion"),
            chosen.at("before").at("confusion"));
  EXPECT_EQ(margins("t.thresh", "b.svm"), margin);
  const Json compared = good_json({"compare", "m.thresh", "t.thresh", "b.svm", "--json"});
  const Json again = good_json({"threshold", "t.thresh", "b.svm", "--by", "cost=10:1", "--json"});
  EXPECT_EQ(again.at("margin"), t);
  EXPECT_GT(compared.at("differing").size(), 0U);
}

TEST_F(CliThreshold, OfPredict) {
  const std::vector<double> p =
      parse_numbers(good({"predict", "m.thresh", "b.svm", "--output", "probability"}));
  const Words labels = lines_of(good({"predict", "m.thresh", "b.svm", "--threshold", "0.3"}));
  for (std::size_t i = 0; i < p.size(); ++i) EXPECT_EQ(labels[i], p[i] > 0.3 ? "1" : "-1") << i;
  const Words by_margin =
      lines_of(good({"predict", "m.thresh", "b.svm", "--threshold", "margin=0.5"}));
  for (std::size_t i = 0; i < p.size(); ++i) {
    EXPECT_EQ(by_margin[i], margin[i] > 0.5 ? "1" : "-1") << i;
  }
}

// The rows that a run holds out are those of --valid here, so the command must find the same.
TEST_F(CliThreshold, IsChosenInTraining) {
  for (const std::string by : {"f1", "cost=10:1", "recall=0.95"}) {
    const Json json = good_json({"train", "a.svm", "--solver", "fobos", "--valid", "b.svm",
                                 "--threshold-by", by, "-o", "t.thresh", "--json"});
    const Json stored = json.at("threshold");
    EXPECT_EQ(stored.at("by"), by);
    const Json chosen = good_json({"threshold", "t.thresh", "b.svm", "--by", by, "--json"});
    EXPECT_EQ(chosen.at("before").at("confusion"), chosen.at("after").at("confusion")) << by;
    // Margins of held-out rows are floats.
    EXPECT_NEAR(stored.at("margin").get<double>(), chosen.at("margin").get<double>(), 1e-5);
  }
  good({"train", "a.svm", "--solver", "fobos", "--valid", "b.svm", "-q", "-o", "plain.thresh"});
  EXPECT_EQ(margins("plain.thresh", "b.svm"), margins("t.thresh", "b.svm"));
}

// Without --valid the rows that choose the size choose the threshold, and all rows the weights.
TEST_F(CliThreshold, IsChosenWithTheSize) {
  default_solver = "";
  for (const Words& how : {Words{}, Words{"--holdout", "30%"}, Words{"--features", "5"}}) {
    Words words = {"train", "a.svm", "--threshold-by", "cost=20:1", "-o", "t.thresh"};
    words.insert(words.end(), how.begin(), how.end());
    EXPECT_TRUE(contains(good(words), "\nthreshold: margin -"));
    words.push_back("--json");
    const Json stored = good_json(words).at("threshold");
    EXPECT_LT(stored.at("margin").get<double>(), 0);
    EXPECT_LT(stored.at("probability").get<double>(), 0.5);
    EXPECT_EQ(stored.at("by"), "cost=20:1");
    const Json at = good_json({"eval", "t.thresh", "b.svm", "--json"}).at("confusion");
    words = {"train", "a.svm", "-q", "-o", "plain.thresh"};
    words.insert(words.end(), how.begin(), how.end());
    good(words);
    EXPECT_EQ(margins("plain.thresh", "b.svm"), margins("t.thresh", "b.svm"));
    const Json plain = good_json({"eval", "plain.thresh", "b.svm", "--json"}).at("confusion");
    const auto cost = [](const Json& c) {
      return 20 * c.at("fn").get<double>() + c.at("fp").get<double>();
    };
    EXPECT_LT(cost(at), cost(plain));
  }
}

TEST_F(CliThreshold, ErrorsOfTraining) {
  default_solver = "";
  const auto refused = [&](Words arguments, const char* why) {
    arguments.insert(arguments.begin(), "train");
    arguments.insert(arguments.end(), {"-q", "-o", "t.thresh"});
    EXPECT_TRUE(contains(bad(2, std::move(arguments)), why));
    EXPECT_FALSE(exists("t.thresh"));
  };
  refused({"a.svm", "--threshold-by", "f2"}, "give f1");
  refused({"a.svm", "--solver", "fobos", "--holdout", "20%", "--threshold-by", "f2"}, "give f1");
  refused({"a.svm", "--solver", "fobos", "--threshold-by", "f1"}, "needs held-out rows");
  dir.write("three.svm", "1 1:1\n2 2:1\n3 3:1\n1 1:2\n2 2:2\n3 3:2\n");
  refused({"three.svm", "--threshold-by", "f1"}, "two classes");
  refused({"three.svm", "--solver", "fobos", "--valid", "three.svm", "--threshold-by", "f1"},
          "two classes");
  refused({"a.svm", "--solver", "margin-perceptron", "--valid", "b.svm", "--certify",
           "--threshold-by", "f1"},
          "about margin 0");
  refused({"a.svm", "--task", "regression", "--threshold-by", "f1"}, "two classes");
  refused({"a.svm", "--task", "regression", "--solver", "cd", "--valid", "b.svm", "--threshold-by",
           "f1"},
          "classification");
}

TEST_F(CliThreshold, Errors) {
  const auto refused = [&](int code, Words arguments, const char* why) {
    EXPECT_TRUE(contains(bad(code, std::move(arguments)), why));
  };
  for (const char* by :
       {"f2", "cost=1", "cost=0:1", "cost=1:x", "recall=0", "recall=1.5", "", "recall"}) {
    refused(2, {"threshold", "m.thresh", "b.svm", "--by", by, "-o", "t.thresh"}, "give f1");
  }
  EXPECT_FALSE(exists("t.thresh"));
  dir.write("one.svm", "1 1:1\n1 2:1\n");
  refused(1, {"threshold", "m.thresh", "one.svm"}, "both classes");
  dir.write("none.svm", "");
  refused(1, {"threshold", "m.thresh", "none.svm"}, "no rows");
  refused(2, {"threshold", "m.thresh", "b.svm", "-o", "m.thresh"}, "overwrite");
  refused(2, {"predict", "m.thresh", "b.svm", "--threshold", "1.5"}, "above 0 and below 1");
  refused(2, {"predict", "m.thresh", "b.svm", "--threshold", "x"}, "--threshold");
  train({"a.svm"}, "plain.thresh");
  refused(2, {"predict", "plain.thresh", "b.svm", "--threshold", "0.5"}, "margin=X");
  dir.write("value.thresh", handmade_model(regression_header(), {"1\t2", "3\t-1"}));
  refused(2, {"predict", "value.thresh", "b.svm", "--threshold", "margin=1"}, "two classes");
  refused(1, {"threshold", "value.thresh", "b.svm"}, "two classes");
}
