// The real program on several ranks that mpirun starts on this machine. Skipped where there is no
// mpirun, or where the plugin for MPI was not built.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <regex>
#include <sstream>

#include "tools/program.hpp"

namespace {

const std::string kFolder = std::filesystem::path(THRESH_BINARY).parent_path().string();

bool has_mpirun() {
  std::istringstream places(std::getenv("PATH") != nullptr ? std::getenv("PATH") : "");
  for (std::string place; std::getline(places, place, ':');) {
    if (std::filesystem::exists(place + "/mpirun")) return true;
  }
  return false;
}

// The one line of the program. mpirun may add its own about ranks that fail.
std::string told(const Result& result) {
  std::string line;
  for (const std::string& each : lines_of(result.err)) {
    if (!each.starts_with("thresh: ")) continue;
    EXPECT_EQ(line, "") << result;
    line = each;
  }
  return line;
}

class CliRanks : public CliTest {
 protected:
  void SetUp() override {
    if (!std::string(THRESH_SANITIZE).empty()) GTEST_SKIP() << "MPI itself leaks memory";
    if (!has_mpirun()) GTEST_SKIP() << "there is no mpirun (Debian: openmpi-bin)";
    if (!std::filesystem::exists(kFolder + "/thresh-mpi.so")) {
      GTEST_SKIP() << "the plugin thresh-mpi was not built (Debian: libopenmpi-dev)";
    }
    ASSERT_EQ(thresh({"generate", "gaussian", "--rows", "300", "--features", "200", "--seed", "3",
                      "-o", "a.svm"})
                  .exit,
              0);
  }

  // The command of mpirun, which finds what it needs in its environment.
  Command mpirun(Words arguments) const {
    Command command;
    command.program = "/usr/bin/env";
    command.folder = dir.path.string();
    command.arguments = {"mpirun"};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    // As root, and with more ranks than cores: Open MPI 4, then 5.
    command.environment = {{"THRESH_TIMEOUT", "20"},
                           {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                           {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                           {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
                           {"PRTE_ALLOW_RUN_AS_ROOT", "1"},
                           {"PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                           {"PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe"}};
    return command;
  }
  // One of the ranks begins with something else. (mpirun of Open MPI 5 crashes if it is given
  // several programs.)
  Command elsewhere(int ranks, int which, const std::string& first,
                    const std::string& arguments) const {
    return mpirun({"-n", std::to_string(ranks), "sh", "-c",
                   fmt::format("if [ $OMPI_COMM_WORLD_RANK = {} ]; then {}; fi; exec {} {}", which,
                               first, THRESH_BINARY, arguments)});
  }
  Result on_ranks(int ranks, const Words& arguments) const {
    Words all = {"-n", std::to_string(ranks), THRESH_BINARY};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return run(mpirun(all));
  }
};

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
  for (const Words& options : runs) {
    Words command = {"train", "a.svm", "-q", "-o", "one.thresh", "--slices", "64"};
    command.insert(command.end(), options.begin(), options.end());
    const Result alone = thresh(command);
    ASSERT_EQ(alone.exit, 0) << alone;
    for (const int ranks : {2, 3, 4}) {
      Words shared = {"train", "a.svm", "-q", "-o", "ranks.thresh"};
      shared.insert(shared.end(), options.begin(), options.end());
      const Result result = on_ranks(ranks, shared);
      ASSERT_EQ(result.exit, 0) << result;
      EXPECT_EQ(dir.slurp(dir.file("ranks.thresh")), dir.slurp(dir.file("one.thresh")))
          << options[1] << ' ' << options[2] << ", " << ranks;
    }
    if (options.back() == "--certify") good({"verify", "ranks.thresh", "a.svm"});
  }
}

// Each reads its part of every row, and finds the number of slices in the file.
TEST_F(CliRanks, LearnFromACacheWithSlices) {
  silent({"cache", "a.svm", "--slices", "7", "-q", "-o", "a.cache"});
  const std::vector<Words> runs = {
      {"--solver", "margin-perceptron", "--passes", "3", "--holdout", "10%"},
      {"--solver", "fobos", "--batch", "50", "--lambda", "1e-3"},
      {"--solver", "ftrl", "--passes", "2", "--normalize", "l2"},
      {"--solver", "grades", "--features", "20", "--gamma", "2000", "--passes", "5"}};
  for (const Words& options : runs) {
    Words command = {"train", "a.svm", "-q", "-o", "one.thresh", "--slices", "7"};
    command.insert(command.end(), options.begin(), options.end());
    silent(command);
    command[1] = "a.cache";
    command[4] = "cached.thresh";
    silent(command);
    const std::string alone = dir.slurp(dir.file("one.thresh"));
    EXPECT_EQ(dir.slurp(dir.file("cached.thresh")), alone) << options[1];
    for (const int ranks : {1, 2, 3, 4}) {
      Words shared = {"train", "a.cache", "-q", "-o", "ranks.thresh"};
      shared.insert(shared.end(), options.begin(), options.end());
      const Result result = on_ranks(ranks, shared);
      ASSERT_EQ(result.exit, 0) << result;
      EXPECT_EQ(dir.slurp(dir.file("ranks.thresh")), alone) << options[1] << ", " << ranks;
      std::filesystem::remove(dir.file("ranks.thresh"));
    }
  }
  // Without slices, one process learns what it learns from text.
  silent({"train", "a.svm", "-q", "-o", "one.thresh"});
  silent({"train", "a.cache", "-q", "-o", "cached.thresh"});
  EXPECT_EQ(dir.slurp(dir.file("cached.thresh")), dir.slurp(dir.file("one.thresh")));
}

TEST_F(CliRanks, RefuseACacheOfOtherSlices) {
  silent({"cache", "a.svm", "--slices", "7", "-q", "-o", "a.cache"});
  for (const int ranks : {1, 2}) {
    const Result result =
        on_ranks(ranks, {"train", "a.cache", "--solver", "margin-perceptron", "--slices", "8"});
    EXPECT_EQ(result.exit, 2) << result;
    EXPECT_EQ(told(result), "thresh: a.cache: the cache was made with --slices 7, not 8");
  }
  EXPECT_EQ(thresh({"cache", "a.svm", "--slices", "0", "-o", "b.cache"}).exit, 2);
}

// The others do not read what is damaged.
TEST_F(CliRanks, NameTheOneWithADamagedCache) {
  silent({"cache", "a.svm", "--slices", "8", "-q", "-o", "a.cache"});
  std::filesystem::create_directory(dir.path / "other");
  std::string bytes = dir.slurp(dir.file("a.cache"));
  bytes[bytes.size() * 3 / 4] ^= 1;  // in a part of the second rank
  dir.write("other/a.cache", bytes);
  const Result result = run(elsewhere(2, 1, "cd other", "train a.cache --solver fobos --batch 9"));
  EXPECT_EQ(result.exit, 1);
  const std::string said = told(result);
  EXPECT_TRUE(contains(said, "rank 1 (")) << said;
  EXPECT_TRUE(contains(said, "a.cache: not a valid cache: block ")) << said;
}

// How long something took, in JSON and in tables, is not the same twice.
std::string without_seconds(const std::string& text) {
  static const std::regex seconds(R"("[a-z_]*seconds":[^,}]*|[0-9.]+ s of)");
  return std::regex_replace(text, seconds, "");
}

// Of the default command and of searches, ranks share the runs.
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
  Result result = on_ranks(2, {"train", "a.svm", "--slices", "8"});
  EXPECT_EQ(result.exit, 2);
  EXPECT_TRUE(contains(told(result), "--slices: budget divides the features of a single run only"))
      << result;
  result = on_ranks(2, {"train", "a.svm", "--features", "5", "--ridge", "1", "--scale", "max"});
  EXPECT_EQ(result.exit, 2);
  EXPECT_EQ(told(result), "thresh: --slices: budget does not support --ridge yet") << result;
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

// The first rank dies after a write of the checkpoint; the launcher ends the others.
class CliRanksResume : public CliRanks {
 protected:
  void SetUp() override {
    CliRanks::SetUp();
    if (IsSkipped()) return;
    silent(with_options("one.thresh", {"--slices", "64"}));
  }
  static Words with_options(const std::string& model, const Words& more) {
    Words words = {"train", "a.svm",   "-q", "-o",       model, "--solver",
                   "fobos", "--batch", "7",  "--passes", "6"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  void interrupt(int ranks) const {
    std::filesystem::remove(dir.file("ranks.thresh"));
    Words words = {"-n", std::to_string(ranks), THRESH_BINARY};
    const Words command =
        with_options("ranks.thresh", {"--checkpoint", "c", "--checkpoint-every", "0s"});
    words.insert(words.end(), command.begin(), command.end());
    Command dying = mpirun(words);
    dying.environment.emplace_back("THRESH_TEST_DIE_AFTER_CHECKPOINT", "4");
    const Result result = run(dying);
    EXPECT_NE(result.exit, 0) << result;
    EXPECT_FALSE(exists("ranks.thresh"));
  }
  void expect_same() const {
    EXPECT_EQ(dir.slurp(dir.file("ranks.thresh")), dir.slurp(dir.file("one.thresh")));
  }
};

TEST_F(CliRanksResume, WithAnyNumberOfRanks) {
  for (const auto& [before, after] : {std::pair(3, 2), {2, 4}, {4, 1}, {1, 3}}) {
    interrupt(before);
    const Result result = on_ranks(after, {"resume", "c", "-q"});
    ASSERT_EQ(result.exit, 0) << result;
    expect_same();
    std::filesystem::remove(dir.file("c"));
  }
}

TEST_F(CliRanksResume, WithoutALauncher) {
  interrupt(2);
  silent({"resume", "c", "-q"});
  expect_same();
}

TEST_F(CliRanksResume, RefuseARunWithoutSlices) {
  Command dying = command(with_options("m", {"--checkpoint", "c", "--checkpoint-every", "0s"}));
  dying.environment.emplace_back("THRESH_TEST_DIE_AFTER_CHECKPOINT", "3");
  EXPECT_NE(run(dying).exit, 0);
  const Result result = on_ranks(2, {"resume", "c"});
  EXPECT_EQ(result.exit, 2);
  EXPECT_TRUE(contains(told(result), "c: a run without --slices can go on in one process only"))
      << result;
}

// One rank reads names from a pipe into which nobody writes.
class CliRanksStuck : public CliRanks {
 protected:
  Command stuck(int which = 1, const std::string& command = "train",
                const std::string& options = "margin-perceptron") const {
    std::filesystem::remove_all(dir.path / "stuck");
    std::filesystem::create_directory(dir.path / "stuck");
    std::filesystem::copy(dir.file("a.svm"), dir.file("stuck/a.svm"));
    EXPECT_EQ(::mkfifo(dir.file("stuck/names").c_str(), 0600), 0);
    std::string names;
    for (int i = 1; i <= 500; ++i) names += fmt::format("f{}\n", i);
    dir.write("names", names);
    return elsewhere(2, which, "cd stuck; echo $$",
                     fmt::format("{} a.svm --solver {} --names names", command, options));
  }
};

TEST_F(CliRanksStuck, NameTheOneThatHangs) {
  Command command = stuck();
  command.environment[0].second = "1";
  const Result result = run(command);
  EXPECT_EQ(result.exit, 1) << result;
  EXPECT_TRUE(contains(result.err, "thresh: rank 1 (")) << result;
  EXPECT_TRUE(contains(result.err, "has not answered for 1 seconds")) << result;
}

TEST_F(CliRanksStuck, NameTheFirstIfItHangs) {
  Command command = stuck(0);
  command.environment[0].second = "1";
  const Result result = run(command);
  EXPECT_EQ(result.exit, 1) << result;
  EXPECT_TRUE(contains(told(result), "thresh: rank 0 (")) << result;
}

// In a search, too, where a rank may wait long for the runs of others.
TEST_F(CliRanksStuck, NameTheOneThatHangsInASearch) {
  for (const int which : {0, 1}) {
    Command command = stuck(which, "tune", "fobos --grid lambda=1e-3,1e-2");
    command.environment[0].second = "1";
    const Result result = run(command);
    EXPECT_EQ(result.exit, 1) << result;
    EXPECT_TRUE(contains(told(result), fmt::format("thresh: rank {} (", which))) << result;
    EXPECT_TRUE(contains(result.err, "has not answered for 1 seconds")) << result;
  }
}

TEST_F(CliRanks, LongRunsAreNoSilence) {
  Words words = {"-n", "2",        THRESH_BINARY, "tune",   "a.svm",       "-q",       "-o",
                 "m",  "--solver", "fobos",       "--grid", "lambda=1e-3", "--passes", "20000"};
  Command command = mpirun(words);
  command.environment[0].second = "1";
  const Result result = run(command);
  EXPECT_EQ(result.exit, 0) << result;
}

TEST_F(CliRanksStuck, EndWhenOneDies) {
  Process process(stuck());
  ASSERT_TRUE(process.run_until([&] { return process.out().find('\n') != std::string::npos; }));
  const int pid = std::stoi(process.out());
  ASSERT_EQ(::kill(pid, SIGKILL), 0);
  const Result result = process.finish();
  EXPECT_NE(result.exit, 0) << result;
  EXPECT_FALSE(exists("a.svm.thresh"));
}

}  // namespace
