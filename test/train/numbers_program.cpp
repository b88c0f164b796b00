// Losses for numbers, weights of classes, signs and groups, as the program has them.

#include <fmt/format.h>

#include <cmath>
#include <random>

#include "tools/program.hpp"

namespace {

double uniform(std::mt19937& random) {
  return static_cast<double>(random()) / 4294967296.0;
}

std::uint64_t poisson(double rate, std::mt19937& random) {
  double left = uniform(random), share = std::exp(-rate);
  std::uint64_t count = 0;
  for (; left > share && count < 1000; ++count) {
    left -= share;
    share *= rate / static_cast<double>(count + 1);
  }
  return count;
}

enum class What { counts, outliers };

// Of 30 features three decide: 0.5 + 0.8 x1 - 0.6 x2 + 0.4 x3 is the log of the rate, or the middle
// of a skewed distribution with some outliers.
std::string rows_of_numbers(std::size_t rows, std::uint32_t seed, What what) {
  std::mt19937 random(seed);
  std::string text;
  for (std::size_t i = 0; i < rows; ++i) {
    double a = 0.5;
    std::string entries;
    for (int j = 1; j <= 30; ++j) {
      if (uniform(random) > 0.3) continue;
      const double x = 1 + std::floor(4 * uniform(random)) / 4;
      a += x * (j == 1 ? 0.8 : j == 2 ? -0.6 : j == 3 ? 0.4 : 0);
      entries += fmt::format(" {}:{}", j, x);
    }
    const double noise = -std::log(1 - uniform(random));
    const double y = what == What::counts ? static_cast<double>(poisson(std::exp(a), random))
                                          : a + noise + (uniform(random) < 0.05 ? 300 : 0);
    text += fmt::format("{:.6g}{}\n", y, entries);
  }
  return text;
}

class CliNumbers : public CliTest {
 protected:
  CliNumbers() { default_solver = ""; }

  double weight_of(std::uint64_t index, const std::string& model = "m.thresh") const {
    for (const Weight& weight : weights(model)) {
      if (weight.index == index) return weight.value;
    }
    return 0;
  }
};

TEST_F(CliNumbers, PoissonFindsTheRates) {
  dir.write("a.svm", rows_of_numbers(4000, 1, What::counts));
  dir.write("b.svm", rows_of_numbers(2000, 2, What::counts));
  good({"train", "a.svm", "--loss", "poisson", "-o", "m.thresh"});
  EXPECT_LE(weights().size(), 6U);
  EXPECT_NEAR(weight_of(1), 0.8, 0.05);
  EXPECT_NEAR(weight_of(2), -0.6, 0.05);
  EXPECT_NEAR(weight_of(3), 0.4, 0.05);
  const Json metrics = good_json({"eval", "m.thresh", "b.svm", "--json"});
  EXPECT_NEAR(metrics.at("deviance").get<double>(), 1.1, 0.15);
  EXPECT_TRUE(contains(good({"eval", "m.thresh", "b.svm"}), "deviance"));
  // A prediction is the rate, the exponential of the margin.
  dir.write("one.svm", "3 1:2 2:1\n");
  const double margin = intercept() + 2 * weight_of(1) + weight_of(2);
  EXPECT_NEAR(std::stod(good({"predict", "m.thresh", "one.svm"})), std::exp(margin), 1e-6);
  // No rate overflows.
  dir.write("huge.svm", "3 1:1e6\n");
  EXPECT_TRUE(std::isfinite(std::stod(good({"predict", "m.thresh", "huge.svm"}))));
}

TEST_F(CliNumbers, EverySolverOfPoissonFindsTheRates) {
  dir.write("a.svm", rows_of_numbers(3000, 1, What::counts));
  const std::vector<Words> solvers = {
      {"l1", "--lambda", "1e-4"},
      {"cd", "--lambda", "1e-4", "--passes", "100"},
      {"scd", "--lambda", "1e-4", "--passes", "100"},
      {"fobos", "--eta", "0.009", "--lambda", "1e-5", "--passes", "60", "--iterate", "average"},
      {"ftrl", "--lambda", "0.01", "--passes", "60", "--eta", "0.003"},
      {"budget", "--features", "3"}};
  for (const Words& solver : solvers) {
    Words words = {"train", "a.svm", "-q", "-o", "m.thresh", "--loss", "poisson", "--solver"};
    words.insert(words.end(), solver.begin(), solver.end());
    silent(words);
    EXPECT_NEAR(weight_of(1), 0.8, 0.15) << solver[0];
    EXPECT_NEAR(weight_of(2), -0.6, 0.15) << solver[0];
    EXPECT_NEAR(weight_of(3), 0.4, 0.15) << solver[0];
  }
}

TEST_F(CliNumbers, ANegativeCountIsAnErrorWithItsLine) {
  dir.write("a.svm", "1 1:1\n0 2:1\n-2 1:1\n3 2:1\n");
  EXPECT_EQ(bad(1, {"train", "a.svm", "--loss", "poisson", "--solver", "l1"}),
            "thresh: a.svm:3: label -2 is negative, but --loss poisson needs counts");
  EXPECT_EQ(bad(1, {"train", "a.svm", "--loss", "poisson", "--solver", "ftrl"}),
            "thresh: a.svm:3: label -2 is negative, but --loss poisson needs counts");
  EXPECT_EQ(bad(1, {"train", "a.svm", "--loss", "poisson"}),
            "thresh: a.svm:3: label -2 is negative, but --loss poisson needs counts");
  // In evaluation, too.
  dir.write("good.svm", "1 1:1\n0 2:1\n2 1:1\n3 2:1\n");
  silent({"train", "good.svm", "--loss", "poisson", "--solver", "l1", "-q", "-o", "m.thresh"});
  EXPECT_EQ(bad(1, {"eval", "m.thresh", "a.svm"}),
            "thresh: a.svm:3: label -2 is negative, but --loss poisson needs counts");
}

TEST_F(CliNumbers, ARateThatRunsAwayIsNamedByItsRow) {
  dir.write("a.svm", rows_of_numbers(500, 1, What::counts));
  const std::string message =
      bad_after_warnings(1, {"train", "a.svm", "--loss", "poisson", "--solver", "fobos", "--eta",
                             "50", "--on-divergence", "stop", "-o", "m.thresh"});
  EXPECT_TRUE(contains(message, "a.svm: training diverged: row "));
  EXPECT_TRUE(contains(message, "a margin is out of bounds"));
  EXPECT_FALSE(exists("m.thresh"));
  // With smaller steps it goes on.
  const Result result = thresh(
      {"train", "a.svm", "--loss", "poisson", "--solver", "fobos", "--eta", "5", "-o", "m.thresh"});
  EXPECT_EQ(result.exit, 0) << result;
  for (const Weight& weight : weights()) EXPECT_TRUE(std::isfinite(weight.value));
}

TEST_F(CliNumbers, HuberIgnoresOutliersAndAQuantileIsOne) {
  dir.write("a.svm", rows_of_numbers(4000, 3, What::outliers));
  dir.write("b.svm", rows_of_numbers(3000, 4, What::outliers));
  for (const Words& solver : std::vector<Words>{{"budget", "--features", "3"},
                                                {"l1", "--lambda", "1e-3"},
                                                {"cd", "--lambda", "1e-3", "--passes", "300"}}) {
    Words words = {"train", "a.svm", "-q", "-o", "m.thresh", "--loss", "huber", "--solver"};
    words.insert(words.end(), solver.begin(), solver.end());
    silent(words);
    EXPECT_NEAR(weight_of(1), 0.8, 0.1) << solver[0];
    EXPECT_NEAR(weight_of(2), -0.6, 0.1) << solver[0];
    EXPECT_NEAR(weight_of(3), 0.4, 0.1) << solver[0];
    EXPECT_TRUE(contains(good({"eval", "m.thresh", "b.svm"}), "Huber loss"));
  }
  for (const Words& solver :
       std::vector<Words>{{"budget", "--features", "3"}, {"l1", "--lambda", "1e-3"}, {"budget"}}) {
    for (const char* q : {"0.5", "0.8"}) {
      Words words = {"train",  "a.svm",    "-q",         "-o", "m.thresh",
                     "--loss", "quantile", "--quantile", q,    "--solver"};
      words.insert(words.end(), solver.begin(), solver.end());
      silent(words);
      const Json metrics = good_json({"eval", "m.thresh", "b.svm", "--json"});
      EXPECT_NEAR(metrics.at("below").get<double>(), std::stod(q), 0.03) << solver[0];
      EXPECT_NEAR(weight_of(1), 0.8, 0.15) << solver[0];
      EXPECT_GT(metrics.at("pinball").get<double>(), 0);
    }
  }
}

// What eval calls the loss of a model.
const char* figure_of(const std::string& loss) {
  return loss == "poisson" ? "deviance" : loss == "huber" ? "huber" : "pinball";
}

TEST_F(CliNumbers, RunsAreJudgedByTheirLoss) {
  for (const Words& loss : std::vector<Words>{
           {"poisson"}, {"huber", "--huber-delta", "5"}, {"quantile", "--quantile", "0.9"}}) {
    const What what = loss[0] == "poisson" ? What::counts : What::outliers;
    dir.write("a.svm", rows_of_numbers(1000, 1, what));
    dir.write("b.svm", rows_of_numbers(500, 2, what));
    Words how = {"a.svm", "--solver", "l1", "--loss"};
    how.insert(how.end(), loss.begin(), loss.end());
    const auto with = [&](const Words& before, const Words& after) {
      Words all = before;
      all.insert(all.end(), how.begin(), how.end());
      all.insert(all.end(), after.begin(), after.end());
      return all;
    };
    // Each candidate's error is what eval finds for the same model, and the lowest is chosen.
    const Json tuned = Json::parse(
        thresh(with({"tune"}, {"--valid", "b.svm", "--grid", "lambda=0.003,0.03,0.3", "--json"}))
            .out);
    double last = 0;
    for (const Json& candidate : tuned.at("candidates")) {
      const std::string lambda = candidate.at("settings").at("lambda");
      thresh(with({"train"}, {"--lambda", lambda, "-q", "-o", "m.thresh"}));
      const Json metrics = good_json({"eval", "m.thresh", "b.svm", "--json"});
      const double error = candidate.at("error").at("mean");
      EXPECT_NEAR(error, metrics.at(figure_of(loss[0])).get<double>(), 1e-6 * error) << loss[0];
      EXPECT_GE(error, last) << loss[0];
      last = error;
    }
    EXPECT_EQ(tuned.at("candidates")[0].at("chosen"), true);
    // cv, of one setting and with sizes to choose.
    for (const char* solver : {"l1", "budget"}) {
      how[2] = solver;
      const Json judged = Json::parse(thresh(with({"cv"}, {"--json"})).out);
      const double factor = loss[0] == "poisson" ? 2 : 1;
      for (const Json& fold : judged.at("folds")) {
        const double error = fold.at("error");
        EXPECT_NEAR(error, factor * fold.at("loss").get<double>(), 1e-9 * error)
            << loss[0] << " " << solver;
      }
    }
    // All folds together.
    const Json folds = Json::parse(thresh(with({"train"}, {"--json", "-o", "m.thresh"})).out);
    for (const Json& point : folds.at("frontier")) {
      const double error = point.at("valid_error");
      const double mean = point.at("valid_loss").get<double>() * (loss[0] == "poisson" ? 2 : 1);
      EXPECT_NEAR(error, mean, 1e-9 * error) << loss[0];
    }
    // The smallest size within a limit in units of the loss.
    const Words limit = with({"train"}, {"--valid", "b.svm", "--json", "-o", "m.thresh"});
    const Json sizes = Json::parse(thresh(limit).out);
    const Json& points = sizes.at("frontier");
    const double wanted = points[1].at("valid_error").get<double>() * (1 + 1e-9);
    Words limited = limit;
    limited.insert(limited.end(), {"--max-error", fmt::format("{:.17g}", wanted)});
    const Json chosen = Json::parse(thresh(limited).out);
    EXPECT_LE(chosen.at("chosen"), points[1].at("features")) << loss[0];
    for (const Json& point : points) {
      if (point.at("features") < chosen.at("chosen")) {
        EXPECT_GT(point.at("valid_error").get<double>(), wanted) << loss[0];
      } else if (point.at("features") == chosen.at("chosen")) {
        EXPECT_LE(point.at("valid_error").get<double>(), wanted) << loss[0];
      }
    }
    const Json metrics = good_json({"eval", "m.thresh", "b.svm", "--json"});
    EXPECT_NEAR(metrics.at(figure_of(loss[0])).get<double>(), chosen.at("valid_error"),
                0.05 * wanted);
  }
  EXPECT_TRUE(contains(bad(2, {"train", "a.svm", "--loss", "quantile", "--max-error", "5%"}),
                       "give a pinball loss, not a percentage"));
  EXPECT_TRUE(
      contains(bad(1, {"train", "a.svm", "-q", "--loss", "quantile", "--max-error", "1e-9"}),
               "no model has a validation pinball loss of at most 1e-09"));
}

// The outliers decide the RMSE, but not Huber's loss.
TEST_F(CliNumbers, DifferentLossesAreComparedByRmse) {
  dir.write("a.svm", rows_of_numbers(1000, 1, What::counts));
  const Json tuned =
      Json::parse(thresh({"tune", "a.svm", "--solver", "l1", "--task", "regression", "--lambda",
                          "1e-3", "--grid", "loss=squared,huber,poisson", "--json"})
                      .out);
  double last = 0;
  for (const Json& candidate : tuned.at("candidates")) {
    const Result one = thresh({"train", "a.svm", "--solver", "l1", "--task", "regression",
                               "--lambda", "1e-3", "--holdout", "20%", "-o", "m.thresh", "--loss",
                               candidate.at("settings").at("loss").get<std::string>()});
    ASSERT_EQ(one.exit, 0) << one;
    const double error = candidate.at("error").at("mean");
    EXPECT_GE(error, last);
    last = error;
    // The run itself tells its own loss, which is an RMSE for the squared one only.
    const bool squared = candidate.at("settings").at("loss") == "squared";
    EXPECT_EQ(contains(one.out, fmt::format("validation RMSE {:.6g}\n", error)), squared) << one;
  }
  EXPECT_TRUE(contains(thresh({"tune", "a.svm", "--solver", "l1", "--task", "regression", "--grid",
                               "loss=squared,huber"})
                           .out,
                       "RMSE"));
  EXPECT_TRUE(contains(bad(2, {"tune", "a.svm", "--solver", "l1", "--loss", "huber", "--by", "loss",
                               "--grid", "huber-delta=1,2"}),
                       "--by loss cannot compare different losses"));
  EXPECT_TRUE(contains(bad(2, {"tune", "a.svm", "--solver", "l1", "--loss", "quantile", "--grid",
                               "quantile=0.1,0.9"}),
                       "predicts something else"));
}

TEST_F(CliNumbers, CertificatesOrTheReasonWhyNot) {
  dir.write("a.svm", rows_of_numbers(300, 1, What::counts));
  for (const char* loss : {"poisson", "huber"}) {
    silent({"train", "a.svm", "-q", "--loss", loss, "--solver", "l1", "--lambda", "0.01",
            "--certify", "-o", "m.thresh"});
    EXPECT_TRUE(contains(good({"verify", "m.thresh", "a.svm"}), "duality gap"));
  }
  EXPECT_TRUE(
      contains(bad(2, {"train", "a.svm", "--loss", "quantile", "--solver", "l1", "--certify"}),
               "the slopes of --loss quantile"));
  EXPECT_TRUE(
      contains(bad(2, {"train", "a.svm", "--loss", "poisson", "--features", "3", "--certify"}),
               "--loss poisson has no bound yet"));
}

TEST_F(CliNumbers, ClassWeightsAreWeightsOfTheirRows) {
  std::string rows = "label,a,b\n", weights_file;
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    const bool spam = uniform(random) < 0.3;
    const double size = (spam ? 3 : 0) + 5 * uniform(random);
    rows += fmt::format("{},{:.3f},{:.3f}\n", spam ? "spam" : "ham", size, uniform(random));
    weights_file += spam ? "5\n" : "1\n";
  }
  dir.write("a.csv", rows);
  dir.write("w", weights_file);
  for (const char* solver : {"ftrl", "l1", "budget", "margin-perceptron"}) {
    Words words = {"a.csv", "--label", "label", "--solver", solver};
    if (std::string(solver) == "budget")
      words.insert(words.end(), {"--features", "2", "--beta", "0.3"});
    Words by_file = words, by_class = words;
    by_file.insert(by_file.end(), {"--weights", "w"});
    by_class.insert(by_class.end(), {"--class-weight", "spam=5,ham=1"});
    train(by_file, "file.thresh");
    const std::string model = train(by_class, "class.thresh");
    EXPECT_TRUE(contains(model, "\"class_weight\":\"spam=5,ham=1\"")) << solver;
    const auto a = weights("file.thresh"), b = weights("class.thresh");
    ASSERT_EQ(a.size(), b.size()) << solver;
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i].value, b[i].value, 1e-9) << solver;
  }
  EXPECT_TRUE(contains(
      bad(1, {"train", "a.csv", "-q", "--label", "label", "--class-weight", "spam=5,egg=1"}),
      "--class-weight egg: "));
  EXPECT_TRUE(contains(bad(2, {"train", "a.csv", "--label", "label", "--class-weight", "spam"}),
                       "--class-weight spam: use balanced, or LABEL=WEIGHT"));
  EXPECT_TRUE(contains(bad(2, {"train", "a.csv", "--label", "label", "--class-weight", "spam=0"}),
                       "above 0"));
}

TEST_F(CliNumbers, ACertificateKnowsClassWeights) {
  dir.write("a.svm", "1 1:1\n1 1:1 2:1\n2 2:1\n2 3:1\n1 1:2 3:1\n2 2:2\n");
  silent({"train", "a.svm", "-q", "--solver", "l1", "--lambda", "0.01", "--class-weight", "1=3",
          "--certify", "-o", "m.thresh"});
  EXPECT_TRUE(contains(good({"verify", "m.thresh", "a.svm"}), "duality gap"));
}

TEST_F(CliNumbers, SignsHoldInEveryModelOfBudget) {
  dir.write("a.svm", rows_of_numbers(2000, 1, What::counts));
  dir.write("signs", "+1\n+2\n-3\n");
  for (const Words& more :
       std::vector<Words>{{"--features", "5"}, {}, {"--features", "5", "--passes", "1"}}) {
    Words words = {"train",   "a.svm", "-q", "--task",  "regression",
                   "--signs", "signs", "-o", "m.thresh"};
    words.insert(words.end(), more.begin(), more.end());
    const Result result = thresh(words);
    ASSERT_EQ(result.exit, 0) << result.err;
    EXPECT_GE(weight_of(1), 0);
    EXPECT_GE(weight_of(2), 0);
    EXPECT_LE(weight_of(3), 0);
  }
  EXPECT_TRUE(contains(
      bad(2, {"train", "a.svm", "--task", "regression", "--solver", "fobos", "--signs", "+1"}),
      "fobos cannot hold the signs of single weights"));
  EXPECT_TRUE(contains(bad(1, {"train", "a.svm", "--task", "regression", "--signs", "+1,-77"}),
                       "no feature 77, which --signs names"));
  dir.write("bad", "+1\n2\n");
  EXPECT_TRUE(contains(bad(2, {"train", "a.svm", "--task", "regression", "--signs", "bad"}),
                       "bad:2: '2' is neither +NAME nor -NAME"));
}

TEST_F(CliNumbers, GroupsEnterAsAWhole) {
  dir.write("a.svm", rows_of_numbers(2000, 1, What::counts));
  dir.write("groups", "1 first\n10 first\n11 first\n2 second\n12 second\n20 third\n21 third\n");
  for (const int features : {1, 2, 3, 5, 6}) {
    const Result result = thresh({"train", "a.svm", "-q", "--loss", "poisson", "--groups", "groups",
                                  "--features", std::to_string(features), "-o", "m.thresh"});
    ASSERT_EQ(result.exit, 0) << result.err;
    EXPECT_LE(weights().size(), static_cast<std::size_t>(features));
    const auto has = [&](std::uint64_t index) { return weight_of(index) != 0; };
    EXPECT_EQ(has(1), has(10)) << features;
    EXPECT_EQ(has(1), has(11)) << features;
    EXPECT_EQ(has(2), has(12)) << features;
    EXPECT_EQ(has(20), has(21)) << features;
    if (features == 1) {
      EXPECT_TRUE(has(3));
    }
    if (features == 3) {
      EXPECT_TRUE(has(1));
    }
    if (features == 6) {
      EXPECT_TRUE(has(1) && has(2) && has(3));
    }
  }
  dir.write("bad", "1 first\n1 second\n");
  EXPECT_TRUE(contains(
      bad(1, {"train", "a.svm", "--loss", "poisson", "--features", "3", "--groups", "bad"}),
      "bad:2: feature 1 has a group already"));
  dir.write("bad", "1 first\n99 first\n");
  EXPECT_TRUE(contains(
      bad(1, {"train", "a.svm", "--loss", "poisson", "--features", "3", "--groups", "bad"}),
      "bad:2: a.svm has no feature 99"));
}

}  // namespace
