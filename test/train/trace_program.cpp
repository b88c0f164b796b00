// --trace: one JSON object a line, in order, at the moments asked for.

#include <set>

#include "tools/program.hpp"

class CliTrace : public CliTest {
 protected:
  void SetUp() override {
    dir.write("a.svm", random_rows({.rows = 2000, .features = 200}));
    dir.write("v.svm", random_rows({.rows = 500, .features = 200, .seed = 2}));
  }
  std::vector<Json> trace(Words options) const {
    options.insert(options.begin(), {"a.svm", "--trace", "t.jsonl"});
    train(options);
    std::vector<Json> points;
    for (const std::string& line : lines_of(ScratchDir::slurp(dir.file("t.jsonl")))) {
      points.push_back(Json::parse(line));
    }
    EXPECT_FALSE(points.empty());
    return points;
  }
  // Examples at every point. A moment is told once.
  static std::vector<std::uint64_t> moments(const std::vector<Json>& points) {
    std::vector<std::uint64_t> examples;
    for (const Json& point : points) examples.push_back(point.at("examples"));
    return examples;
  }
};

TEST_F(CliTrace, FieldsOfEveryLine) {
  for (const Json& point : trace({"--valid", "v.svm", "--passes", "2"})) {
    std::set<std::string> keys;
    for (const auto& item : point.items()) keys.insert(item.key());
    EXPECT_EQ(keys, (std::set<std::string>{
                        "pass", "examples", "updates", "data_accesses", "seconds", "objective",
                        "nonzeros", "density", "train_error", "valid_error", "valid_error_se",
                        "valid_loss", "valid_rows", "valid_weight", "exponents_within",
                        "exponents_mean", "exponents_deviation"}));
    EXPECT_DOUBLE_EQ(point.at("density"), point.at("nonzeros").get<double>() / 200);
    EXPECT_TRUE(point.at("valid_error").is_number());
  }
}

TEST_F(CliTrace, CountersNeverFall) {
  const std::vector<Json> points = trace({"--trace-at", "100", "--passes", "3"});
  for (std::size_t i = 1; i < points.size(); ++i) {
    for (const char* key : {"pass", "examples", "updates", "data_accesses", "seconds"}) {
      EXPECT_LE(points[i - 1].at(key), points[i].at(key)) << key;
    }
  }
}

TEST_F(CliTrace, PassesAreTheDefault) {
  EXPECT_EQ(moments(trace({"--passes", "3"})), (std::vector<std::uint64_t>{2000, 4000, 6000}));
  EXPECT_EQ(moments(trace({"--passes", "3", "--trace-at", "passes"})),
            (std::vector<std::uint64_t>{2000, 4000, 6000}));
}

TEST_F(CliTrace, EveryNExamplesAndTheEnd) {
  EXPECT_EQ(moments(trace({"--passes", "1", "--trace-at", "700"})),
            (std::vector<std::uint64_t>{700, 1400, 2000}));
}

TEST_F(CliTrace, TheEndIsToldOnce) {
  EXPECT_EQ(moments(trace({"--passes", "1", "--trace-at", "1000"})),
            (std::vector<std::uint64_t>{1000, 2000}));
  dir.write("a.svm", kTiny);  // converges
  const std::vector<std::uint64_t> examples = moments(trace({"--trace-at", "passes"}));
  EXPECT_EQ(std::set<std::uint64_t>(examples.begin(), examples.end()).size(), examples.size());
}

TEST_F(CliTrace, Densities) {
  const std::vector<Json> points = trace({"--trace-at", "densities", "--passes", "2"});
  std::vector<double> marks = {0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8};
  for (const double mark : marks) {
    // Some line lies at the mark, but for the few features one row can add.
    bool found = false;
    for (const Json& point : points) {
      const double density = point.at("density");
      found = found || (density >= mark && density < mark + 5.0 / 200);
    }
    EXPECT_TRUE(found) << mark;
  }
}

TEST_F(CliTrace, LastLineIsTheModel) {
  const Json last = trace({"--valid", "v.svm", "--trace-at", "700", "--features", "120"}).back();
  EXPECT_EQ(last.at("nonzeros"), weights().size());
  const auto error = [&](const char* data) {
    return good_json({"eval", "m.thresh", data, "--json"}).at("error").get<double>();
  };
  EXPECT_DOUBLE_EQ(last.at("train_error"), error("a.svm"));
  EXPECT_DOUBLE_EQ(last.at("valid_error"), error("v.svm"));
}

TEST_F(CliTrace, ObjectiveIsTheMeanShortfall) {
  const Json last = trace({"--tau", "0.5", "--passes", "2"}).back();
  const std::vector<SvmRow> rows = parse_rows(ScratchDir::slurp(dir.file("a.svm")));
  const std::vector<double> margin = margins("m.thresh", "a.svm");
  double sum = 0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    sum += std::max(0.0, 0.5 - rows[i].label * margin[i]);
  EXPECT_NEAR(last.at("objective"), sum / static_cast<double>(rows.size()), 1e-12);
}

TEST_F(CliTrace, DataAccessesAreValuesRead) {
  dir.write("a.svm", "+1 1:1 2:1\n-1 3:1\n+1 1:1\n-1 4:0 5:1\n");
  const Json last = trace({"--passes", "1", "--order", "sequential", "--no-intercept"}).back();
  // Margins read 2 + 1 + 1 + 1 (a stored zero is nothing); all rows but the third are learned from.
  EXPECT_EQ(last.at("data_accesses"), 5 + 4);
  EXPECT_EQ(last.at("updates"), 3);
}

TEST_F(CliTrace, WatchingChangesNothing) {
  train({"a.svm"}, "blind.thresh");
  trace({"--trace-at", "100"});
  EXPECT_EQ(weights(), weights("blind.thresh"));
}

TEST_F(CliTrace, WorksOnAPipe) {
  const std::string rows = ScratchDir::slurp(dir.file("a.svm"));
  const std::vector<std::uint64_t> expected =
      moments(trace({"--trace-at", "900", "--passes", "2"}));
  const Result result = thresh_reading(
      rows, {"train", "-", "--trace", "p.jsonl", "--trace-at", "900", "--passes", "2", "-q"});
  EXPECT_EQ(result.exit, 0) << result;
  std::vector<Json> points;
  for (const std::string& line : lines_of(ScratchDir::slurp(dir.file("p.jsonl")))) {
    points.push_back(Json::parse(line));
  }
  EXPECT_EQ(moments(points), expected);
}

TEST_F(CliTrace, AppearsInTheReports) {
  const Json json =
      good_json({"train", "a.svm", "--trace-at", "passes", "--passes", "2", "--json"});
  EXPECT_EQ(json.at("trace").size(), 2U);
  const Result text = thresh({"train", "a.svm", "--trace-at", "densities", "--valid", "v.svm"});
  EXPECT_TRUE(contains(text.out, "valid error"));
}
