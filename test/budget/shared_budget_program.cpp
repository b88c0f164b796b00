// --shared-budget: one budget for the weights of all classes.
#include "tools/program.hpp"

namespace {

// Class 0 shows in feature 1; what tells 1 from 2 is spread over features 2 to 9.
class CliSharedBudget : public CliTest {
 protected:
  CliSharedBudget() { default_solver = ""; }
  void SetUp() override {
    std::string text;
    for (int i = 0; i < 600; ++i) {
      const int c = i % 3;
      text += std::to_string(c) + (c == 0 ? " 1:1" : "");
      for (int j = 2; j < 10; ++j) {
        const int noise = i * (2 * j + 1) * 31 / 7 % 100;
        if (c > 0 && noise < (c == 1 ? 70 : 30)) text += " " + std::to_string(j) + ":1";
      }
      text += "\n";
    }
    dir.write("three.svm", text);
  }
  Json frontier_of(const Words& options) const {
    Words words{"frontier", "three.svm", "--json", "--shared-budget"};
    words.insert(words.end(), options.begin(), options.end());
    return good_json(words).at("solvers")[0].at("points");
  }
};

std::size_t of_class(const std::vector<std::string>& lines, const std::string& label) {
  return static_cast<std::size_t>(
      std::count_if(lines.begin(), lines.end(),
                    [&](const std::string& line) { return line.starts_with(label + "\t"); }));
}

TEST_F(CliSharedBudget, TrainKeepsToItAndTheHardClassesGetMore) {
  good({"train", "three.svm", "--features", "9", "--shared-budget", "-o", "m", "-q"});
  EXPECT_EQ(good_json({"eval", "m", "three.svm", "--json"}).at("nonzeros"), 9);
  const auto lines = lines_of(good({"weights", "m"}));
  EXPECT_LE(of_class(lines, "0"), 2u);
  EXPECT_GE(of_class(lines, "1"), 3u);
  EXPECT_TRUE(contains(ScratchDir::slurp(dir.file("m")), "\"shared_budget\":true"));
  // A share is one of all 27 weights.
  good({"train", "three.svm", "--density", "20%", "--shared-budget", "-o", "m", "-q"});
  EXPECT_EQ(good_json({"eval", "m", "three.svm", "--json"}).at("nonzeros"), 5);
}

TEST_F(CliSharedBudget, TheUsualBudgetsCountAllClasses) {
  const Json points = frontier_of({});
  ASSERT_EQ(points.size(), 6u);  // 1, 2, 5, 10, 20 and all 27
  EXPECT_EQ(points.back().at("features"), 27);
  for (const Json& point : points) EXPECT_LE(point.at("nonzeros"), point.at("features"));
  const Json shares = frontier_of({"--budgets", "3,50%"});
  EXPECT_EQ(shares.back().at("features"), 13);
  EXPECT_EQ(frontier_of({"--keep", "4,5"})[0].at("features"), 10);  // two in each of three classes
}

TEST_F(CliSharedBudget, TrainWithoutABudgetChoosesTheTotal) {
  const Json json = good_json({"train", "three.svm", "--shared-budget", "--json", "-o", "m"});
  EXPECT_EQ(json.at("frontier").size(), 6u);
  EXPECT_LE(json.at("nonzeros"), json.at("chosen"));
}

TEST_F(CliSharedBudget, IsRefusedWhereItCannotBe) {
  EXPECT_TRUE(contains(
      bad(2, {"train", "three.svm", "--solver", "l0-sgd", "--features", "9", "--shared-budget"}),
      "l0-sgd cannot share a budget among classes (use margin-perceptron, "));
  EXPECT_TRUE(contains(bad(2, {"train", "three.svm", "--solver", "fobos", "--shared-budget"}),
                       "--shared-budget requires --features or --density"));
}

}  // namespace
