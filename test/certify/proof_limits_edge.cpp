// Certificates of proofs whose time is over, or that are interrupted.

#include <gtest/gtest.h>

#include "certify/subset_case.hpp"
#include "thresh/certificate.hpp"
#include "thresh/thresh.hpp"

namespace thresh::proof_limits {
namespace {

class ProofLimitsTest : public testing::Test {
 protected:
  ProofLimitsTest() {
    Random random(11);
    const DenseProblem data = columns_of(Kind::normal, 40, 60, random);
    problem_ = subset_case::problem_of(data);
    options_.solver = "budget";
    options_.features = 3;
    options_.solver_options["ridge"] = "0.05";
    options_.certify = true;
    options_.prove = 0.01;
    result_ = fit(problem_, options_);
  }
  std::size_t points() const {
    std::size_t count = 0;
    for (const ProofNode& node : result_.dual_point->proofs.at(0).nodes) count += node.has_point;
    return count;
  }
  // The certificate with this much time, which holds.
  Record certified(double seconds, const std::atomic<bool>* stop = nullptr) {
    TrainingFacts facts;
    facts.dual_point = result_.dual_point;
    facts.dual_point->seconds_left = seconds;
    facts.stop = stop;
    facts.on_warning = [&](const std::string& warning) { warnings_ += warning; };
    Model model = result_.model;
    model.certificate = certify(model, problem_, facts);
    for (const Check& check : verify(model, problem_)) EXPECT_TRUE(check.holds) << check.text;
    return *model.certificate;
  }

  Problem problem_;
  Options options_;
  FitResult result_;
  std::string warnings_;
};

TEST_F(ProofLimitsTest, ProveWhatTheTimeIsEnoughFor) {
  ASSERT_GT(points(), 200U);
  const BudgetBound whole = budget_bound(certified(3600));
  EXPECT_EQ(warnings_, "");
  EXPECT_GE(whole.bound, 0.99 * whole.objective);
  const Record cut = certified(0);
  EXPECT_LT(budget_bound(cut).bound, whole.bound);
  EXPECT_EQ(budget_bound(cut).objective, whole.objective);
  EXPECT_TRUE(cut.has("tree"));
  EXPECT_NE(warnings_.find("was enough for"), std::string::npos) << warnings_;
  warnings_.clear();
  const std::atomic<bool> stop = true;
  const Record interrupted = certified(3600, &stop);
  EXPECT_FALSE(interrupted.has("tree"));
  EXPECT_LE(budget_bound(interrupted).bound, budget_bound(cut).bound);
  EXPECT_NE(warnings_.find("it was interrupted"), std::string::npos) << warnings_;
}

}  // namespace
}  // namespace thresh::proof_limits
