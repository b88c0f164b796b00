// Several ranks learn what one process learns, report once and fail together.

#include <regex>

#include "cluster/ranks.hpp"

namespace {

TEST_F(CliRanks, LearnTheModelOfOneProcess) {
  const std::vector<Words> runs = {
      {"--solver", "margin-perceptron", "--passes", "2"},
      {"--solver", "margin-perceptron", "--density", "10%", "--holdout", "10%"},
      {"--solver", "fobos", "--batch", "50", "--lambda", "1e-3"},
      {"--solver", "ftrl", "--passes", "1"}};
  for (const Words& options : runs) {
    Words command = {"train", "a.svm", "-q", "-o", "one.thresh", "--slices", "64"};
    command.insert(command.end(), options.begin(), options.end());
    silent(command);
    const std::string alone = dir.slurp(dir.file("one.thresh"));
    for (const int ranks : {1, 2, 3, 4}) {
      Words shared = {"train", "a.svm", "-q", "-o", "ranks.thresh"};
      shared.insert(shared.end(), options.begin(), options.end());
      const Result result = on_ranks(ranks, shared);
      ASSERT_EQ(result.exit, 0) << result;
      EXPECT_EQ(told(result), "");
      EXPECT_EQ(dir.slurp(dir.file("ranks.thresh")), alone) << options[1] << ", " << ranks;
      std::filesystem::remove(dir.file("ranks.thresh"));
    }
  }
}

TEST_F(CliRanks, LearnWithEverySolver) {
  const std::vector<Words> runs = {
      {"--solver", "l0-sgd", "--features", "20", "--passes", "1"},
      {"--solver", "smidas", "--lambda", "1e-3", "--passes", "1"},
      {"--solver", "grades", "--features", "20", "--gamma", "2000", "--passes", "5"},
      {"--solver", "projected-gradient", "--radius", "3", "--line-search", "--passes", "5"}};
  for (const Words& options : runs) {
    Words command = {"train", "a.svm", "-q", "-o", "one.thresh", "--slices", "64"};
    command.insert(command.end(), options.begin(), options.end());
    silent(command);
    for (const int ranks : {2, 3, 4}) {
      Words shared = {"train", "a.svm", "-q", "-o", "ranks.thresh"};
      shared.insert(shared.end(), options.begin(), options.end());
      const Result result = on_ranks(ranks, shared);
      ASSERT_EQ(result.exit, 0) << result;
      EXPECT_EQ(dir.slurp(dir.file("ranks.thresh")), dir.slurp(dir.file("one.thresh")))
          << options[1] << ", " << ranks;
    }
  }
}

// Budgets, scales, orders and certificates that more than margins decide; and the solver budget.
// Other numbers of ranks: options_oracle and budget_oracle, with threads as ranks.
TEST_F(CliRanks, LearnWithTheOptionsOfOneProcess) {
  silent({"train", "a.svm", "-q", "-o", "start.thresh", "--solver", "fobos", "--passes", "1"});
  const std::vector<Words> runs = {
      {"--solver", "ftrl", "--features", "15", "--passes", "2"},
      {"--solver", "fobos", "--batch", "20", "--features", "15", "--at-budget", "stop"},
      {"--solver", "fobos", "--scale", "max", "--order", "replacement", "--passes", "2"},
      {"--solver", "fobos", "--from", "start.thresh", "--passes", "1"},
      {"--solver", "fobos", "--loss", "squared", "--eta", "1e3", "--passes", "20"},
      {"--solver", "margin-perceptron", "--certify"},
      {"--solver", "fobos", "--lambda", "1e-2", "--certify"},
      {"--solver", "budget", "--features", "20", "--beta", "0.3", "--scale", "max"}};
  int ranks = 2;
  for (const Words& options : runs) {
    Words command = {"train", "a.svm", "-q", "-o", "one.thresh", "--slices", "64"};
    command.insert(command.end(), options.begin(), options.end());
    const Result alone = thresh(command);
    ASSERT_EQ(alone.exit, 0) << alone;
    Words shared = {"train", "a.svm", "-q", "-o", "ranks.thresh"};
    shared.insert(shared.end(), options.begin(), options.end());
    const Result result = on_ranks(ranks, shared);
    ASSERT_EQ(result.exit, 0) << result;
    EXPECT_EQ(dir.slurp(dir.file("ranks.thresh")), dir.slurp(dir.file("one.thresh")))
        << options[1] << ' ' << options[2] << ", " << ranks;
    ranks = ranks == 4 ? 2 : ranks + 1;
    if (options.back() == "--certify") good({"verify", "ranks.thresh", "a.svm"});
  }
}

// How long something took, in JSON and in tables, is not the same twice.
std::string without_seconds(const std::string& text) {
  static const std::regex seconds(R"("[a-z_]*seconds":[^,}]*|[0-9.]+ s of)");
  return std::regex_replace(text, seconds, "");
}

// Of the default command and of searches, ranks share the runs.
// More features than a screening leaves; and few, of which it drops none. Other numbers of ranks
// and other options: screened_oracle, with threads as ranks.
TEST_F(CliRanks, DivideSearchesByFeatures) {
  std::string rows;
  for (int i = 0; i < 120; ++i) {
    rows += fmt::format("{} {}:1 {}:1 {}:1\n", i % 2 == 0 ? "+1" : "-1",
                        1 + (i % 2 + i % 7 / 6) % 2, 10 + i % 5, 100 + i * 217);
  }
  dir.write("wide.svm", rows);
  const std::vector<Words> runs = {{"wide.svm", "--passes", "2"},
                                   {"wide.svm", "--features", "2", "--ridge", "1", "--passes", "2"},
                                   {"a.svm", "--features", "10", "--ridge", "1"}};
  int ranks = 2;
  for (const Words& each : runs) {
    Words command = {"train"};
    command.insert(command.end(), each.begin(), each.end());
    command.insert(command.end(),
                   {"--solver", "budget", "--slices", "64", "-q", "-o", "one.thresh"});
    silent(command);
    EXPECT_FALSE(contains(dir.slurp(dir.file("one.thresh")), "\"nonzeros\":0,"));
    command.back() = "ranks.thresh";
    const Result result = on_ranks(ranks++, command);
    ASSERT_EQ(result.exit, 0) << result;
    EXPECT_EQ(told(result), "");
    EXPECT_EQ(dir.slurp(dir.file("ranks.thresh")), dir.slurp(dir.file("one.thresh"))) << each[0];
  }
}

TEST_F(CliRanks, ShareTheRunsOfASearch) {
  silent({"train", "a.svm", "-q", "-o", "one.thresh", "--solver", "budget"});
  silent({"tune", "a.svm", "-q", "-o", "tuned.thresh", "--solver", "fobos", "--grid",
          "lambda=1e-4,1e-2,1", "--cv", "3"});
  const Words cv = {"cv", "a.svm",      "--folds", "3",        "--json",
                    "-q", "--features", "10",      "--solver", "budget"};
  const std::string cv_alone = without_seconds(good(cv));
  for (const int ranks : {2, 3, 4}) {
    const Result result =
        on_ranks(ranks, {"train", "a.svm", "-o", "ranks.thresh", "--solver", "budget"});
    ASSERT_EQ(result.exit, 0) << result;
    EXPECT_TRUE(contains(
        result.err, fmt::format("{} ranks share the runs; each of them holds all rows", ranks)))
        << result;
    EXPECT_EQ(dir.slurp(dir.file("ranks.thresh")), dir.slurp(dir.file("one.thresh"))) << ranks;
  }
  Result result = on_ranks(3, {"tune", "a.svm", "-q", "-o", "ranks.thresh", "--solver", "fobos",
                               "--grid", "lambda=1e-4,1e-2,1", "--cv", "3"});
  ASSERT_EQ(result.exit, 0) << result;
  EXPECT_EQ(dir.slurp(dir.file("ranks.thresh")), dir.slurp(dir.file("tuned.thresh")));
  result = on_ranks(2, cv);
  ASSERT_EQ(result.exit, 0) << result;
  EXPECT_EQ(without_seconds(result.out), cv_alone);
}

TEST_F(CliRanks, ShareTheRunsOfAFrontier) {
  const Words command = {"frontier",      "a.svm",    "--budgets", "5,20",     "--solvers",
                         "budget,l0-sgd", "--splits", "2",         "--passes", "3"};
  const std::string alone = good(command);
  const Result result = on_ranks(3, command);
  ASSERT_EQ(result.exit, 0) << result;
  EXPECT_EQ(without_seconds(result.out), without_seconds(alone));
}

// The first rank alone writes the trace.
TEST_F(CliRanks, WriteOneTrace) {
  const Words options = {"train",    "a.svm", "-q",        "--solver",   "margin-perceptron",
                         "--passes", "3",     "--holdout", "10%",        "--trace",
                         "t.jsonl",  "-o",    "m.thresh",  "--trace-at", "densities",
                         "--slices", "64"};
  silent(options);
  const std::string alone = without_seconds(dir.slurp(dir.file("t.jsonl")));
  const Result result = on_ranks(3, options);
  ASSERT_EQ(result.exit, 0) << result;
  EXPECT_EQ(without_seconds(dir.slurp(dir.file("t.jsonl"))), alone);
}

TEST_F(CliRanks, OneOfThemReports) {
  const Result result =
      on_ranks(3, {"train", "a.svm", "--solver", "margin-perceptron", "--json", "-q"});
  ASSERT_EQ(result.exit, 0) << result;
  const Json report = Json::parse(result.out);
  EXPECT_EQ(report.at("ranks").at("ranks"), 3);
  EXPECT_GT(report.at("ranks").at("messages"), 0);
  EXPECT_GT(report.at("ranks").at("bytes_per_row"), 0);
  EXPECT_EQ(report.at("options").at("slices"), 64);
}

TEST_F(CliRanks, FailTogetherWithOneLine) {
  dir.write("bad.svm", "+1 1:1\n-1 1:x\n");
  const Result result = on_ranks(3, {"train", "bad.svm", "--solver", "margin-perceptron"});
  EXPECT_EQ(result.exit, 1);
  EXPECT_EQ(told(result).find("thresh: bad.svm:2: "), 0U) << result;
  EXPECT_FALSE(exists("bad.svm.thresh"));
}

TEST_F(CliRanks, RefuseWhatTheyCannotDo) {
  Result result = on_ranks(2, {"train", "a.svm", "--slices", "8", "--checkpoint", "c"});
  EXPECT_EQ(result.exit, 2);
  EXPECT_EQ(told(result),
            "thresh: --slices: a search or a fit by budget does not support --checkpoint yet (give "
            "--features K and --beta B)")
      << result;
  result = on_ranks(2, {"train", "a.svm", "--features", "5", "--ridge", "1", "--certify"});
  EXPECT_EQ(result.exit, 2);
  EXPECT_EQ(told(result),
            "thresh: --slices: a search or a fit by budget does not support --certify: nothing is "
            "proved of the features that the screening drops")
      << result;
  result = on_ranks(2, {"predict", "m.thresh", "a.svm"});
  EXPECT_EQ(result.exit, 2);
  EXPECT_EQ(told(result), "thresh: only train, resume, tune, cv, frontier run on several ranks");
}

TEST_F(CliRanks, SayThatThePluginIsMissing) {
  Command command = mpirun({"-n", "2", THRESH_BINARY, "train", "a.svm"});
  command.environment.emplace_back("THRESH_MPI_PLUGIN", "nowhere.so");
  const Result result = run(command);
  EXPECT_EQ(result.exit, 1);
  EXPECT_TRUE(contains(told(result), "the plugin thresh-mpi is not installed (nowhere.so)"));
}

// The weight that grew most may be on any rank.
TEST_F(CliRanks, NameTheRowAndTheFeatureOfADivergence) {
  const Result result = on_ranks(
      2, {"train", "a.svm", "-q", "--solver", "fobos", "--loss", "squared", "--eta", "1e200"});
  EXPECT_EQ(result.exit, 1);
  const Result alone = thresh({"train", "a.svm", "-q", "--solver", "fobos", "--loss", "squared",
                               "--eta", "1e200", "--slices", "64"});
  const auto end_of = [](const Result& of) {
    return of.err.substr(std::min(of.err.size(), of.err.find("training diverged: row ")));
  };
  EXPECT_TRUE(contains(end_of(alone), "the weight of feature")) << alone;
  EXPECT_TRUE(contains(result.err, end_of(alone))) << result;
}

TEST_F(CliRanks, OneRankAloneHasAllSolvers) {
  const Result result = on_ranks(1, {"train", "a.svm", "-q", "--solver", "l1", "-o", "l1"});
  EXPECT_EQ(result.exit, 0) << result;
}

TEST_F(CliRanks, NameTheOneWithOtherData) {
  std::filesystem::create_directory(dir.path / "other");
  dir.write("b.svm", "+1 1:1\n-1 2:1\n");
  dir.write("other/b.svm", "+1 1:1\n-1 2:2\n");
  const Result result = run(elsewhere(3, 2, "cd other", "train b.svm --solver margin-perceptron"));
  EXPECT_EQ(result.exit, 1);
  const std::string said = told(result);
  EXPECT_TRUE(contains(said, "b.svm: rank 2 (")) << said;
  EXPECT_TRUE(contains(said, "reads other data than rank 0")) << said;
}

}  // namespace
