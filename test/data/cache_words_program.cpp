// Caches of data in which features have names: every command gives what it gives from the source.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "tools/program.hpp"

namespace cache_words_test {

// Random rows, a few blocks of them, each a list of names and values.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}
  unsigned below(unsigned n) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<unsigned>((state_ >> 33) % n);
  }

 private:
  std::uint64_t state_;
};

// Names come in another order, and some others, for another seed.
std::string vw_text(unsigned rows, std::uint64_t seed, bool weighted) {
  Draw draw(seed);
  std::string text;
  for (unsigned i = 0; i < rows; ++i) {
    int sum = 0;
    std::string features;
    for (unsigned k = 0; k < 1 + draw.below(8); ++k) {
      const unsigned name = draw.below(60) + static_cast<unsigned>(seed) % 10;
      sum += name % 3 == 0 ? 1 : -1;
      features += fmt::format(" w{}:{}", name, 0.1 * (1 + draw.below(9)));
    }
    // The first block has no weights: the others' mean counts for it as well.
    const std::string weight = weighted && i > 1500 ? fmt::format(" {}", draw.below(5)) : "";
    text += fmt::format("{}{} |a{} last:{}\n", sum > 0 ? 1 : -1, weight, features, i == 0 ? 0 : 1);
  }
  return text;
}

std::string table(unsigned rows, std::uint64_t seed, char delimiter) {
  Draw draw(seed);
  std::string text = "n,color,y,size\n";
  for (unsigned i = 0; i < rows; ++i) {
    const unsigned n = draw.below(9), color = draw.below(30), size = draw.below(5);
    text += fmt::format("{},c{},{},{}\n", n, color + seed % 7, n + color > 18 ? "yes" : "no",
                        size == 0 ? "" : fmt::format("{}.5", size));
  }
  std::replace(text.begin(), text.end(), ',', delimiter);
  return text;
}

std::string documents(unsigned rows, std::uint64_t seed) {
  Draw draw(seed);
  std::string text;
  for (unsigned i = 0; i < rows; ++i) {
    const bool spam = draw.below(3) == 0;
    text += spam ? "spam\t" : "ham\t";
    for (unsigned k = 0; k < 2 + draw.below(9); ++k) {
      text += fmt::format("{}{} ", spam && draw.below(2) == 0 ? "buy" : "word", draw.below(40));
    }
    text += '\n';
  }
  return text;
}

struct Case {
  std::string data;   // in the working folder
  std::string other;  // more data of the kind, for validation
  Words reading;      // options
};

void PrintTo(const Case& one, std::ostream* out) {
  *out << one.data << ' ' << testing::PrintToString(one.reading);
}

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

class CliCacheWords : public CliTest, public testing::WithParamInterface<Case> {
 protected:
  CliCacheWords() {
    dir.write("a.vw", vw_text(5000, 1, true));
    dir.write("b.vw", vw_text(1500, 23, true));
    dir.write("a.csv", table(5000, 1, ','));
    dir.write("b.csv", table(1500, 5, ','));
    dir.write("a.tsv", table(5000, 2, '\t'));
    dir.write("b.tsv", table(1500, 4, '\t'));
    dir.write("a.txt", documents(3000, 1));
    dir.write("b.txt", documents(1000, 2));
    for (const char* folder : {"texts/good", "texts/bad"}) {
      std::filesystem::create_directories(dir.file(folder));
      for (int i = 0; i < 30; ++i) {
        dir.write(fmt::format("{}/{}", folder, i), fmt::format("{} {} {}", folder, i % 7, i % 5));
      }
    }
  }

  void cache(const std::string& data, const std::string& output, const Words& reading) {
    silent(joined({"cache", data, "-o", output, "-q"}, reading));
  }
  // What a command says of the source and its options, and of the cache, which needs none.
  void expect_same(const std::string& command, const Words& more) {
    const auto said_of = [&](const std::string& data, const Words& reading) {
      Json json = good_json(joined(joined({command, data, "--json", "-q"}, more), reading));
      json.erase("data");  // its name
      for (Json& solver : json["solvers"]) solver.erase("seconds");
      return json;
    };
    EXPECT_EQ(said_of("a.cache", {}), said_of(GetParam().data, GetParam().reading)) << command;
  }
};

TEST_P(CliCacheWords, GiveTheModelsOfTheSource) {
  const auto& [data, other, reading] = GetParam();
  cache(data, "a.cache", reading);
  std::vector<Words> runs = {{"--passes", "3"},
                             {"--passes", "2", "--order", "sequential", "--holdout", "20%"},
                             {"--solver", "fobos", "--passes", "2", "--loss", "logistic"},
                             {"--solver", "cd", "--loss", "logistic"}};
  if (!data.starts_with("a.t") && data != "texts") {
    runs.push_back({"--passes", "3", "--normalize", "l2"});
  }
  for (const Words& run : runs) {
    const std::string expected = train(joined(joined({data}, run), reading));
    EXPECT_EQ(train(joined({"a.cache"}, run), "c.thresh"), expected) << testing::PrintToString(run);
    EXPECT_EQ(train(joined(joined({"a.cache"}, run), reading), "c.thresh"), expected)
        << "with the options that it was made with";
  }
}

TEST_P(CliCacheWords, AreDataForEveryCommand) {
  const auto& [data, other, reading] = GetParam();
  cache(data, "a.cache", reading);
  train(joined({data, "--passes", "3"}, reading));
  EXPECT_EQ(good({"predict", "m.thresh", "a.cache", "--output", "margin"}),
            good({"predict", "m.thresh", data, "--output", "margin"}));
  EXPECT_EQ(good({"eval", "m.thresh", "a.cache", "--json"}),
            good({"eval", "m.thresh", data, "--json"}));
  expect_same("cv", {"--folds", "2", "--solver", "fobos", "--passes", "1"});
  expect_same("diagnose", {"--only", "spectral"});
  expect_same("frontier", {"--budgets", "2,5", "--passes", "1"});
  cache("a.cache", "again.cache", {});
  EXPECT_EQ(ScratchDir::slurp(dir.file("again.cache")), ScratchDir::slurp(dir.file("a.cache")));
}

// Held-out rows decide the calibration, so the model shows what became of them.
TEST_P(CliCacheWords, StandBesideOtherData) {
  const auto& [data, other, reading] = GetParam();
  cache(data, "a.cache", reading);
  cache(other, "b.cache", reading);
  const auto run = [&](const std::string& rows, const std::string& valid, const Words& more) {
    return train(joined({rows, "--valid", valid, "--calibrate", "--passes", "2"}, more),
                 "c.thresh");
  };
  const std::string expected = run(data, other, reading);
  EXPECT_EQ(run("a.cache", other, {}), expected);
  const bool text = data == "a.txt" || data == "texts";
  // Texts become rows by the terms of those that were learned from.
  const bool listed = text && reading != Words{"--format", "text", "--hash-bits", "8", "--no-idf"};
  if (listed && data != other) {
    EXPECT_TRUE(
        contains(bad(1, joined({"train", data, "--valid", "b.cache", "-q"}, reading)),
                 "b.cache: the cache cannot be used here: its terms differ from the model's"));
    return;
  }
  // Cells that are missing have the means of the rows that were learned from.
  if (data == "a.csv" || data == "a.tsv") {
    EXPECT_TRUE(
        contains(bad(1, joined({"train", data, "--valid", "b.cache", "-q"}, reading)),
                 "b.cache: the cache cannot be used here: its columns differ, or what stands "
                 "for missing cells"));
    return;
  }
  EXPECT_EQ(run(data, "b.cache", reading), expected);
  EXPECT_EQ(run("a.cache", "b.cache", {}), expected);
  train(joined({data}, reading));
  EXPECT_EQ(train({"b.cache", "--from", "m.thresh", "--passes", "2"}, "c.thresh"),
            train(joined({other, "--from", "m.thresh", "--passes", "2"}, reading), "d.thresh"));
}

INSTANTIATE_TEST_SUITE_P(
    Formats, CliCacheWords,
    testing::Values(
        Case{"a.vw", "b.vw", {}}, Case{"a.vw", "b.vw", {"--hash-bits", "5"}},
        Case{"a.csv", "b.csv", {"--label", "y"}},
        Case{"a.csv", "b.csv", {"--label", "y", "--hash-bits", "12"}},
        Case{"a.tsv", "b.tsv", {"--label", "3", "--categorical", "n"}},
        Case{"a.txt", "b.txt", {"--format", "text"}},
        Case{"a.txt", "b.txt", {"--format", "text", "--chars", "2:3", "--norm", "none"}},
        Case{"a.txt", "b.txt", {"--format", "text", "--hash-bits", "8", "--min-df", "2"}},
        Case{"a.txt", "b.txt", {"--format", "text", "--hash-bits", "8", "--no-idf"}},
        Case{"texts", "texts", {}}));

class CliCacheOptions : public CliTest {};

TEST_F(CliCacheOptions, ThatContradictTheCacheAreRefused) {
  dir.write("a.csv", table(50, 1, ','));
  dir.write("a.vw", vw_text(50, 1, false));
  dir.write("a.txt", documents(50, 1));
  silent({"cache", "a.csv", "--label", "y", "-o", "csv.cache", "-q"});
  silent({"cache", "a.vw", "--hash-bits", "6", "-o", "vw.cache", "-q"});
  silent({"cache", "a.txt", "--format", "text", "-o", "text.cache", "-q"});
  EXPECT_EQ(bad(1, {"train", "csv.cache", "--label", "color", "-q"}),
            "thresh: csv.cache: the cache was made with label \"y\", not \"color\" (leave that "
            "option out, or make another cache)");
  EXPECT_TRUE(contains(bad(1, {"train", "vw.cache", "--hash-bits", "7", "-q"}),
                       "the cache was made with hash-bits 6, not 7"));
  EXPECT_TRUE(contains(bad(1, {"train", "text.cache", "--ngrams", "1:2", "-q"}),
                       "the cache was made with ngrams [1,1], not [1,2]"));
  EXPECT_TRUE(contains(bad(1, {"train", "csv.cache", "--format", "vw", "-q"}),
                       "csv.cache: the cache holds csv data, not vw"));
  EXPECT_TRUE(contains(bad(2, {"train", "csv.cache", "--ngrams", "1:2", "-q"}),
                       "--ngrams applies only to --format text"));
  EXPECT_TRUE(contains(bad(2, {"train", "vw.cache", "--dim", "7", "-q"}),
                       "--dim apply only to libsvm text"));
  EXPECT_TRUE(contains(bad(2, {"train", "text.cache", "--normalize", "l2", "-q"}),
                       "--normalize does not apply to texts"));
  dir.write("w.vw", vw_text(3000, 1, true));
  std::string weights;
  for (int i = 0; i < 3000; ++i) weights += "1\n";
  dir.write("weights", weights);
  silent({"cache", "w.vw", "-o", "w.cache", "-q"});
  EXPECT_TRUE(contains(bad(1, {"train", "w.cache", "--weights", "weights", "-q"}),
                       "rows already have weights, so --weights cannot be used"));
}

TEST_F(CliCacheOptions, ModelsTakeWhatTheyKnow) {
  dir.write("a.csv", table(300, 1, ','));
  dir.write("a.vw", vw_text(300, 1, false));
  dir.write("a.svm", random_rows({}));
  for (const char* kind : {"csv", "vw", "svm"}) {
    const std::string data = std::string("a.") + kind;
    silent({"cache", data, "-o", std::string(kind) + ".cache", "-q"});
    train({data}, std::string(kind) + ".thresh");
  }
  EXPECT_TRUE(contains(bad(1, {"predict", "svm.thresh", "csv.cache"}),
                       "the cache holds csv data, not libsvm"));
  EXPECT_TRUE(contains(bad(1, {"predict", "csv.thresh", "svm.cache"}),
                       "the cache holds libsvm data, not csv"));
  dir.write("other.csv", "n,color,size,y\n1,c1,big,yes\n2,c2,small,no\n");
  silent({"cache", "other.csv", "--label", "y", "-o", "other.cache", "-q"});
  EXPECT_EQ(bad(1, {"predict", "csv.thresh", "other.cache"}),
            "thresh: other.cache: the cache cannot be used here: its columns differ");
  dir.write("words.csv", "n,color,y,size\n1,c1,yes,1\n2,c2,maybe,2\n");
  silent({"cache", "words.csv", "--label", "y", "-o", "words.cache", "-q"});
  train({"a.csv", "--label", "y"}, "y.thresh");
  EXPECT_EQ(bad(1, {"eval", "y.thresh", "words.cache"}),
            "thresh: words.cache:3: label 'maybe' is not one of the known labels no, yes");
  EXPECT_EQ(good({"eval", "y.thresh", "words.cache", "--on-bad-row", "skip", "--json"}),
            good({"eval", "y.thresh", "words.csv", "--on-bad-row", "skip", "--json"}));
  EXPECT_EQ(good({"predict", "y.thresh", "words.cache"}),
            good({"predict", "y.thresh", "words.csv"}));
}

TEST_F(CliCacheOptions, BesideTheDataGivesTheSameModel) {
  dir.write("a.csv", table(5000, 1, ','));
  // Learning passes over an empty line, but it is a text to be predicted.
  dir.write("a.txt", documents(2000, 1) + "\n \n" + documents(1000, 2));
  for (const Words& data : {Words{"a.csv", "--label", "y"}, Words{"a.txt", "--format", "text"}}) {
    const std::string beside = data[0] + ".thresh-cache";
    const Words run = joined(data, {"--passes", "3"});
    const std::string expected = train(run);
    EXPECT_FALSE(exists(beside));
    EXPECT_EQ(train(joined(run, {"--cache"}), "c.thresh"), expected) << "made";
    ASSERT_TRUE(exists(beside));
    EXPECT_EQ(train(run, "c.thresh"), expected) << "used";
    const std::string predicted = good({"predict", "m.thresh", data[0], "--no-cache"});
    EXPECT_EQ(good({"predict", "m.thresh", data[0]}), predicted);
    EXPECT_EQ(lines_of(predicted).size(), data[0] == "a.txt" ? 3002U : 5000U);
    EXPECT_EQ(good({"eval", "m.thresh", data[0], "--json"}),
              good({"eval", "m.thresh", data[0], "--json", "--no-cache"}));
    const std::string content = ScratchDir::slurp(dir.file(beside));
    dir.write(beside, content.substr(0, content.size() - 1));
    const Result used = thresh({"predict", "m.thresh", data[0], "-q"});
    EXPECT_TRUE(contains(complaint(used), beside + ": not a valid cache: it is truncated"));
    EXPECT_EQ(used.out, predicted);
  }
}

// Another option meets another cache.
TEST_F(CliCacheOptions, BesideTheDataIsMadeAnewForOthers) {
  dir.write("a.csv", table(2000, 1, ','));
  std::string last;
  for (const Words& reading :
       {Words{"--label", "y"}, Words{"--label", "color"},
        Words{"--label", "y", "--categorical", "n"}, Words{"--label", "y", "--hash-bits", "9"},
        Words{"--label", "y", "--on-bad-row", "skip"}, Words{"--label", "y"}}) {
    const Words run = joined({"a.csv", "--passes", "2", "--multiclass", "ovr"}, reading);
    const std::string expected = train(joined(run, {"--no-cache"}));
    EXPECT_EQ(train(joined(run, {"--cache"}), "c.thresh"), expected);
    const std::string content = ScratchDir::slurp(dir.file("a.csv.thresh-cache"));
    EXPECT_NE(content, last);
    last = content;
  }
}

TEST_F(CliCacheOptions, FilesOfTheFirstVersionAreStillRead) {
  const std::string old = THRESH_SOURCE_DIR "/test/fuzz/seeds/cache/small";
  silent({"convert", old, "-o", "a.svm", "-q"});
  EXPECT_EQ(ScratchDir::slurp(dir.file("a.svm")),
            "1 1:0.5 7:2 300:1\n-1 2:1 70000:3\n1 5:0.333333333333\n");
}

}  // namespace cache_words_test
