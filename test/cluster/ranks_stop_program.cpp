// Ranks that go on from a checkpoint, and ranks that hang or die.

#include <signal.h>
#include <sys/stat.h>

#include "cluster/ranks.hpp"

namespace {

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

// One rank reads names, or weights of rows, from a pipe into which nobody writes.
class CliRanksStuck : public CliRanks {
 protected:
  Command stuck(int which = 1, const std::string& command = "train",
                const std::string& options = "margin-perceptron",
                const std::string& reads = "--names") const {
    std::filesystem::remove_all(dir.path / "stuck");
    std::filesystem::create_directory(dir.path / "stuck");
    std::filesystem::copy(dir.file("a.svm"), dir.file("stuck/a.svm"));
    EXPECT_EQ(::mkfifo(dir.file("stuck/lines").c_str(), 0600), 0);
    std::string lines;
    for (int i = 1; i <= 300; ++i) lines += reads == "--names" ? fmt::format("f{}\n", i) : "1\n";
    dir.write("lines", lines);
    return elsewhere(2, which, "cd stuck; echo $$",
                     fmt::format("{} a.svm --solver {} {} lines", command, options, reads));
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

// In a search, too, where a rank may wait long for the runs of others. Weights are read by a run,
// so the stuck rank has a thread that could give signs of life.
TEST_F(CliRanksStuck, NameTheOneThatHangsInASearch) {
  for (const int which : {0, 1}) {
    Command command = stuck(which, "tune", "fobos --grid lambda=1e-3,1e-2", "--weights");
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
