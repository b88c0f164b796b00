// Ranks that learn from a cache with slices: each reads its parts.

#include "cluster/ranks.hpp"

namespace {

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

}  // namespace
