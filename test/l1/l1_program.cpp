// The exact l1 optimum from the command line: its certificate, its path, what it refuses.

#include "tools/program.hpp"

class CliL1 : public CliTest {
 protected:
  void SetUp() override { dir.write("a.svm", random_rows({.rows = 400})); }

  static double finding(const Json& json, const std::string& name) {
    for (const Json& each : json.at("theory")) {
      if (each.at("name") == name) return each.at("value");
    }
    ADD_FAILURE() << "no " << name;
    return 0;
  }
};

TEST_F(CliL1, SaysHowFarTheMinimumCanBe) {
  const Json json =
      good_json({"train", "a.svm", "--solver", "l1", "--lambda-ratio", "0.05", "--json"});
  EXPECT_EQ(json.at("status"), "converged");
  EXPECT_LE(finding(json, "duality gap"), 1e-6 * finding(json, "objective"));
  EXPECT_GE(finding(json, "duality gap"), -1e-15);
}

TEST_F(CliL1, StoppedOnTheWayItCertifiesNothing) {
  const Json json = good_json(
      {"train", "a.svm", "--solver", "l1", "--lambda-ratio", "0.001", "--passes", "1", "--json"});
  ASSERT_EQ(json.at("theory").size(), 1U);
  EXPECT_TRUE(json.at("theory").at(0).at("value").is_null());
}

TEST_F(CliL1, PathGoesThroughLambdasInOneRun) {
  const Json path = good_json({"path", "a.svm", "--solver", "l1", "--json", "--save", "models"});
  const Json& models = path.at("models");
  ASSERT_EQ(models.size(), 20U);
  EXPECT_EQ(models.front().at("nonzeros"), 0);
  EXPECT_EQ(models.front().at("value"), "1");
  EXPECT_EQ(models.back().at("value"), "0.001");
  for (std::size_t i = 1; i < models.size(); ++i) {
    EXPECT_LT(models[i].at("objective"), models[i - 1].at("objective")) << i;
  }
  const std::string ratio = models.at(12).at("value");
  const Json alone = good_json({"train", "a.svm", "--solver", "l1", "--lambda-ratio", ratio,
                                "--json", "--trace-at", "passes"});
  EXPECT_NEAR(models.at(12).at("objective").get<double>(), alone.at("objective").get<double>(),
              1e-6);
  EXPECT_EQ(models.at(12).at("nonzeros"), alone.at("nonzeros"));
  const Json said =
      Json::parse(good({"export", models.at(12).at("model"), "--format", "json"})).at("options");
  EXPECT_EQ(said.at("lambda-ratio"), std::stod(ratio));
}

// A model stands beside the lambda it was solved for, or nowhere.
TEST_F(CliL1, PathSaysWhatItDidNotReach) {
  const Json whole = good_json({"path", "a.svm", "--solver", "l1", "--json"}).at("models");
  for (const std::size_t passes : {4U, 6U, 9U}) {
    const Result result =
        thresh({"path", "a.svm", "--solver", "l1", "--json", "--passes", std::to_string(passes)});
    ASSERT_EQ(result.exit, 0) << result;
    const Json part = Json::parse(result.out);
    const Json& models = part.at("models");
    ASSERT_LT(models.size(), whole.size());
    for (std::size_t i = 0; i < models.size(); ++i) {
      EXPECT_EQ(models[i].at("value"), whole[i].at("value"));
      EXPECT_EQ(models[i].at("objective"), whole[i].at("objective")) << passes << " " << i;
    }
    EXPECT_EQ(part.at("warnings").back(),
              "lambda-ratio " + whole[models.size()].at("value").get<std::string>() +
                  " and below: not reached (--passes " + std::to_string(passes) + ")");
  }
  dir.write("c.svm", "0 1:1 2:0.5\n1 2:1\n2 3:1\n0 1:0.7\n1 2:2\n2 1:0.1 3:1\n1 2:1 3:0.2\n");
  EXPECT_TRUE(contains(bad(1, {"path", "c.svm", "--solver", "l1", "--over", "lambda-ratio",
                               "--values", "0.01,0.001", "--passes", "1"}),
                       "lambda-ratio 0.01 and below: not reached (--passes 1)"));
}

// The lambda that was taken, not the default that was not.
TEST_F(CliL1, OptionsSayTheLambdaOfARatio) {
  const Words words = {"train", "a.svm", "--solver", "l1", "--lambda-ratio", "0.05", "--json"};
  const Json json = good_json(words);
  EXPECT_EQ(json.at("options").at("lambda"), finding(json, "lambda"));
  EXPECT_EQ(json.at("options").at("lambda-ratio"), 0.05);
  const Json path = good_json({"path", "a.svm", "--solver", "l1", "--json", "--save", "models"});
  const auto lambda = [&](std::size_t i) {
    const std::string file = path.at("models").at(i).at("model");
    return Json::parse(good({"export", file, "--format", "json"}))
        .at("options")
        .at("lambda")
        .get<double>();
  };
  EXPECT_NEAR(lambda(19) / lambda(0), 0.001, 1e-9);
  // Each class has its own.
  dir.write("a.svm", "0 1:1 2:0.5\n1 2:1\n2 3:1\n0 1:0.7\n1 2:2\n2 1:0.1 3:1\n1 2:1 3:0.2\n");
  EXPECT_TRUE(good_json(words).at("options").at("lambda").is_null());
}

TEST_F(CliL1, TwoLambdasAreOneTooMany) {
  const std::string both = "--lambda and --lambda-ratio exclude each other";
  const auto refused = [&](Words words) {
    words.insert(words.end(), {"--solver", "l1"});
    EXPECT_TRUE(contains(bad(2, words), both));
  };
  refused({"train", "a.svm", "--lambda", "0.1", "--lambda-ratio", "0.1"});
  refused({"train", "a.svm", "--l1", "0.1", "--lambda-ratio", "0.1"});
  refused({"path", "a.svm", "--lambda", "0.1"});
  refused({"tune", "a.svm", "--grid", "lambda=0.1,1 lambda-ratio=0.1,0.2"});
  refused({"path", "a.svm", "--lambda-ratio", "0.1", "--over", "lambda", "--values", "1,2"});
  refused({"tune", "a.svm", "--lambda-ratio", "0.1", "--grid", "lambda=1,2"});
}

TEST_F(CliL1, RefusesWhatHasNoOptimum) {
  EXPECT_TRUE(contains(bad(2, {"train", "a.svm", "--solver", "l1", "--lambda", "0"}), "--lambda"));
  EXPECT_TRUE(contains(bad(2, {"train", "a.svm", "--solver", "l1", "--gap", "0"}), "--gap"));
  EXPECT_TRUE(contains(bad(2, {"train", "a.svm", "--solver", "l1", "--loss", "hinge"}), "hinge"));
  EXPECT_TRUE(contains(bad(2, {"train", "a.svm", "--solver", "l1", "--features", "5"}),
                       "l1 has no feature budget"));
  dir.write("p", "1\n0\n");
  EXPECT_TRUE(contains(bad(1, {"train", "a.svm", "--solver", "l1", "--penalties", "p"}),
                       "p:2: penalty is not a finite number above 0"));
  dir.write("p", "1\n2\n");
  EXPECT_TRUE(
      contains(bad(1, {"train", "a.svm", "--solver", "l1", "--penalties", "p"}), "p: 2 penalties"));
}
