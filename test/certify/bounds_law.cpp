// The bounds of Xie et al. against their formulas written out, and what they promise against runs.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "certify/bounds.hpp"
#include "certify/classes.hpp"
#include "certify/row_set_text.hpp"
#include "thresh/diagnose.hpp"
#include "tools/error_of.hpp"
#include "tools/optimum.hpp"

namespace thresh::bounds_law {
namespace {

using Real = long double;

// ln of m (m-1) ... (m-k+1) / k!, factor by factor.
Real direct_log_choose(std::uint64_t m, std::uint64_t k) {
  Real sum = 0;
  for (std::uint64_t i = 1; i <= k; ++i) sum += std::log(Real(m - k + i)) - std::log(Real(i));
  return sum;
}

TEST(CertifyBounds, ChoicesAreCounted) {
  EXPECT_NEAR(static_cast<double>(std::exp(log_choose(5, 2))), 10, 1e-15);
  EXPECT_EQ(log_choose(1000, 0), 0);
  for (const auto& [m, k] : {std::pair{10, 3}, {1000, 999}, {100'000, 500}, {3'000'000, 40'000}}) {
    const Real direct = direct_log_choose(m, k);
    EXPECT_NEAR(static_cast<double>(log_choose(m, k) / direct), 1, 1e-12) << m << " " << k;
  }
}

RC_GTEST_PROP(CertifyBounds, Equation17IsAsPrinted, ()) {
  const auto m = *rc::gen::inRange<std::uint64_t>(2, 2000);
  const auto k = *rc::gen::inRange<std::uint64_t>(0, m);
  const Real delta = *rc::gen::element(0.5, 0.05, 1e-6);
  const Real direct = (direct_log_choose(m, k) + std::log(Real(m)) + std::log(1 / delta)) / (m - k);
  RC_ASSERT(std::fabs(compression_bound(m, k, delta) - direct) <= 1e-14L * direct);
  // What it stands for: at this error the probability of being fooled is at most delta / m.
  const Real fooled = direct_log_choose(m, k) + (m - k) * std::log1p(-std::min(direct, Real(1)));
  RC_ASSERT(fooled <= std::log(delta / m) + 1e-9L);
}

TEST(CertifyBounds, NothingIsLeftOfAllRows) {
  EXPECT_TRUE(std::isinf(compression_bound(7, 7, 0.05L)));
}

// The last t for which the proof's inequality -eps + 2 tau + 2 e (t R^2 + 2 tau) <= 0 holds.
TEST(CertifyBounds, Equation15IsWhereTheProofEnds) {
  for (const Real tau : {0.0L, 0.25L}) {
    const Real epsilon = 1.5L, radius = 0.5L, rounding = 0x1p-10L;
    const auto limit = static_cast<std::int64_t>(update_limit(epsilon, tau, radius, rounding));
    const auto left = [&](std::int64_t t) {
      return -epsilon + 2 * tau + 2 * rounding * (t * radius * radius + 2 * tau);
    };
    EXPECT_LE(left(limit), 0);
    EXPECT_GT(left(limit + 1), 0);
  }
  EXPECT_LT(update_limit(0.1L, 0.1L, 1, 0x1p-53L), 0);
}

TEST(CertifyBounds, Theorem2) {
  EXPECT_EQ(update_bound(6, 0.5L), 144);
}

// Freund & Schapire's bound is Theorem 2 where a margin separates, and their formula elsewhere.
TEST(CertifyBounds, TheExtensionToRowsThatNothingSeparates) {
  const std::vector<Real> margins = {-0.25L, 0.5L, 0.125L};
  const Real radius = 1, taken = 0.03125L;
  const ExtendedBound found = extended_update_bound(margins, 2, radius, taken);
  const auto direct = [&](Real gamma) {
    Real squares = 0;
    for (const Real margin : margins) squares += 2 * std::pow(std::max(0.0L, gamma - margin), 2);
    return std::pow((radius + std::sqrt(squares)) / (gamma - taken), 2);
  };
  EXPECT_NEAR(static_cast<double>(found.bound), static_cast<double>(direct(found.gamma)), 1e-12);
  for (Real gamma = 0.05L; gamma < 40; gamma *= 1.01L) {
    EXPECT_LE(static_cast<double>(found.bound), static_cast<double>(1.05L * direct(gamma)));
  }
  EXPECT_LE(static_cast<double>(extended_update_bound({1, 1}, 1, 1, 0).bound), 1 + 1e-12);
}

RC_GTEST_PROP(CertifyKernel, TextRoundTrips, (const std::set<std::uint16_t>& rows)) {
  const std::vector<std::uint64_t> ids(rows.begin(), rows.end());
  RC_ASSERT(parse_row_set(row_set_text(ids), 65536) == ids);
}

TEST(CertifyKernel, DamagedTextIsRefused) {
  EXPECT_EQ(size_of_union({{1, 2, 7}, {2, 3}, {}}), 4U);
  EXPECT_EQ(row_set_text({2, 3, 4, 44}), "3 1 1 40");
  for (const char* text : {"0", "1 0", "a", "1  1", "1 ", " 1", "11", "5 6", "-1", "1,2",
                           "99999999999999999999999", "1 18446744073709551615"}) {
    EXPECT_THROW(parse_row_set(text, 10), Error) << text;
  }
  EXPECT_EQ(parse_row_set("10", 10), (std::vector<std::uint64_t>{9}));
}

// Rows on both sides of a plane with room to spare.
DenseProblem separable(std::size_t rows) {
  DenseProblem data = random_problem(rows, 6, 0.8, 7);
  for (std::size_t i = 0; i < rows; ++i) {
    data.x[i][0] = data.y[i];
    for (double& value : data.x[i]) value = std::clamp(value, -1.0, 1.0);
  }
  return data;
}

using Findings = nlohmann::json;  // by name

nlohmann::json value_of(const Findings& findings, const std::string& name) {
  return findings.at(name).at("value");
}
std::string text_of(const Findings& findings, const std::string& name) {
  return findings.at(name).at("text");
}

Findings findings(const DenseProblem& data, const Options& options) {
  const Problem problem = to_problem(data);
  const Model model = fit(problem, options).model;
  return nlohmann::json::parse(diagnose_theorems(model, problem, {"", 0.05, 0.25}).json);
}

TEST(Theorems, PromisesAreKeptWhereTheyApply) {
  Options options;
  options.solver_options["tau"] = "0";
  for (const double eta : {1.0, 0.1}) {
    for (const bool intercept : {true, false}) {
      options.eta = eta;
      options.lambda = 0.001 * eta;
      options.intercept = intercept;
      options.passes = 50;
      const Findings section = findings(separable(300), options);
      const nlohmann::json first = value_of(section, "theorem1");
      EXPECT_LE(first.at("growth"), 1);
      EXPECT_GT(first.at("growth"), 0);
      EXPECT_GT(first.at("limit"), first.at("updates"));
      const nlohmann::json second = value_of(section, "theorem2");
      EXPECT_LE(second.at("updates"), second.at("bound"));
      const nlohmann::json third = value_of(section, "theorem3");
      EXPECT_EQ(third.at("rows"), 300);
      EXPECT_EQ(third.at("test_error"), 0.25);
      EXPECT_DOUBLE_EQ(third.at("bound"),
                       static_cast<double>(compression_bound(300, third.at("kernel_rows"), 0.05)));
    }
  }
}

// A learning rate is only a unit: all numbers of the theorems are the same in another one.
TEST(Theorems, NothingDependsOnTheUnitOfEta) {
  Options options;
  options.lambda = 0.25;
  options.solver_options["tau"] = "0.5";
  options.eta = 1;
  const Findings one = findings(separable(100), options);
  options.eta = 0.25;  // powers of two: not even rounding differs
  options.lambda *= 0.25;
  options.solver_options["tau"] = "0.125";
  const Findings quarter = findings(separable(100), options);
  for (const char* name : {"radius", "margin", "epsilon", "theorem1", "theorem2", "theorem3"}) {
    EXPECT_EQ(value_of(one, name), value_of(quarter, name)) << name;
  }
}

TEST(Theorems, EpsilonOfTheFirstUpdateByHand) {
  DenseProblem data;
  data.features = 2;
  data.x = {{3, 0.5}, {-3, -0.5}};
  data.y = {1, -1};
  data.s = {1, 1};
  Options options;
  options.eta = 1;
  options.lambda = 1;
  options.order = Order::sequential;
  options.intercept = false;
  options.solver_options["tau"] = "0";
  // w~ = (3, 0.5): lambda 3 + 0.5^2; then w = (2, 0) separates both rows.
  const Findings section = findings(data, options);
  EXPECT_EQ(value_of(section, "epsilon").at("least"), 3.25);
  EXPECT_EQ(value_of(section, "epsilon").at("updates"), 1);
  EXPECT_DOUBLE_EQ(value_of(section, "radius"), std::sqrt(9.25));
  EXPECT_DOUBLE_EQ(value_of(section, "margin"), 3);
  options.intercept = true;
  EXPECT_DOUBLE_EQ(value_of(findings(data, options), "radius"), std::sqrt(10.25));
  EXPECT_DOUBLE_EQ(value_of(section, "theorem1").at("growth"), 4 / 9.25);
  EXPECT_DOUBLE_EQ(value_of(section, "theorem2").at("bound"),
                   9.25 / 4);  // gamma - lambda |u|_1 = 2
}

// Noise that no model separates: the updates stay below the bound of the extended rows.
TEST(Theorems, UpdatesOnInseparableRowsStayBelowTheirBound) {
  for (const std::uint64_t seed : {3, 4, 5}) {
    for (const std::uint64_t passes : {1, 4}) {
      Options options;
      options.solver_options["tau"] = "0";
      options.eta = 1;
      options.lambda = 0.01;
      options.passes = passes;
      const Findings noise = findings(random_problem(100, 3, 1, seed), options);
      const nlohmann::json value = value_of(noise, "inseparable");
      ASSERT_TRUE(value.is_object()) << text_of(noise, "inseparable");
      EXPECT_GE(value.at("bound"), value.at("updates"));
      EXPECT_EQ(value.at("visits"), 100 * passes);
      EXPECT_GT(value.at("deviation"), 0);
    }
  }
  Options separates;
  separates.solver_options["tau"] = "0";
  separates.eta = 1;
  separates.lambda = 0.001;
  separates.passes = 50;
  EXPECT_FALSE(findings(separable(300), separates).contains("inseparable"));
}

TEST(Theorems, TheExtensionIsWithheldWithAReason) {
  const auto why = [](const Options& options) {
    const Findings noise = findings(random_problem(100, 3, 1, 3), options);
    EXPECT_TRUE(value_of(noise, "inseparable").is_null());
    return text_of(noise, "inseparable");
  };
  Options options;  // tau 0.01
  options.eta = 1;
  options.lambda = 1e-5;
  EXPECT_NE(why(options).find("was above epsilon/2"), std::string::npos);
  options.solver_options["tau"] = "0";
  options.schedule = Schedule::sqrt;
  EXPECT_NE(why(options).find("step size changes"), std::string::npos);
  options.schedule.reset();
  options.order = Order::replacement;
  EXPECT_NE(why(options).find("rows were drawn"), std::string::npos);
  options.order = Order::shuffle;
  options.lambda = 0;  // no room for rounding
  EXPECT_NE(why(options).find("beyond what Theorem 1 covers"), std::string::npos);
}

TEST(Theorems, WithheldWithAReason) {
  Options options;
  EXPECT_NE(text_of(findings(separable(100), options), "theorem1").find("was above epsilon/2"),
            std::string::npos);
  options.schedule = Schedule::sqrt;
  EXPECT_NE(text_of(findings(separable(100), options), "theorem1").find("step size changes"),
            std::string::npos);
  options = {};
  options.solver_options["tau"] = "0";
  options.lambda = 0;
  EXPECT_NE(text_of(findings(separable(100), options), "theorem1").find("no room for rounding"),
            std::string::npos);
  options.eta = 1;
  const Findings noise = findings(random_problem(100, 3, 1, 3), options);
  EXPECT_NE(text_of(noise, "theorem3").find("misclassified, and it asks for none"),
            std::string::npos);
  EXPECT_TRUE(value_of(noise, "theorem2").is_null());
  options.solver = "cd";
  options.solver_options.clear();
  const Findings other = findings(separable(50), options);
  EXPECT_EQ(other.size(), 1U);
  EXPECT_NE(text_of(other, "theorems").find("margin-perceptron"), std::string::npos);
}

}  // namespace
}  // namespace thresh::bounds_law
