// --keep: features that must stay, by number and by name.

#include <fmt/format.h>

#include <algorithm>

#include "tools/program.hpp"

namespace {

class CliKeep : public CliTest {
 protected:
  CliKeep() { default_solver = ""; }
  void SetUp() override { dir.write("a.svm", few_decide(2000)); }

  static Words plus(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  Json choose(const Words& options, const std::string& data = "a.svm") const {
    return good_json(plus({"train", data, "--json", "-o", "m.thresh"}, options));
  }
  void refused(int exit, const Words& options, const std::string& part) const {
    EXPECT_TRUE(contains(bad(exit, plus({"train", "a.svm"}, options)), part));
    EXPECT_FALSE(exists("a.svm.thresh"));
  }
};

bool has(const std::vector<Weight>& weights, std::uint64_t index) {
  return std::any_of(weights.begin(), weights.end(),
                     [&](const Weight& weight) { return weight.index == index; });
}

TEST_F(CliKeep, KeptFeaturesStayByNumberAndByName) {
  choose({});
  EXPECT_FALSE(has(weights(), 30));
  choose({"--keep", "30,31"});
  EXPECT_TRUE(has(weights(), 30) && has(weights(), 31));
  const std::vector<Weight> kept = weights();

  std::string names;
  for (int i = 1; i <= 31; ++i) names += fmt::format("word {}\n", i);
  dir.write("names", names);
  choose({"--keep", "word 31,word 30", "--names", "names"});
  const std::vector<Weight> named = weights();
  ASSERT_EQ(named.size(), kept.size());
  for (std::size_t i = 0; i < named.size(); ++i) {
    EXPECT_EQ(named[i].index, kept[i].index);
    EXPECT_EQ(named[i].value, kept[i].value);
    EXPECT_EQ(named[i].name, fmt::format("word {}", named[i].index));
  }
  refused(1, {"--keep", "word 32", "--names", "names"}, "names: no feature word 32");
  refused(1, {"--keep", "31.5", "--names", "names"}, "names: no feature 31.5");
}

TEST_F(CliKeep, ANumberThatIsNoNameIsANumber) {
  std::string names;
  for (int i = 1; i <= 31; ++i) names += i == 29 ? "31\n" : fmt::format("word {}\n", i);
  dir.write("names", names);
  choose({"--keep", "30,31", "--names", "names"});
  EXPECT_TRUE(has(weights(), 30) && has(weights(), 29));
  EXPECT_FALSE(has(weights(), 31));
}

TEST_F(CliKeep, NumbersAndNamesOfWhatIsKeptCountAsTheDataDo) {
  std::string rows, names = "first\nsecond\nthird\n";
  for (int i = 0; i < 60; ++i) rows += fmt::format("{0} {0}:1 2:0.{1}\n", i % 2, 1 + i % 7);
  dir.write("zero.svm", rows);
  dir.write("names", names);
  choose({"--zero-based", "--keep", "2"}, "zero.svm");
  EXPECT_TRUE(has(weights(), 2));
  choose({"--zero-based", "--keep", "third", "--names", "names"}, "zero.svm");
  EXPECT_TRUE(has(weights(), 2));
  choose({"--zero-based", "--keep", "0"}, "zero.svm");
  EXPECT_TRUE(has(weights(), 0));
}

TEST_F(CliKeep, WhatNeverOccursTakesNoPlaceAndIsToldOf) {
  const Words few = {"train", "a.svm", "--dim", "40", "--features", "3", "-o", "m.thresh"};
  const Result result = thresh(plus(few, {"--keep", "35,30", "-q"}));
  EXPECT_EQ(result.exit, 0);
  EXPECT_EQ(result.err,
            "thresh: warning: --keep 35: no row taught anything about it, so it has no weight\n");
  EXPECT_EQ(weights().size(), 3u);
  EXPECT_TRUE(has(weights(), 30));
  EXPECT_EQ(thresh(plus(few, {"--keep", "30", "-q"})).err, "");
}

TEST_F(CliKeep, SizesBeginWithRoomForWhatIsKept) {
  EXPECT_EQ(choose({"--keep", "1,2,3"}).at("frontier")[0].at("features"), 5);
  std::string all = "1";
  for (int i = 2; i <= 31; ++i) all += fmt::format(",{}", i);
  EXPECT_EQ(choose({"--keep", all}).at("chosen"), 31);
  EXPECT_EQ(choose({"--keep", all + ",1,1"}).at("nonzeros"), 31);  // named twice is kept once
  refused(1, {"--keep", all + ",32"}, "a.svm: no feature 32, which --keep names");
}

TEST_F(CliKeep, WhatCannotBeKeptIsRefused) {
  for (const std::string text : {"x", "1.5", "0", "-1", "3,x", "word 1"}) {
    refused(2, {"--keep", text}, "not a feature number; to use names, give --names FILE");
  }
  refused(2, {"--keep", "3", "--solver", "fobos"}, "fobos does not support --keep");
  refused(2, {"--keep", "3", "--solver", "l0-sgd", "--features", "5"}, "does not support --keep");
  refused(2, {"--keep", "1,2,3", "--features", "2"}, "--keep names more features than the budget");
  refused(1, {"--keep", "32"}, "a.svm: no feature 32, which --keep names");
}

}  // namespace
