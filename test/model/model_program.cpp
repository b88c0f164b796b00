// The model file: what is in it, that it appears whole or not at all, and what is refused.

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "tools/program.hpp"

class CliModel : public CliTest {
 protected:
  void SetUp() override { dir.write("tiny.svm", kTiny); }

  // Every command that loads a model refuses this one, in one line that names it.
  std::string refused(const std::string& content) const {
    dir.write("bad.thresh", content);
    const std::string line = bad(1, {"weights", "bad.thresh"});
    EXPECT_TRUE(line.starts_with("thresh: bad.thresh: ")) << line;
    return line;
  }
};

TEST_F(CliModel, TextVersionedSortedAndChecked) {
  const std::string model = train({"tiny.svm", "--holdout", "30%"});
  const Words lines = lines_of(model);
  ASSERT_GT(lines.size(), 3U);
  EXPECT_EQ(lines[0], "thresh-model 1");
  const Json header = Json::parse(lines[1]);
  for (const char* key :
       {"task", "solver", "labels", "dimension", "intercept", "options", "summary"}) {
    EXPECT_TRUE(header.contains(key)) << key;
  }
  for (const char* key : {"eta", "lambda", "tau", "seed", "order", "passes"}) {
    EXPECT_TRUE(header.at("options").contains(key)) << key;
  }
  EXPECT_TRUE(header.at("summary").contains("valid_error"));
  Words body;
  for (const Weight& weight : weights()) {
    body.push_back(fmt::format("{}\t{:.17g}", weight.index, weight.value));
  }
  EXPECT_EQ(model, handmade_model(lines[1], body));  // computes the checksum on its own
}

TEST_F(CliModel, TrainingAgainReplacesIt) {
  dir.write("m.thresh", "something else");
  const std::string model = train({"tiny.svm"});
  EXPECT_TRUE(model.starts_with("thresh-model 1\n"));
  EXPECT_EQ(files(), (Words{"m.thresh", "tiny.svm"}));
}

TEST_F(CliModel, FailureLeavesTheOldOneAlone) {
  const std::string model = train({"tiny.svm"});
  dir.write("bad.svm", kTiny + "+1 1:x\n");
  bad(1, {"train", "bad.svm", "-o", "m.thresh"});
  EXPECT_EQ(ScratchDir::slurp(dir.file("m.thresh")), model);
  EXPECT_EQ(files(), (Words{"bad.svm", "m.thresh", "tiny.svm"}));
}

TEST_F(CliModel, MayBeTheModelItStartsFrom) {
  train({"tiny.svm", "--passes", "1"});
  train({"tiny.svm", "--from", "m.thresh"});
  EXPECT_FALSE(weights().empty());
}

// ModelFile tries every byte; here it is enough to see that the program says so.
TEST_F(CliModel, TruncationsAreRefused) {
  const std::string model = train({"tiny.svm"});
  for (std::size_t size = 0; size < model.size(); size += 50) refused(model.substr(0, size));
  refused(model.substr(0, model.size() - 1));
}

TEST_F(CliModel, AlterationsAreRefused) {
  const std::string model = train({"tiny.svm"});
  for (std::size_t at = 0; at < model.size(); at += 50) {
    std::string altered = model;
    altered[at] = altered[at] == '7' ? '8' : '7';
    refused(altered);
  }
  refused(model + "\n");
  refused(model + model);
}

TEST_F(CliModel, ForeignFilesAreRefused) {
  EXPECT_TRUE(contains(refused(kTiny), "not a thresh model"));
  EXPECT_TRUE(contains(refused(std::string(100000, '\0')), "not a thresh model"));
  EXPECT_TRUE(contains(refused("solver_type L2R_LR\nnr_class 2\n"), "not a thresh model"));
  EXPECT_TRUE(contains(refused("thresh-model 7\n{}\nend 0 crc32 00000000\n"),
                       "is not known to this program"));
  EXPECT_TRUE(contains(bad(1, {"weights", "."}), "directory"));
  EXPECT_TRUE(contains(bad(1, {"weights", "nowhere.thresh"}), "nowhere.thresh: "));
}

TEST_F(CliModel, EveryCommandRefusesABadModel) {
  dir.write("bad.thresh", "thresh-model 1\n{");
  for (const Words& arguments : std::vector<Words>{{"predict", "bad.thresh", "tiny.svm", "-o", "x"},
                                                   {"eval", "bad.thresh", "tiny.svm"},
                                                   {"weights", "bad.thresh"},
                                                   {"export", "bad.thresh", "--format", "json"},
                                                   {"train", "tiny.svm", "--from", "bad.thresh"}}) {
    EXPECT_TRUE(contains(bad(1, arguments), "thresh: bad.thresh: ")) << arguments[0];
  }
  EXPECT_EQ(files(), (Words{"bad.thresh", "tiny.svm"}));
}

TEST_F(CliModel, UnreadableModelIsRefused) {
  if (::geteuid() == 0) GTEST_SKIP() << "root reads everything";
  train({"tiny.svm"});
  std::filesystem::permissions(dir.path / "m.thresh", std::filesystem::perms::none);
  EXPECT_TRUE(contains(bad(1, {"weights", "m.thresh"}), "thresh: m.thresh: "));
}

// The checksum is no secret: files that were made to look right must not do harm either.
TEST_F(CliModel, WellSealedNonsenseIsRefused) {
  const auto sealed = [&](const std::string& header, const Words& lines) {
    return refused(handmade_model(header, lines));
  };
  const std::string header = regression_header("9");
  EXPECT_TRUE(contains(sealed(header, {"3\t1", "2\t1"}), "line 4"));
  EXPECT_TRUE(contains(sealed(header, {"3\t1", "3\t1"}), "line 4"));
  for (const char* line : {"0\t1", "3\tnan", "3\tinf", "3\t1e999", "3\t0", "3\t", "x\t1", "3 1", "",
                           "1099511627777\t1", "99999999999999999999\t1"}) {
    EXPECT_TRUE(contains(sealed(header, {line}), "line 3")) << line;
  }
  for (const char* other : {"", "{}", "[]", "null", "{\"task\":1}", "\xff"})
    sealed(other, {"1\t1"});
}

TEST_F(CliModel, DimensionMustMakeSense) {
  for (const char* dimension : {"-5", "1e300", "2.5", "\"3\"", "null", "2"}) {
    refused(handmade_model(regression_header(dimension), {"3\t1"}));
  }
}

TEST_F(CliModel, DeeplyNestedHeaderIsRefused) {
  constexpr int kDepth = 200000;
  std::string header = regression_header();
  const std::string deep = std::string(kDepth, '[') + std::string(kDepth, ']');
  header.replace(header.find("\"options\":{}"), 12, "\"options\":" + deep);
  refused(handmade_model(header, {"1\t1"}));
}

TEST_F(CliModel, NumbersInTheFileAllocateNothing) {
  dir.write("huge.thresh",
            handmade_model(regression_header("1099511627776"), {"1\t2", "1099511627776\t-1"}));
  EXPECT_DOUBLE_EQ(margins("huge.thresh", "tiny.svm").front(), 0.5 + 2 * 0.8);
  EXPECT_EQ(weights("huge.thresh").back().index, 1099511627776U);
}

TEST_F(CliModel, LargestIndexComesBack) {
  dir.write("one.svm", "+1 1:1\n-1 1099511627776:1\n");
  train({"one.svm"}, "one.thresh");
  EXPECT_EQ(weights("one.thresh").back().index, 1099511627776U);
  dir.write("zero.svm", "+1 0:1\n-1 1099511627775:1\n");
  train({"zero.svm", "--zero-based"}, "zero.thresh");
  EXPECT_EQ(weights("zero.thresh").back().index, 1099511627775U);
}

// What training accepts, loading must accept.
TEST_F(CliModel, ZeroBasedIndexAtTheLimitIsRefusedOrComesBack) {
  dir.write("zero.svm", "+1 0:1\n-1 1099511627776:1\n");
  const Result result = thresh({"train", "zero.svm", "--zero-based", "-q", "-o", "m.thresh"});
  if (result.exit == 0) {
    EXPECT_EQ(weights().size(), 2U);
  } else {
    EXPECT_TRUE(contains(complaint(result), "zero.svm:2: "));
  }
}
