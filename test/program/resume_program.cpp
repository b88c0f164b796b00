// `--checkpoint` and `thresh resume`: the program is killed and must end as if it had not been.

#include <signal.h>

#include <chrono>
#include <random>

#include "tools/program.hpp"

namespace {

struct Case {
  Words command;
  std::string input = {};  // standard input
  bool has_model = true;
};

class CliResume : public CliTest {
 protected:
  void SetUp() override {
    dir.write("a.svm", few_decide(4000));
    dir.write("s.svm", few_decide(600, 2));
    dir.write("a.svm.xz", xz(few_decide(4000)));
    std::string csv = "age,city,y\n";
    for (int i = 0; i < 2500; ++i) {
      csv += std::to_string(i * 7919 % 61) + "," + "ABCDE"[i * 31 % 5] + "," +
             (i * 7919 % 61 + 9 * (i * 31 % 5) + i * 17 % 11 > 50 ? "yes" : "no") + "\n";
    }
    dir.write("t.csv", csv);
    std::string weights;
    for (int j = 1; j <= 31; ++j) {
      weights += std::to_string(j) + " " + std::to_string(1 + j % 3) + "\n";
    }
    dir.write("w", weights);
    good({"cache", "a.svm", "-o", "a.cache"});
  }

  std::vector<Case> cases() const {
    return {
        {{"train", "a.svm"}},
        {{"train", "s.svm"}},
        {{"train", "t.csv", "--features", "3"}},
        {{"train", "a.cache", "--solver", "fobos", "--order", "replacement"}},
        {{"train", "a.svm.xz", "--solver", "ftrl", "--trace", "trace", "--passes", "3"}},
        {{"train", "-", "--solver", "rda", "--order", "sequential"}, "a.svm"},
        {{"train", "-", "--format", "csv"}, "t.csv"},
        {{"train", "s.svm", "--solver", "l1", "--lambda", "1e-3"}},
        {{"train", "s.svm", "--solver", "scd", "--passes", "30"}},
        {{"train", "a.svm", "--solver", "projected-sgd", "--radius", "3", "--projection", "tree"}},
        {{"train", "a.svm", "--solver", "projected-sgd", "--radius", "3", "--ball-weights", "w"}},
        {{"cv", "s.svm", "--solver", "ftrl", "--folds", "3"}, "", false},
        {{"frontier", "s.svm", "--solvers", "budget,cd,l0-sgd", "--budgets", "2,5"}, "", false},
        {{"path", "s.svm", "--solver", "cd", "--over", "lambda", "--from", "0.1", "--to", "0.01"},
         "",
         false},
        {{"tune", "s.svm", "--solver", "ftrl", "--grid", "lambda=0.1,1,10"}}};
  }

  static Json without_times(const std::string& text) { return without_times(Json::parse(text)); }
  static Json without_times(Json json) {
    if (json.is_object()) json.erase("seconds");
    for (Json& each : json) {
      if (each.is_structured()) each = without_times(each);
    }
    return json;
  }

  Command command_of(const Case& each, bool saves) const {
    Words words = each.command;
    words.push_back("--json");
    if (each.has_model) words.insert(words.end(), {"-o", "m"});
    if (saves) words.insert(words.end(), {"--checkpoint", "c", "--checkpoint-every", "0s"});
    Command made = command(words);
    if (!each.input.empty()) made.input_file = dir.file(each.input);
    return made;
  }

  struct End {
    std::string model;
    Json json;
    bool operator==(const End&) const = default;
  };
  End end_of(const Case& each, const Result& result) const {
    EXPECT_EQ(result.exit, 0) << result;
    return {each.has_model ? ScratchDir::slurp(dir.file("m")) : "", without_times(result.out)};
  }
  void forget() const {
    for (const char* file : {"m", "c", "c.rows"}) std::filesystem::remove(dir.path / file);
  }
  // Ends it right after a write of the checkpoint; whether that was before its end.
  bool kill_after(int writes, const Case& each) const {
    Command killed = command_of(each, true);
    killed.environment = {{"THRESH_TEST_DIE_AFTER_CHECKPOINT", std::to_string(writes)}};
    const Result result = run(killed);
    EXPECT_TRUE(result.exit == 0 || result.exit == 128 + SIGKILL) << result;
    return result.exit != 0;
  }
  // Killed after each of these numbers of writes, it ends as if it had not been. How it ends.
  End expect_resumed(const Case& each, const std::vector<int>& kills_after) const {
    SCOPED_TRACE(testing::PrintToString(each.command));
    const End whole = end_of(each, run(command_of(each, false)));
    forget();
    EXPECT_EQ(end_of(each, run(command_of(each, true))), whole) << "with checkpoints";
    EXPECT_FALSE(exists("c.rows"));
    int kills = 0;
    for (const int writes : kills_after) {
      SCOPED_TRACE(writes);
      forget();
      if (!kill_after(writes, each)) break;
      const Result resumed = thresh({"resume", "c", "-q"});
      if (resumed.err.find("is finished") != std::string::npos) break;
      EXPECT_EQ(end_of(each, resumed), whole);
      EXPECT_FALSE(exists("c.rows"));
      ++kills;
    }
    EXPECT_GE(kills, 2);
    return whole;
  }
};

TEST_F(CliResume, EveryCommandEndsAsIfNothingHadHappened) {
  for (const Case& each : cases()) expect_resumed(each, {1, 2, 4, 9, 25});
}

// The proof begins again, from the same model.
TEST_F(CliResume, AProofByBranchAndBound) {
  const Case each = {{"train", "s.svm", "--solver", "budget", "--features", "4", "--ridge", "0.003",
                      "--passes", "30", "--prove", "0.1%"}};
  const End end = expect_resumed(each, {1, 4, 9, 25});
  EXPECT_GT(end.json.at("certificate").at("tree").size(), 2U);
}

const std::vector<int> kWithin = {4, 8, 12, 16, 20, 28};

// Its choice needs the margins of all held-out rows.
TEST_F(CliResume, AChoiceByAuc) {
  default_solver = "";
  const Case each = {{"train", "s.svm", "--by", "auc", "--passes", "2"}};
  EXPECT_TRUE(expect_resumed(each, kWithin).json.contains("chosen"));
}

// 60 rows of 150 columns, of which 40 are much alike: a ridge on all columns selects best.
TEST_F(CliResume, AChoiceOfPrunedColumns) {
  default_solver = "";
  std::mt19937 random(3);
  const auto normal = [&] {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(random()) / 0x1p32;
    return sum;
  };
  std::string rows;
  for (int i = 0; i < 60; ++i) {
    const double common = normal();
    std::string columns;
    for (int j = 1; j <= 150; ++j) {
      const double value = j <= 40 ? 3 * (common + normal()) : normal();
      columns += " " + std::to_string(j) + ":" + std::to_string(value);
    }
    rows += (common + 0.5 * normal() > 0 ? "1" : "-1") + columns + "\n";
  }
  dir.write("wide.svm", rows);
  const Case each = {{"train", "wide.svm", "--features", "60", "--passes", "2"}};
  const End end = expect_resumed(each, kWithin);
  EXPECT_TRUE(contains(end.json.dump(), "\"prune\"")) << end.json;
}

TEST_F(CliResume, ARunMayBeKilledAgainAndAgain) {
  const Case each = {{"train", "a.svm", "--features", "5", "--solver", "budget"}};
  const End whole = end_of(each, run(command_of(each, false)));
  ASSERT_TRUE(kill_after(2, each));
  Command again = command({"resume", "c"});
  again.environment = {{"THRESH_TEST_DIE_AFTER_CHECKPOINT", "15"}};
  Result result = run(again);
  int kills = 1;
  for (; result.exit == 128 + SIGKILL; ++kills) result = run(again);
  EXPECT_GT(kills, 5);
  EXPECT_TRUE(contains(result.err, "is finished")) << result;
  EXPECT_EQ(ScratchDir::slurp(dir.file("m")), whole.model);
}

// Also if it was killed right before it would have removed it.
TEST_F(CliResume, AFinishedRunLeavesNoCopyOfAPipe) {
  const Result result = run(command_of({{"train", "-", "--solver", "ftrl"}, "a.svm"}, true));
  ASSERT_EQ(result.exit, 0) << result;
  EXPECT_FALSE(exists("c.rows"));
  dir.write("c.rows", "1 1:1\n");
  EXPECT_TRUE(contains(thresh({"resume", "c"}).err, "is finished"));
  EXPECT_FALSE(exists("c.rows"));
}

TEST_F(CliResume, TheTraceIsWhole) {
  const Case each = {{"train", "a.svm", "--solver", "ftrl", "--trace", "t", "--passes", "4"}};
  end_of(each, run(command_of(each, false)));
  const std::vector<std::string> lines = lines_of(ScratchDir::slurp(dir.file("t")));
  forget();
  ASSERT_TRUE(kill_after(4, each));
  EXPECT_LT(lines_of(ScratchDir::slurp(dir.file("t"))).size(), lines.size());
  end_of(each, thresh({"resume", "c", "--quiet"}));
  const std::vector<std::string> resumed = lines_of(ScratchDir::slurp(dir.file("t")));
  ASSERT_EQ(resumed.size(), lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(without_times(resumed[i]), without_times(lines[i]));
  }
}

TEST_F(CliResume, ChangedDataAreNoticed) {
  const Case each = {{"train", "a.svm", "--solver", "ftrl"}};
  ASSERT_TRUE(kill_after(3, each));
  dir.write("a.svm", few_decide(4000));  // written again, not changed
  std::string other = few_decide(4000);
  other[other.size() - 2] = other[other.size() - 2] == '1' ? '2' : '1';
  dir.write("a.svm", other);
  const Result result = thresh({"resume", "c", "--quiet"});
  EXPECT_EQ(result.exit, 1);
  EXPECT_EQ(complaint(result), "thresh: a.svm: has changed since the checkpoint was written");
  dir.write("a.svm", few_decide(4000));
  end_of(each, thresh({"resume", "c", "--quiet"}));
}

TEST_F(CliResume, SaysWhatIsWrong) {
  EXPECT_TRUE(contains(bad(1, {"resume", "none"}), "none: No such file"));
  EXPECT_TRUE(contains(bad(1, {"resume", "a.svm"}), "a.svm: not a checkpoint"));
  EXPECT_TRUE(contains(bad(2, {"train", "a.svm", "--checkpoint", "a.svm"}), "a.svm"));
  EXPECT_TRUE(contains(bad(2, {"train", "a.svm", "--checkpoint", "c", "--checkpoint-every", "x"}),
                       "--checkpoint-every"));
  const Case each = {{"train", "a.svm", "--solver", "ftrl"}};
  ASSERT_TRUE(kill_after(3, each));
  EXPECT_TRUE(contains(bad(1, {"train", "a.svm", "--checkpoint", "c"}), "thresh resume c"));
}

// At random moments, by the clock. The seed is printed: the moments differ from run to run anyway.
class KillerProgram : public CliResume {
 protected:
  // Until so many runs were really killed, and not over before.
  void kill_at_random(int wanted, unsigned seed) {
    random_.seed(seed);
    const std::vector<Case> all = cases();
    std::vector<End> ends;
    std::vector<double> seconds;
    for (const Case& each : all) {
      forget();
      const auto started = std::chrono::steady_clock::now();
      ends.push_back(end_of(each, run(command_of(each, false))));
      seconds.push_back(
          std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count());
    }
    int kills = 0;
    for (int tries = 0; kills < wanted && tries < 10 * wanted; ++tries) {
      const std::size_t i = random_() % all.size();
      SCOPED_TRACE(testing::PrintToString(all[i].command) + " seed " + std::to_string(seed));
      forget();
      Result result;
      for (int times = 0; times < 6; ++times) {
        result = kill_within(1.2 * seconds[i], all[i]);
        if (result.exit != 128 + SIGKILL) break;
        ++kills;
      }
      if (result.exit == 128 + SIGKILL) result = go_on(all[i]);
      ASSERT_EQ(result.exit, 0) << result;
      if (!result.out.empty()) {
        EXPECT_EQ(end_of(all[i], result), ends[i]);
      } else if (all[i].has_model) {  // killed after its results were written
        EXPECT_EQ(ScratchDir::slurp(dir.file("m")), ends[i].model);
      }
      EXPECT_FALSE(exists("c.rows"));
      if (HasFailure()) return;
    }
    EXPECT_GE(kills, wanted);
  }

 private:
  // Before its first checkpoint a run starts again.
  Command next_of(const Case& each) const {
    return exists("c") ? command({"resume", "c", "--quiet"}) : command_of(each, true);
  }
  Result go_on(const Case& each) const { return run(next_of(each)); }
  Result kill_within(double seconds, const Case& each) {
    Process process(next_of(each));
    ::usleep(static_cast<useconds_t>(seconds * 1e6 * static_cast<double>(random_()) / 0x1p32));
    process.signal(SIGKILL);
    return process.finish();
  }

  std::mt19937 random_;
};

TEST_F(KillerProgram, KillsAtRandomMoments) {
  const unsigned seed = std::random_device()();
  RecordProperty("seed", std::to_string(seed));
  kill_at_random(40, seed);
}

class KillerInParts : public KillerProgram, public testing::WithParamInterface<int> {};

// A thousand in all.
TEST_P(KillerInParts, ThoroughlyKillsAtRandomMoments) {
  const unsigned seed = std::random_device()();
  RecordProperty("seed", std::to_string(seed));
  kill_at_random(50, seed);
}

INSTANTIATE_TEST_SUITE_P(Each, KillerInParts, testing::Range(0, 20));

}  // namespace
