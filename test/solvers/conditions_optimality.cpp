// Solvers of one objective meet at its optimum, where LIBLINEAR is as well.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "tools/optimum.hpp"
#include "tools/scratch.hpp"

namespace thresh::conditions_optimality {
namespace {

constexpr Loss kSmooth[] = {Loss::logistic, Loss::squared, Loss::squared_hinge};

class Optimality : public ::testing::Test {
 protected:
  Optimality() {
    options.lambda = 0.03;
    options.passes = 2000;
  }

  Dense solve(const std::string& solver) const {
    Options with = options;
    with.solver = solver;
    return dense(fit(to_problem(data), with).model, data.features);
  }

  DenseProblem data = learnable_problem(80, 12, 3);
  Options options;
};

TEST_F(Optimality, CoordinateSolversMeetTheConditionsOfTheOptimum) {
  for (const Loss loss : kSmooth) {
    for (const bool intercept : {true, false}) {
      options.loss = loss;
      options.intercept = intercept;
      const Dense best = solve("cd");
      const auto zeros = std::count(best.w.begin(), best.w.end(), 0);
      EXPECT_GT(zeros, 0) << "too easy";
      EXPECT_LT(zeros, 10) << "too easy";
      for (const char* solver : {"cd", "scd", "gcd"}) {
        const Dense got = solve(solver);
        EXPECT_LT(kkt_residual(data, options, got), 1e-8) << solver << " " << name_of(loss);
        EXPECT_NEAR(objective(data, options, got) / objective(data, options, best), 1, 1e-8)
            << solver << " " << name_of(loss);
      }
    }
  }
}

// The optimum of the penalised problem is that of the ball through it.
TEST_F(Optimality, ProjectedGradientMeetsItInTheBall) {
  for (const Loss loss : kSmooth) {
    options.loss = loss;
    options.solver_options.clear();
    const Dense best = solve("cd");
    options.solver_options = {{"radius", fmt::format("{}", l1_norm(best.w))},
                              {"line-search", "true"}};
    const Dense got = solve("projected-gradient");
    EXPECT_LE(l1_norm(got.w), l1_norm(best.w) * (1 + 1e-12));
    EXPECT_LT(kkt_residual(data, options, got), 1e-4) << name_of(loss);
    EXPECT_NEAR(objective(data, options, got) / objective(data, options, best), 1, 1e-8)
        << name_of(loss);
  }
}

// P as LIBLINEAR has it is |w|_1 + C sum L, which is ours over lambda if C = 1/(m lambda).
TEST_F(Optimality, LiblinearFindsTheSameOptimum) {
  if (!std::filesystem::exists("/usr/bin/liblinear-train")) {
    GTEST_SKIP() << "liblinear-train is not installed";
  }
  const ScratchDir dir;
  std::string rows;
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    rows += fmt::format("{}", data.y[i]);
    for (std::size_t j = 0; j < data.features; ++j) {
      if (data.x[i][j] != 0) rows += fmt::format(" {}:{}", j + 1, data.x[i][j]);
    }
    rows += "\n";
  }
  dir.write("rows", rows);
  options.intercept = false;
  for (const Loss loss : {Loss::logistic, Loss::squared_hinge}) {
    options.loss = loss;
    const std::string command = fmt::format(
        "/usr/bin/liblinear-train -q -s {} -B -1 -e 1e-10 -c {} {} {}",
        loss == Loss::logistic ? 6 : 5, 1 / (static_cast<double>(data.x.size()) * options.lambda),
        dir.file("rows"), dir.file("model"));
    ASSERT_EQ(std::system(command.c_str()), 0);
    const std::string model = ScratchDir::slurp(dir.file("model"));
    ASSERT_NE(model.find("label 1 -1"), std::string::npos);
    std::istringstream numbers(model.substr(model.find("\nw\n") + 3));
    Dense theirs{Vector(data.features), 0};
    for (double& w : theirs.w) numbers >> w;
    ASSERT_TRUE(numbers);
    const Dense ours = solve("cd");
    EXPECT_NEAR(objective(data, options, ours) / objective(data, options, theirs), 1, 1e-8)
        << name_of(loss);
    for (std::size_t j = 0; j < data.features; ++j) {
      EXPECT_NEAR(ours.w[j], theirs.w[j], 1e-4) << name_of(loss) << ", feature " << j + 1;
    }
  }
}

}  // namespace
}  // namespace thresh::conditions_optimality
