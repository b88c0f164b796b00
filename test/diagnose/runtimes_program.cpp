// thresh diagnose --epsilon, and the runs of thresh train --delta.

#include <fmt/format.h>

#include "tools/program.hpp"

class CliRuntimes : public CliTest {};

TEST_F(CliRuntimes, RuntimesOnRequest) {
  dir.write("a.svm", "+1 1:0.5\n-1 2:1\n+1 1:0.25 2:-0.5\n");
  const Json found =
      good_json({"diagnose", "a.svm", "--json", "--only", "runtimes", "--epsilon", "0.01",
                 "--lambda", "0.1", "--loss", "squared", "--exact-optimum", "--delta", "0.3"})
          .at("runtimes");
  EXPECT_TRUE(found.at("optimum").at("value").contains("duality_gap"));
  EXPECT_EQ(found.at("scd").at("value").at("runs"), 2);
  EXPECT_TRUE(contains(bad(2, {"diagnose", "a.svm", "--only", "runtimes"}), "needs --epsilon"));
  EXPECT_TRUE(contains(bad(2, {"diagnose", "a.svm", "--epsilon", "0"}), "must be above 0"));
  EXPECT_TRUE(contains(bad(2, {"diagnose", "a.svm", "--only", "data", "--epsilon", "1"}),
                       "which --only leaves out"));
  EXPECT_TRUE(contains(bad(2, {"diagnose", "a.svm", "--epsilon", "1", "--lambda=-1"}), "negative"));
  EXPECT_TRUE(contains(
      bad(2, {"diagnose", "a.svm", "--epsilon", "1", "--loss", "hinge", "--exact-optimum"}),
      "hinge"));
}

TEST_F(CliRuntimes, EveryLossHasAnAnswer) {
  dir.write("a.svm", "+1 1:0.5\n-1 2:1\n+1 1:0.25 2:-0.5\n");
  for (const char* loss :
       {"logistic", "squared", "hinge", "squared-hinge", "poisson", "huber", "quantile"}) {
    const std::string text = good({"diagnose", "a.svm", "--only", "runtimes", "--epsilon", "0.01",
                                   "--lambda", "0.1", "--loss", loss});
    EXPECT_TRUE(contains(text, std::string(loss) + " loss")) << text;
    const bool for_numbers = std::string("poisson huber quantile").find(loss) != std::string::npos;
    EXPECT_EQ(contains(text, fmt::format("the loss {} is for numbers", loss)), for_numbers) << text;
  }
}

TEST_F(CliRuntimes, TrainKeepsTheBestOfSeveralRuns) {
  dir.write("a.svm", "+1 1:0.5\n-1 2:1\n+1 1:0.25 2:-0.5\n");
  const std::string text =
      good({"train", "a.svm", "--solver", "scd", "--curvature", "global", "--no-intercept",
            "--lambda", "0.01", "--delta", "0.05", "-o", "m.thresh"});
  EXPECT_TRUE(contains(text, "suboptimality with probability 95% (Theorem 2): "));
  EXPECT_TRUE(contains(text, "best of 5 runs: --seed "));
  EXPECT_TRUE(contains(bad(2, {"train", "a.svm", "--solver", "cd", "--delta", "0.05"}),
                       "--delta requires --certify or --solver scd"));
}
