// thresh explain: what each feature adds to the margin of a row.

#include <cmath>
#include <map>

#include "tools/program.hpp"

class CliExplain : public CliTest {
 protected:
  const std::string rows = random_rows({});

  void SetUp() override { dir.write("a.svm", rows); }

  std::vector<Json> explanations(Words arguments) const {
    arguments.insert(arguments.begin(), "explain");
    arguments.push_back("--json");
    std::vector<Json> all;
    for (const std::string& line : lines_of(good(arguments))) all.push_back(Json::parse(line));
    return all;
  }
};

// The twin: weights and rows as text, every feature taken out by hand.
TEST_F(CliExplain, ContributionsAreWeightsTimesValuesAndAddUpToTheMargin) {
  train({"a.svm"});
  const auto all = explanations({"m.thresh", "a.svm", "--top", "1000"});
  const std::vector<double> margin = margins("m.thresh", "a.svm");
  const std::vector<SvmRow> data = parse_rows(rows);
  std::map<std::uint64_t, double> weight;
  for (const Weight& w : weights()) weight[w.index] = w.value;
  ASSERT_EQ(all.size(), data.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].at("row"), i + 1);
    double sum = all[i].at("intercept"), before = std::numeric_limits<double>::infinity();
    std::size_t known = 0;
    for (const auto& [index, value] : data[i].entries)
      known += value != 0 ? weight.count(index) : 0;
    ASSERT_EQ(all[i].at("features").size(), known);
    for (const Json& feature : all[i].at("features")) {
      const double amount = feature.at("contribution");
      EXPECT_EQ(amount, weight.at(feature.at("index")) * feature.at("value").get<double>());
      EXPECT_LE(std::fabs(amount), before);
      EXPECT_EQ(feature.at("decisive"), (margin[i] > 0) != (margin[i] - amount > 0));
      before = std::fabs(amount);
      sum += amount;
    }
    EXPECT_NEAR(sum, margin[i], 1e-12 * (1 + std::fabs(margin[i])));
  }
}

TEST_F(CliExplain, SummaryCountsWhatTheRowsSay) {
  train({"a.svm"});
  struct Use {
    std::uint64_t rows = 0, strongest = 0, decisive = 0;
    double sum = 0;
  };
  std::map<std::uint64_t, Use> expected;
  for (const Json& row : explanations({"m.thresh", "a.svm", "--top", "1000"})) {
    bool first = true;
    for (const Json& feature : row.at("features")) {
      Use& use = expected[feature.at("index")];
      ++use.rows;
      use.strongest += first ? 1 : 0;
      use.decisive += feature.at("decisive") ? 1 : 0;
      use.sum += feature.at("contribution").get<double>();
      first = false;
    }
  }
  const Json summary =
      good_json({"explain", "m.thresh", "a.svm", "--summary", "--top", "1000", "--json"});
  EXPECT_EQ(summary.at("features").size(), expected.size());
  double before = std::numeric_limits<double>::infinity();
  for (const Json& feature : summary.at("features")) {
    const Use& use = expected.at(feature.at("index"));
    EXPECT_EQ(feature.at("rows"), use.rows);
    EXPECT_EQ(feature.at("strongest"), use.strongest);
    EXPECT_EQ(feature.at("decisive"), use.decisive);
    EXPECT_NEAR(feature.at("mean"), use.sum / static_cast<double>(use.rows), 1e-12);
    const double total = feature.at("mean_magnitude").get<double>() * static_cast<double>(use.rows);
    EXPECT_LE(total, before * (1 + 1e-12));
    before = total;
  }
}

// With several classes the predicted one is explained, and a feature decides if another class wins
// without it.
TEST_F(CliExplain, ThePredictedOfSeveralClasses) {
  dir.write("three.svm", "0 1:1\n1 2:1\n2 3:1\n0 1:2\n1 2:2\n2 3:2\n0 1:1\n1 2:3\n2 3:1\n");
  train({"three.svm", "--passes", "20"});
  for (const Json& row : explanations({"m.thresh", "three.svm"})) {
    const std::uint64_t label = row.at("label");
    ASSERT_EQ(row.at("features").size(), 1U);
    EXPECT_EQ(row.at("features")[0].at("index"), label + 1);
    EXPECT_GT(row.at("features")[0].at("contribution"), 0);
  }
}

TEST_F(CliExplain, NamesAndTheRestInText) {
  dir.write("t.csv", "size,weight,color,label\n5,1,red,1\n1,2,blue,0\n6,1,red,1\n2,2,blue,0\n");
  train({"t.csv", "--no-intercept"});
  const std::string text = good({"explain", "m.thresh", "t.csv", "--top", "1"});
  EXPECT_TRUE(contains(text, "row 1: 1, margin "));
  EXPECT_TRUE(contains(text, "  size = 5, weight "));
  EXPECT_TRUE(contains(text, " more\n"));
  EXPECT_FALSE(contains(text, "intercept"));
  EXPECT_TRUE(contains(good({"explain", "m.thresh", "t.csv", "--summary"}), "4 rows, "));
}

TEST_F(CliExplain, MistakesGetOneLine) {
  train({"a.svm"});
  EXPECT_TRUE(contains(bad(1, {"explain", "m.thresh", "none.svm"}), "none.svm"));
  EXPECT_TRUE(contains(bad(2, {"explain", "m.thresh", "a.svm", "-o", "a.svm"}), "a.svm"));
  EXPECT_TRUE(contains(bad(2, {"explain", "m.thresh", "a.svm", "--top", "-1"}), "--top"));
  dir.write("bad.svm", "1 1:1\n1 2:x\n");
  EXPECT_TRUE(contains(bad(1, {"explain", "m.thresh", "bad.svm", "-o", "out"}), "bad.svm:2"));
  EXPECT_FALSE(exists("out"));
}
