// The dual of the linear SVM by coordinate descent in a box: docs/svm-dual.md, step by step,
// against LIBLINEAR.

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include "tools/program.hpp"

class CliSvmDual : public CliTest {
 protected:
  // Row j of the result is feature j of the data, each value times the label of its row.
  std::size_t write_transposed(const std::string& data, const std::string& path) const {
    std::map<std::uint64_t, std::string> columns;
    std::size_t number = 0;
    for (const SvmRow& row : parse_rows(ScratchDir::slurp(dir.file(data)))) {
      ++number;
      for (const auto& [index, value] : row.entries) {
        columns[index] += fmt::format(" {}:{:.17g}", number, row.label * value);
      }
    }
    const std::uint64_t features = columns.rbegin()->first;
    std::string text;
    for (std::uint64_t j = 1; j <= features; ++j) text += "0" + columns[j] + "\n";
    dir.write(path, text);
    return features;
  }
};

TEST_F(CliSvmDual, IsWhatLiblinearFinds) {
  if (!std::filesystem::exists("/usr/bin/liblinear-train")) {
    GTEST_SKIP() << "liblinear-train is not installed";
  }
  dir.write("a.svm", few_decide(150));
  const std::size_t features = write_transposed("a.svm", "dual.svm");
  const std::string train =
      fmt::format("/usr/bin/liblinear-train -q -s 3 -B -1 -c 0.5 -e 1e-9 {} {}", dir.file("a.svm"),
                  dir.file("ll"));
  ASSERT_EQ(std::system(train.c_str()), 0);
  const std::string model = ScratchDir::slurp(dir.file("ll"));
  const double sign = model.find("label 1 -1") != std::string::npos ? 1 : -1;
  std::istringstream numbers(model.substr(model.find("\nw\n") + 3));
  std::vector<double> theirs(features);
  for (double& w : theirs) numbers >> w;
  ASSERT_TRUE(numbers);
  for (const char* solver : {"cd", "scd", "gcd"}) {
    SCOPED_TRACE(solver);
    silent({"train", "dual.svm", "--solver", solver, "--task", "regression", "--no-intercept",
            fmt::format("--lambda={}", -1.0 / static_cast<double>(features)), "--lower", "0",
            "--upper", "0.5", "--passes", "3000", "-q", "-o", "a.thresh"});
    // The weights are the dual variables, the predictions the weights of the SVM.
    for (const Weight& alpha : weights("a.thresh")) {
      EXPECT_GE(alpha.value, 0) << alpha.index;
      EXPECT_LE(alpha.value, 0.5) << alpha.index;
    }
    const std::vector<double> ours = margins("a.thresh", "dual.svm");
    ASSERT_EQ(ours.size(), features);
    for (std::size_t j = 0; j < features; ++j) EXPECT_NEAR(ours[j], sign * theirs[j], 1e-4) << j;
  }
}

// A negative lambda means nothing where weights may be negative.
TEST_F(CliSvmDual, NegativeLambdaNeedsALowerLimitOf0) {
  dir.write("a.svm", kTiny);
  const std::string range = "--lambda must be a finite number of at least 0";
  EXPECT_TRUE(contains(bad(2, {"train", "a.svm", "--solver", "cd", "--lambda=-1"}), range));
  EXPECT_TRUE(contains(bad(2, {"train", "a.svm", "--solver", "cd", "--lambda=-1", "--lower", "-1"}),
                       range));
  EXPECT_TRUE(contains(
      bad(2, {"train", "a.svm", "--solver", "cd", "--lambda", "nan", "--lower", "0"}), range));
  EXPECT_TRUE(contains(bad(2, {"train", "a.svm", "--solver", "fobos", "--lambda=-1"}), range));
  EXPECT_TRUE(contains(
      bad(2, {"train", "a.svm", "--solver", "cd", "--lambda=-1", "--lower", "0", "--certify"}),
      "--lower and --upper are not supported"));
  // No theorem: nothing bounds the optimum.
  EXPECT_TRUE(contains(good({"train", "a.svm", "--solver", "scd", "--curvature", "global",
                             "--lambda=-1", "--lower", "0", "--upper", "1", "--no-intercept"}),
                       "does not apply"));
}
