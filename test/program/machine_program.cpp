// The same rows give the same model, bit for bit, on processors with and without fused
// multiply-add.
//
// glibc has exp, log and others twice, and chooses when a program starts. A tunable keeps it from
// choosing the fused ones; it is without effect where the processor or the library has none.

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdio>

#include "tools/program.hpp"

namespace {

// Names of glibc 2.33 and later, and those of older ones; unknown names are ignored.
const std::string kPlain =
    "glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2,-FMA_Usable,-FMA4_Usable,-AVX2_Usable";

class CliMachine : public CliTest {
 protected:
  Result on_plain_machine(Words arguments) const {
    Command plain = command(std::move(arguments));
    plain.environment = {{"GLIBC_TUNABLES", kPlain}};
    return run(plain);
  }

  // What libm gives a program like this one.
  static std::string libm(const std::string& tunables) {
    Command self;
    self.program = "/proc/self/exe";
    self.arguments = {"--gtest_also_run_disabled_tests",
                      "--gtest_filter=Libm.DISABLED_PrintsItsBits"};
    self.environment = {{"GLIBC_TUNABLES", tunables}};
    const std::string out = run(self).out;
    const std::size_t at = out.find("libm: ");
    EXPECT_NE(at, std::string::npos) << out;
    return at == std::string::npos ? "" : out.substr(at, out.find('\n', at) - at);
  }
  static bool can_switch() { return libm("") != libm(kPlain); }

  // The same file from this machine and a plain one.
  void expect_same_file(Words arguments, const std::string& option = "-o") const {
    Words plain = arguments;
    arguments.insert(arguments.end(), {option, "a.out"});
    plain.insert(plain.end(), {option, "b.out"});
    const Result here = thresh(arguments), there = on_plain_machine(plain);
    EXPECT_EQ(here.exit, 0) << here;
    EXPECT_EQ(there.exit, 0) << there;
    const std::string file = ScratchDir::slurp(dir.file("a.out"));
    EXPECT_GT(file.size(), 100U);
    EXPECT_TRUE(file == ScratchDir::slurp(dir.file("b.out")))
        << fmt::format("{}", fmt::join(arguments, " "));
  }
  void expect_same_model(Words arguments) const {
    arguments.insert(arguments.begin(), "train");
    arguments.push_back("-q");
    expect_same_file(arguments);
  }
  void expect_same_output(const Words& arguments) const {
    const Result here = thresh(arguments), there = on_plain_machine(arguments);
    EXPECT_EQ(here.exit, 0) << here;
    EXPECT_EQ(here.out, there.out);
  }

  void SetUp() override {
    if (!can_switch()) GTEST_SKIP() << "no fused multiply-add that glibc could do without";
    default_solver = "";
    good({"generate", "corpus", "--rows", "1500", "--features", "3000", "-o", "c.svm"});
  }
};

TEST(Libm, DISABLED_PrintsItsBits) {
  std::uint64_t sum = 0;
  for (int i = 1; i < 20000; ++i) {
    for (const double value : {std::exp(i / 997.0), std::log(i / 997.0), std::sin(i / 99.0)}) {
      sum = 31 * sum + std::bit_cast<std::uint64_t>(value);
    }
  }
  fmt::print("libm: {:x}\n", sum);
}

TEST_F(CliMachine, EverySolver) {
  for (const Json& solver : good_json({"solvers", "--json"})) {
    const std::string name = solver.at("name");
    SCOPED_TRACE(name);
    Words options = {"c.svm", "--solver", name, "--passes", "3"};
    for (const Json& option : solver.at("options")) {
      if (option.at("name") == "radius") options.insert(options.end(), {"--radius", "50"});
    }
    if (solver.at("budget") == "required") options.insert(options.end(), {"--features", "200"});
    expect_same_model(options);
  }
}

TEST_F(CliMachine, ChoicesAndCalibration) {
  expect_same_model({"c.svm"});
  expect_same_model({"c.svm", "--solver", "ftrl", "--holdout", "20%", "--calibrate"});
  expect_same_output({"predict", "a.out", "c.svm", "--output", "probability"});
  expect_same_output({"eval", "a.out", "c.svm", "--json"});
  expect_same_model({"c.svm", "--solver", "l1", "--lambda", "0.01", "--certify"});
  expect_same_model(
      {"c.svm", "--solver", "smidas", "--eta", "auto", "--p", "2ln", "--passes", "1"});
}

TEST_F(CliMachine, ManyClasses) {
  dir.write("m.svm", random_rows({.negative = "1", .positive = "2"}) +
                         random_rows({.seed = 2, .negative = "7", .positive = "1"}));
  for (const char* multiclass : {"ovr", "softmax"}) {
    expect_same_model({"m.svm", "--solver", "fobos", "--multiclass", multiclass});
    expect_same_output({"predict", "a.out", "m.svm", "--output", "probability"});
  }
}

TEST_F(CliMachine, GeneratedAndConvertedRows) {
  dir.write("m.svm", random_rows({.rows = 60}));
  expect_same_file({"generate", "corpus", "--rows", "2000"});
  expect_same_file({"generate", "gaussian", "--rows", "50", "--features", "100"});
  expect_same_file({"convert", "m.svm", "--kernel-expand", "m.svm", "--width", "7"});
}

}  // namespace
