// Files that earlier versions wrote, kept in test/fixtures: they are read and say what they said
// then, or are refused with one line. test/fixtures/make.sh made them.

#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <filesystem>

#include "tools/program.hpp"

namespace {

namespace fs = std::filesystem;

// One test for each version that has a folder.
class Fixtures : public CliTest, public testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    for (const auto& file :
         fs::directory_iterator(THRESH_SOURCE_DIR "/test/fixtures/" + GetParam())) {
      fs::copy(file, dir.path);
    }
  }
  std::string slurp(const std::string& name) const { return ScratchDir::slurp(dir.file(name)); }

  // Exit code 0; or, for files of an earlier version, one line that names the file.
  testing::AssertionResult read_or_refused(const Result& result, const std::string& file) const {
    if (result.exit == 0) return testing::AssertionSuccess();
    if (thresh({"--version"}).out.starts_with("thresh " + GetParam() + ".")) {
      return testing::AssertionFailure() << "files of this very version: " << result;
    }
    const std::string line = complaint(result);
    if (line.find(file) != std::string::npos) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "neither read nor refused by name: " << line;
  }

  // What the model says about rows, or else why it does not.
  void predicts(const std::string& model, const std::string& data) const {
    const std::string file = model + ".thresh";
    const Result result = thresh({"predict", file, data, "--json"});
    ASSERT_TRUE(read_or_refused(result, file));
    if (result.exit == 0) {
      EXPECT_EQ(result.out, slurp(model + ".json")) << model;
    }
  }
};

TEST_P(Fixtures, ModelsPredictWhatTheyPredicted) {
  predicts("two", "two.svm");
  predicts("three", "three.svm");
  predicts("value", "value.svm");
  predicts("table", "table.csv");
  predicts("notes", "notes.txt");
  predicts("calibrated", "two.svm");
  predicts("certified", "two.svm");
}

TEST_P(Fixtures, ModelsAreWrittenAgainAsTheyAre) {
  for (const std::string name : {"two", "three", "value", "table", "notes"}) {
    const Result result = thresh({"export", name + ".thresh", "--format", "json"});
    ASSERT_TRUE(read_or_refused(result, name + ".thresh"));
  }
}

TEST_P(Fixtures, CertificatesStillHold) {
  EXPECT_TRUE(
      read_or_refused(thresh({"verify", "certified.thresh", "two.svm"}), "certified.thresh"));
}

TEST_P(Fixtures, CachesHaveTheSameRows) {
  for (const auto& [cache, data] :
       {std::pair<std::string, std::string>{"two", "two.svm"}, {"table", "table.csv"}}) {
    const Result result = thresh({"predict", cache + ".thresh", cache + ".cache", "--json"});
    ASSERT_TRUE(read_or_refused(result, cache + ".cache"));
    if (result.exit == 0) {
      EXPECT_EQ(result.out, slurp(cache + ".json"));
    }
    const Result learned = thresh({"train", cache + ".cache", "-q", "--features", "3", "--solver",
                                   "budget", "-o", "cached.thresh"});
    ASSERT_TRUE(read_or_refused(learned, cache + ".cache"));
    if (learned.exit != 0) continue;
    silent({"train", data, "-q", "--features", "3", "--solver", "budget", "-o", "plain.thresh"});
    // Headers may differ: caches of 0.1 lack the means of columns, which models record since.
    EXPECT_EQ(good({"weights", "cached.thresh", "--intercept"}),
              good({"weights", "plain.thresh", "--intercept"}));
  }
}

TEST_P(Fixtures, TrialsAreGoneOnFromOrRefused) {
  // As make.sh has set it: trials are those of a file of that time.
  const auto since_1970 = std::chrono::sys_seconds(std::chrono::seconds(1700000000));
  fs::last_write_time(dir.file("two.svm"), std::chrono::file_clock::from_sys(since_1970));
  const std::string before = slurp("tune.state");
  const Result result =
      thresh({"tune", "two.svm", "-q", "--solver", "fobos", "--grid", "lambda=0.001,0.01,0.1",
              "--holdout", "30%", "--state", "tune.state", "-o", "tuned.thresh"});
  ASSERT_TRUE(read_or_refused(result, "tune.state"));
  EXPECT_EQ(slurp("tune.state"), before) << "no trial was made again, and nothing was lost";
}

INSTANTIATE_TEST_SUITE_P(Of, Fixtures, testing::Values("0.1", "0.2"),
                         [](const auto& version) { return "V0_" + version.param.substr(2); });

class FutureFiles : public CliTest {};

TEST_F(FutureFiles, AModelIsRefusedWithOneLine) {
  dir.write("a.svm", "1 1:1\n");
  dir.write("m.thresh", handmade_model(regression_header(), {"1\t0.5"}, "thresh-model 7"));
  EXPECT_TRUE(contains(bad(1, {"predict", "m.thresh", "a.svm"}),
                       "m.thresh: model format 7 is not known to this program"));
}

TEST_F(FutureFiles, ACacheIsRefusedWithOneLine) {
  dir.write("a.svm", "1 1:1\n-1 2:1\n");
  silent({"cache", "a.svm", "-q", "-o", "a.cache"});
  std::string bytes = ScratchDir::slurp(dir.file("a.cache"));
  const std::uint64_t version = 99;
  std::memcpy(bytes.data() + 8, &version, sizeof version);
  dir.write("a.cache", bytes);
  EXPECT_TRUE(contains(bad(1, {"train", "a.cache", "-q", "-o", "m.thresh"}), "another version"));
}

TEST_F(FutureFiles, TrialsOfAnotherVersionAreRefusedWithOneLine) {
  dir.write("a.svm", random_rows({}));
  const Words tune{"tune",           "a.svm",     "-q",  "--solver", "fobos", "--grid",
                   "lambda=0.1,0.2", "--holdout", "30%", "--state",  "s",     "-o",
                   "m.thresh"};
  silent(tune);
  std::string state = ScratchDir::slurp(dir.file("s"));
  const std::size_t key = state.find("\"key\":\"") + 7;
  state.replace(key, 16, "0123456789abcdef");  // the version is part of it
  dir.write("s", state);
  EXPECT_TRUE(contains(bad(1, tune), "s: its trials are from other data or another version"));
}

}  // namespace
