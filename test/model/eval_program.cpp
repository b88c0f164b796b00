// thresh eval: every number against a plain computation from the margins.

#include <algorithm>
#include <cmath>

#include "tools/program.hpp"

namespace {

struct Counts {
  double tp = 0, fp = 0, tn = 0, fn = 0;
  double total() const { return tp + fp + tn + fn; }
};

Counts count(const std::vector<SvmRow>& rows, const std::vector<double>& margins,
             const std::vector<double>& weights) {
  Counts c;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double& cell =
        rows[i].label > 0 ? (margins[i] > 0 ? c.tp : c.fn) : (margins[i] > 0 ? c.fp : c.tn);
    cell += weights[i];
  }
  return c;
}

// The share of pairs in the right order, ties half: the definition.
double auc(const std::vector<SvmRow>& rows, const std::vector<double>& margins,
           const std::vector<double>& weights) {
  double right = 0, pairs = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows.size(); ++j) {
      if (!(rows[i].label > 0 && rows[j].label < 0)) continue;
      const double pair = weights[i] * weights[j];
      right += margins[i] > margins[j] ? pair : margins[i] == margins[j] ? pair / 2 : 0;
      pairs += pair;
    }
  }
  return right / pairs;
}

}  // namespace

class CliEval : public CliTest {
 protected:
  const std::string text = random_rows({.seed = 9});
  const std::vector<SvmRow> rows = parse_rows(text);

  void SetUp() override {
    dir.write("train.svm", random_rows({}));
    dir.write("a.svm", text);
    train({"train.svm", "--holdout", "20%", "--calibrate", "--passes", "1"});
  }
  void check(const Json& json, const std::vector<double>& row_weights) const {
    const std::vector<double> margin = margins("m.thresh", "a.svm");
    const Counts c = count(rows, margin, row_weights);
    const double precision = c.tp / (c.tp + c.fp), recall = c.tp / (c.tp + c.fn);
    EXPECT_EQ(json.at("rows"), rows.size());
    EXPECT_NEAR(json.at("error"), (c.fp + c.fn) / c.total(), 1e-12);
    EXPECT_NEAR(json.at("accuracy"), (c.tp + c.tn) / c.total(), 1e-12);
    EXPECT_NEAR(json.at("precision"), precision, 1e-12);
    EXPECT_NEAR(json.at("recall"), recall, 1e-12);
    EXPECT_NEAR(json.at("f1"), 2 * precision * recall / (precision + recall), 1e-12);
    EXPECT_NEAR(json.at("auc"), auc(rows, margin, row_weights), 1e-12);
    EXPECT_GT(c.fp + c.fn, 0);
  }
};

TEST_F(CliEval, JsonHoldsFractions) {
  const Json json = good_json({"eval", "m.thresh", "a.svm", "--json"});
  check(json, std::vector<double>(rows.size(), 1));
  EXPECT_EQ(json.at("nonzeros"), weights().size());
  EXPECT_EQ(json.at("dimension"), 40);
}

TEST_F(CliEval, ExampleWeightsCount) {
  std::string w;
  std::vector<double> row_weights;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    row_weights.push_back(static_cast<double>(i % 4 + 1));
    w += std::to_string(i % 4 + 1) + "\n";
  }
  dir.write("w", w);
  check(good_json({"eval", "m.thresh", "a.svm", "--weights", "w", "--json"}), row_weights);
}

TEST_F(CliEval, WeightsMustFitTheRows) {
  for (const std::size_t count : {rows.size() - 1, rows.size() + 1}) {
    std::string w;
    for (std::size_t i = 0; i < count; ++i) w += "1\n";
    dir.write("w", w);
    EXPECT_TRUE(contains(bad(1, {"eval", "m.thresh", "a.svm", "--weights", "w"}), "thresh: w: "));
  }
}

TEST_F(CliEval, LogLossIsThatOfTheProbabilities) {
  const std::vector<double> p =
      parse_numbers(good({"predict", "m.thresh", "a.svm", "--output", "probability"}));
  double sum = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    sum -= std::log(rows[i].label > 0 ? p[i] : 1 - p[i]);
  }
  const Json json = good_json({"eval", "m.thresh", "a.svm", "--json"});
  EXPECT_NEAR(json.at("log_loss"), sum / static_cast<double>(rows.size()), 1e-9);
}

TEST_F(CliEval, NoProbabilitiesNoLogLoss) {
  train({"train.svm"}, "raw.thresh");
  EXPECT_TRUE(good_json({"eval", "raw.thresh", "a.svm", "--json"}).at("log_loss").is_null());
  EXPECT_TRUE(contains(good({"eval", "raw.thresh", "a.svm"}), "--calibrate"));
}

TEST_F(CliEval, TextForPeople) {
  const std::string report = good({"eval", "m.thresh", "a.svm"});
  for (const char* name :
       {"error", "accuracy", "log-loss", "AUC", "F1", "precision", "recall", "non-zeros"}) {
    EXPECT_TRUE(contains(report, name));
  }
}

TEST_F(CliEval, OneClassLeavesSomeNumbersUndefined) {
  dir.write("one.svm", "-1 1:1\n-1 2:1\n");
  const Json json = good_json({"eval", "m.thresh", "one.svm", "--json"});
  EXPECT_TRUE(json.at("auc").is_null());
  EXPECT_TRUE(json.at("recall").is_null());
  EXPECT_TRUE(json.at("error").is_number());
}

TEST_F(CliEval, NoRowsIsAnError) {
  dir.write("none.svm", "# nothing\n");
  EXPECT_TRUE(contains(bad(1, {"eval", "m.thresh", "none.svm"}), "thresh: none.svm: no rows"));
  const Result result = thresh_reading("", {"eval", "m.thresh", "-"});
  EXPECT_EQ(result.exit, 1);
  EXPECT_TRUE(contains(complaint(result), "<stdin>: no rows"));
}

TEST_F(CliEval, AnySource) {
  const std::string expected = good({"eval", "m.thresh", "a.svm", "--json"});
  dir.write("a.zst", zstd(text));
  EXPECT_EQ(good({"eval", "m.thresh", "a.zst", "--json"}), expected);
  EXPECT_EQ(thresh_reading(text, {"eval", "m.thresh", "-", "--json"}).out, expected);
}

TEST_F(CliEval, SkippedRowsAreCountedNotSilent) {
  dir.write("bad.svm", text + "1 1:x\n");
  const Result result = thresh({"eval", "m.thresh", "bad.svm", "--on-bad-row", "skip", "--json"});
  EXPECT_EQ(result.exit, 0) << result;
  EXPECT_EQ(Json::parse(result.out).at("rows"), rows.size());
  EXPECT_TRUE(contains(result.err + result.out, "bad")) << "the skipped row is not mentioned";
}

TEST_F(CliEval, Regression) {
  // y = 2 x1 - x3 + 0.5 against 3, 1.5 and 0: off by -0.5, -1 and -1.5.
  dir.write("r.thresh", handmade_model(regression_header(), {"1\t2", "3\t-1"}));
  dir.write("r.svm", "3 1:1\n1.5 2:1\n0 3:2\n");
  EXPECT_EQ(good({"predict", "r.thresh", "r.svm"}), "2.5\n0.5\n-1.5\n");
  const Json json = good_json({"eval", "r.thresh", "r.svm", "--json"});
  EXPECT_NEAR(json.at("rmse"), std::sqrt(3.5 / 3), 1e-12);
  EXPECT_NEAR(json.at("mae"), 1, 1e-12);
  EXPECT_NEAR(json.at("r2"), 1 - 3.5 / 4.5, 1e-12);
  const std::string report = good({"eval", "r.thresh", "r.svm"});
  EXPECT_TRUE(contains(report, "RMSE"));
  EXPECT_TRUE(contains(report, "R2"));
}
