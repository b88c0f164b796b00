// thresh compare: two models on the same rows.

#include <cmath>

#include "tools/program.hpp"

class CliCompare : public CliTest {
 protected:
  const std::string rows = random_rows({.rows = 400});

  void SetUp() override {
    dir.write("a.svm", rows);
    train({"a.svm", "--features", "2"}, "small.thresh");
    train({"a.svm"}, "large.thresh");
  }
  Words labels(const std::string& model) const {
    return lines_of(good({"predict", model, "a.svm"}));
  }
};

TEST_F(CliCompare, CountsWhatPredictPredicts) {
  const Json json = good_json(
      {"compare", "small.thresh", "large.thresh", "a.svm", "--json", "-o", "differing.tsv"});
  const Words first = labels("small.thresh"), second = labels("large.thresh");
  const std::vector<SvmRow> data = parse_rows(rows);
  std::uint64_t only_first = 0, only_second = 0, neither = 0;
  std::string differing = "row\ttruth\tA\tB\n";
  for (std::size_t i = 0; i < data.size(); ++i) {
    const std::string truth = data[i].label > 0 ? "1" : "-1";
    only_first += first[i] == truth && second[i] != truth ? 1 : 0;
    only_second += first[i] != truth && second[i] == truth ? 1 : 0;
    neither += first[i] != truth && second[i] != truth ? 1 : 0;
    if (first[i] == second[i]) continue;
    differing += std::to_string(i + 1) + "\t" + truth + "\t" + first[i] + "\t" + second[i] + "\n";
  }
  ASSERT_GT(only_second, 0U);
  EXPECT_EQ(json.at("only_a_right"), only_first);
  EXPECT_EQ(json.at("only_b_right"), only_second);
  EXPECT_EQ(json.at("both_wrong"), neither);
  EXPECT_LT(json.at("p_value"), 1);
  EXPECT_EQ(ScratchDir::slurp(dir.file("differing.tsv")), differing);
  const auto n = static_cast<double>(data.size());
  const double difference =
      (static_cast<double>(only_first) - static_cast<double>(only_second)) / n;
  EXPECT_NEAR(json.at("error").at("difference"), difference, 1e-12);
  EXPECT_LT(json.at("error").at("interval")[0], difference);
  EXPECT_GT(json.at("error").at("interval")[1], difference);
}

TEST_F(CliCompare, AModelDoesNotDifferFromItself) {
  const std::string text = good({"compare", "small.thresh", "small.thresh", "a.svm"});
  EXPECT_TRUE(contains(text, "verdict     no difference beyond chance (p = 1)"));
  EXPECT_FALSE(contains(text, "differ on"));
}

TEST_F(CliCompare, NumbersByTheirResiduals) {
  dir.write("r.svm", "1 1:1\n2 1:2\n3 1:3\n9 1:4\n");
  train({"r.svm", "--task", "regression", "--solver", "cd", "--loss", "squared"}, "r.thresh");
  train({"r.svm", "--task", "regression", "--solver", "cd", "--loss", "squared", "--lambda", "9"},
        "none.thresh");
  const Json json = good_json({"compare", "none.thresh", "r.thresh", "r.svm", "--json"});
  const auto mae = [&](const char* model) {
    return good_json({"eval", model, "r.svm", "--json"}).at("mae").get<double>();
  };
  EXPECT_NEAR(json.at("absolute_error").at("a"), mae("none.thresh"), 1e-12);
  EXPECT_NEAR(json.at("absolute_error").at("b"), mae("r.thresh"), 1e-12);
  const Json shown = json.at("differing").at("rows");
  ASSERT_EQ(shown.size(), 4U);  // the one furthest apart first
  for (std::size_t i = 1; i < shown.size(); ++i) {
    const auto apart = [&](std::size_t k) {
      return std::fabs(shown[k].at("a").get<double>() - shown[k].at("b").get<double>());
    };
    EXPECT_GE(apart(i - 1), apart(i));
  }
}

// Words are numbered in the order in which the training rows have them.
TEST_F(CliCompare, WordsAreMatchedNotTheirNumbers) {
  dir.write("one.csv", "x,label\n1,cat\n-1,dog\n2,cat\n-2,dog\n");
  dir.write("other.csv", "x,label\n-1,dog\n1,cat\n-2,dog\n2,cat\n");
  train({"one.csv"}, "one.thresh");
  train({"other.csv"}, "other.thresh");
  const Json json = good_json({"compare", "one.thresh", "other.thresh", "one.csv", "--json"});
  EXPECT_EQ(json.at("error").at("a"), 0);
  EXPECT_EQ(json.at("error").at("b"), 0);
  EXPECT_EQ(json.at("differing").at("count"), 0);
}

TEST_F(CliCompare, MistakesGetOneLine) {
  const Words models = {"small.thresh", "large.thresh"};
  EXPECT_TRUE(contains(bad(2, {"compare", models[0], models[1], "-"}), "must be a file"));
  EXPECT_TRUE(contains(bad(1, {"compare", models[0], models[1], "none"}), "none"));
  dir.write("r.svm", "1 1:1\n2 1:2\n3 1:3\n9 1:4\n");
  train({"r.svm", "--task", "regression", "--solver", "cd", "--loss", "squared"}, "r.thresh");
  EXPECT_TRUE(contains(bad(2, {"compare", models[0], "r.thresh", "a.svm"}), "numbers"));
  dir.write("l.svm", "5 1:1\n6 1:-2\n5 1:3\n6 1:-4\n");
  train({"l.svm"}, "l.thresh");
  EXPECT_TRUE(contains(bad(2, {"compare", models[0], "l.thresh", "a.svm"}), "different classes"));
  dir.write("empty.svm", "");
  EXPECT_TRUE(contains(bad(1, {"compare", models[0], models[1], "empty.svm"}), "no rows"));
}
