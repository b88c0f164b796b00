// --interactions: products of features, against files in which somebody has written them out.

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

#include "tools/program.hpp"

namespace {

using Pair = std::pair<std::uint64_t, std::uint64_t>;

// The rows with a feature for every pair that occurs in the training rows, behind their own.
class WrittenOut {
 public:
  WrittenOut(std::uint64_t features, const std::vector<SvmRow>& training) : features_(features) {
    std::set<Pair> pairs;
    for (const SvmRow& row : training) {
      each_pair(row, [&](Pair pair, double) { pairs.insert(pair); });
    }
    for (const Pair& pair : pairs) numbers_[pair] = features_ + 1 + numbers_.size();
  }
  std::string text(const std::vector<SvmRow>& rows) const {
    std::string text;
    for (const SvmRow& row : rows) {
      std::map<std::uint64_t, double> all;
      for (const auto& [index, value] : row.entries) {
        if (index <= features_) all[index] = value;
      }
      each_pair(row, [&](Pair pair, double value) {
        const auto found = numbers_.find(pair);
        if (found != numbers_.end()) all[found->second] = value;
      });
      text += fmt::format("{:g}", row.label);
      for (const auto& [index, value] : all) text += fmt::format(" {}:{:.17g}", index, value);
      text += "\n";
    }
    return text;
  }
  std::string name(std::uint64_t index) const {
    for (const auto& [pair, number] : numbers_) {
      if (number == index) return fmt::format("{}*{}", pair.first, pair.second);
    }
    return "";
  }
  std::size_t pairs() const { return numbers_.size(); }

 private:
  template <class Visit>
  static void each_pair(const SvmRow& row, const Visit& visit) {
    for (std::size_t i = 0; i < row.entries.size(); ++i) {
      for (std::size_t j = i + 1; j < row.entries.size(); ++j) {
        visit(Pair{row.entries[i].first, row.entries[j].first},
              row.entries[i].second * row.entries[j].second);
      }
    }
  }

  std::uint64_t features_;
  std::map<Pair, std::uint64_t> numbers_;
};

}  // namespace

class CliPairs : public CliTest {
 protected:
  CliPairs() { default_solver = ""; }

  // +1 where two of three signs agree in pairs: no single feature tells anything.
  static std::string signs(std::size_t rows, std::uint64_t seed) {
    std::string text;
    std::uint64_t state = seed;
    const auto draw = [&](std::uint64_t below) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      return static_cast<int>((state >> 33) % below);
    };
    for (std::size_t i = 0; i < rows; ++i) {
      const int a = 2 * draw(2) - 1, b = 2 * draw(2) - 1;
      text += fmt::format("{} 1:{} 2:{}", a * b, a, b);
      for (int noise = 3; noise <= 12; ++noise) {
        if (draw(2) == 0) text += fmt::format(" {}:{}", noise, 2 * draw(2) - 1);
      }
      text += "\n";
    }
    return text;
  }
  double error_of(const std::string& model, const std::string& data) {
    return good_json({"eval", model, data, "--json"}).at("error");
  }
};

TEST_F(CliPairs, GiveTheModelOfAFileThatHasThem) {
  const std::string train = random_rows({.rows = 300, .features = 25, .seed = 5});
  const std::string valid = random_rows({.rows = 100, .features = 30, .seed = 6});
  dir.write("a.svm", train);
  dir.write("v.svm", valid);
  const WrittenOut written(25, parse_rows(train));
  ASSERT_GT(written.pairs(), 200U);
  dir.write("b.svm", written.text(parse_rows(train)));
  dir.write("w.svm", written.text(parse_rows(valid)));
  std::size_t products = 0;
  const std::vector<Words> ways = {
      {"--features", "20"},
      {"--features", "9", "--passes", "1", "--beta", "1"},
      {"--solver", "l1", "--lambda-ratio", "0.1"},
      {"--solver", "ftrl", "--lambda", "0.01"},
      {"--solver", "budget", "--valid"},
  };
  for (const Words& way : ways) {
    Words pairs{"train", "a.svm", "--interactions", "*:*", "-q", "-o", "p.thresh"};
    Words plain{"train", "b.svm", "-q", "-o", "q.thresh"};
    pairs.insert(pairs.end(), way.begin(), way.end());
    plain.insert(plain.end(), way.begin(), way.end());
    if (way.back() == "--valid") {
      pairs.emplace_back("v.svm");
      plain.emplace_back("w.svm");
    }
    good(pairs);
    good(plain);
    std::vector<Weight> expected = weights("q.thresh");
    for (Weight& weight : expected) {
      weight.name = written.name(weight.index);
      products += weight.name.empty() ? 0 : 1;
    }
    EXPECT_EQ(weights("p.thresh"), expected) << way[1];
    // New rows have features and pairs that the training did not have.
    const std::vector<double> got = margins("p.thresh", "v.svm");
    const std::vector<double> wanted = margins("q.thresh", "w.svm");
    ASSERT_EQ(got.size(), wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_NEAR(got[i], wanted[i], 1e-12 * (1 + std::fabs(wanted[i])));
    }
  }
  EXPECT_GT(products, 10U);
}

TEST_F(CliPairs, FindWhatNoSingleFeatureTells) {
  dir.write("a.svm", signs(400, 1));
  dir.write("b.svm", signs(300, 2));
  EXPECT_EQ(thresh({"train", "a.svm", "-q", "-o", "m.thresh", "--features", "3"}).exit, 0);
  EXPECT_GT(error_of("m.thresh", "b.svm"), 0.4);
  good({"train", "a.svm", "--interactions", "*:*", "-q", "-o", "m.thresh", "--features", "1"});
  EXPECT_EQ(error_of("m.thresh", "b.svm"), 0);
  ASSERT_EQ(weights().size(), 1U);
  EXPECT_EQ(weights()[0].name, "1*2");
  EXPECT_TRUE(contains(good({"explain", "m.thresh", "b.svm"}), "1*2 = "));
  EXPECT_TRUE(ScratchDir::slurp(dir.file("m.thresh")).starts_with("thresh-model 6\n"));
  // A product may be required, in either order, and of the features that are.
  good({"train", "a.svm", "--interactions", "*:*", "--keep", "7*3,2", "-q", "-o", "k.thresh",
        "--features", "3", "--ridge", "0.01"});
  std::set<std::string> names;
  for (const Weight& weight : weights("k.thresh")) names.insert(weight.name);
  EXPECT_EQ(names, (std::set<std::string>{"", "1*2", "3*7"}));
  EXPECT_TRUE(contains(
      bad(1, {"train", "a.svm", "--interactions", "1:2", "--keep", "3*7", "-q", "--features", "2"}),
      "no feature 3*7, which --keep names"));
  EXPECT_TRUE(contains(bad(2, {"train", "a.svm", "--keep", "1*2", "-q", "--features", "2"}),
                       "--keep 1*2: not a feature number"));
  dir.write("names", "left\nright\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n");
  good({"train", "a.svm", "--interactions", "1:*", "-q", "--names", "names", "--features", "1",
        "-o", "n.thresh"});
  EXPECT_EQ(weights("n.thresh")[0].name, "left*right");
  good({"train", "a.svm", "--interactions", "*:*", "-q", "--names", "names", "--features", "1",
        "-o", "k.thresh", "--keep", "c*g", "--ridge", "0.01"});
  ASSERT_EQ(weights("k.thresh").size(), 1U);
  EXPECT_EQ(weights("k.thresh")[0].name, "c*g");
  EXPECT_EQ(error_of("n.thresh", "b.svm"), 0);
  for (const Words& search : std::vector<Words>{
           {"frontier", "a.svm", "--interactions", "1:2", "--budgets", "1"},
           {"cv", "a.svm", "--interactions", "1:2", "--features", "1", "--ridge", "0.1"},
           {"path", "a.svm", "--interactions", "1:2", "--solver", "l1", "--over", "lambda-ratio",
            "--values", "0.1"},
           {"tune", "a.svm", "--interactions", "1:2", "--solver", "fobos", "--grid",
            "lambda=1e-3,1e-2", "--cv", "3", "-o", "t.thresh"}}) {
    const std::string said = good(search);
    EXPECT_TRUE(contains(said, "0%")) << search[0] << said;
  }
}

TEST_F(CliPairs, OfSeveralClassesAndWithoutACalibration) {
  std::string text;
  for (int i = 0; i < 300; ++i) {
    const int a = i % 2, b = (i / 2) % 2, c = (i / 4) % 3;
    text += fmt::format("{} {}:1 {}:1 {}:1\n", a == b ? 2 : c == 0 ? 1 : 0, 1 + a, 3 + b, 5 + c);
  }
  dir.write("a.svm", text);
  good({"train", "a.svm", "--interactions", "all", "-q", "-o", "m.thresh", "--features", "12"});
  EXPECT_EQ(error_of("m.thresh", "a.svm"), 0);
  EXPECT_TRUE(contains(good({"explain", "m.thresh", "a.svm"}), "1*3 = 1"));
  const Json model = [&] {
    good({"export", "m.thresh", "--format", "json", "-o", "m.json"});
    return Json::parse(ScratchDir::slurp(dir.file("m.json")));
  }();
  EXPECT_EQ(model.at("interactions"), Json::parse(R"(["all"])"));
  EXPECT_FALSE(model.at("pairs").empty());
}

TEST_F(CliPairs, OfColumnsNamespacesAndHashes) {
  std::string table = "size,color,when,note,y\n", vw, reversed;
  for (int i = 0; i < 240; ++i) {
    const char* const color = i % 2 == 0 ? "red" : "blue";
    const char* const word = (i / 2) % 2 == 0 ? "dog" : "cat";
    const bool yes = (i % 2 == 0) == ((i / 2) % 2 == 0);
    table += fmt::format("{},{},20{:02}-03-04,the {} ran,{}\n", i % 7, color, i % 20, word,
                         yes ? "yes" : "no");
    vw += fmt::format("{} |c {} |word {} x{}\n", yes ? 1 : -1, color, word, i % 5);
  }
  dir.write("a.csv", table);
  dir.write("a.vw", vw);
  const auto names = [&] {
    std::set<std::string> found;
    for (const Weight& weight : weights()) found.insert(weight.name);
    return found;
  };
  good({"train", "a.csv", "--text", "note", "--date", "when", "--interactions", "color:note", "-q",
        "--features", "2", "-o", "m.thresh"});
  EXPECT_EQ(error_of("m.thresh", "a.csv"), 0);
  for (const std::string& name : names()) {
    EXPECT_TRUE(name.starts_with("color=") && contains(name, "*note:")) << name;
  }
  // The model needs its own two columns, and the order does not matter.
  dir.write("two.csv", "note,color\nthe dog ran,red\nthe cat ran,red\n");
  EXPECT_EQ(good({"predict", "m.thresh", "two.csv"}), "yes\nno\n");
  EXPECT_EQ(
      thresh({"train", "a.csv", "--date", "when", "--ignore", "note", "--interactions", "when:size",
              "-q", "--solver", "l1", "--lambda-ratio", "1e-3", "-o", "m.thresh"})
          .exit,
      0);
  EXPECT_TRUE(names().contains("size*when year")) << fmt::format("{}", fmt::join(names(), " "));
  for (const Words& hash : {Words{}, Words{"--hash-bits", "16"}}) {
    for (const std::string sides : {"c:word", "c:*", "c^red:word,c^blue:word"}) {
      Words learn{"train",    "a.vw",           "-q", "--features", "3", "-o",
                  "m.thresh", "--interactions", sides};
      learn.insert(learn.end(), hash.begin(), hash.end());
      good(learn);
      EXPECT_EQ(error_of("m.thresh", "a.vw"), 0) << sides;
      EXPECT_TRUE(names().contains("c^red*word^dog") || names().contains("c^red*word^cat") ||
                  names().contains("c^blue*word^dog") || names().contains("c^blue*word^cat"));
    }
  }
}

// A number that has squares, in a file, a pipe, and one that is certified.
TEST_F(CliPairs, HaveSquaresAndCertificates) {
  std::string text = "x,y\n";
  for (int i = 0; i < 200; ++i)
    text += fmt::format("{},{}\n", i % 21 - 10, (i % 21 - 10) * (i % 21 - 10));
  dir.write("a.csv", text);
  const Words learn{"--task",   "regression", "--interactions", "x:x", "-q",
                    "--solver", "l1",         "--lambda-ratio", "1e-4"};
  Words file{"train", "a.csv", "--certify", "-o", "m.thresh"},
      pipe{"train", "-", "--format", "csv", "-o", "p.thresh"};
  file.insert(file.end(), learn.begin(), learn.end());
  pipe.insert(pipe.end(), learn.begin(), learn.end());
  good(file);
  EXPECT_EQ(thresh_reading(text, pipe).exit, 0);
  EXPECT_EQ(weights("p.thresh"), weights());
  EXPECT_GT(good_json({"eval", "m.thresh", "a.csv", "--json"}).at("r2"), 0.999);
  EXPECT_TRUE(contains(good({"verify", "m.thresh", "a.csv"}), "the certificate holds"));
  dir.write("b.csv", text + "4,99\n");
  bad(1, {"verify", "m.thresh", "b.csv"});
  // All pairs have no squares.
  bad(1, {"train", "a.csv", "--task", "regression", "--interactions", "*:*", "-q"});
}

// More entries than a block may have.
// Rules that overlap ask for each pair once; with others, a feature makes no square.
TEST_F(CliPairs, OfNumbersCountOnce) {
  std::string rows;
  for (int i = 0; i < 200; ++i) {
    const int a = i % 7 - 3, b = i % 5;
    rows += fmt::format("{} 1:{} 2:{}.5 3:{}\n", a * a + 2 * a * b, a, b, i % 3);
  }
  dir.write("a.svm", rows);
  const auto learned = [&](const std::string& asked) {
    good({"train", "a.svm", "--task", "regression", "--interactions", asked, "-q", "-o", "m.thresh",
          "--solver", "cd", "--lambda", "1e-3", "--passes", "50"});
    std::map<std::string, double> found;
    for (const Weight& weight : weights()) {
      if (contains(weight.name, "*")) found[weight.name] = weight.value;
    }
    return found;
  };
  const auto once = learned("1:*");
  EXPECT_TRUE(once.contains("1*2"));
  EXPECT_FALSE(once.contains("1*1"));
  EXPECT_EQ(learned("1:*,*:1,2:1"), once);
  const auto square = learned("1:1");
  ASSERT_EQ(square.size(), 1U);
  EXPECT_TRUE(square.contains("1*1"));
}

TEST_F(CliPairs, OfWideRowsAreCutIntoBlocks) {
  std::string text;
  for (int i = 0; i < 30; ++i) {
    text += i % 2 == 0 ? "1" : "-1";
    for (int j = 1; j <= 300; ++j)
      text += fmt::format(" {}:{}", j, (i * j) % 7 + (j == 3 ? i % 2 : 1));
    text += "\n";
  }
  dir.write("a.svm", text);
  const std::vector<SvmRow> rows = parse_rows(text);
  const WrittenOut written(300, rows);
  dir.write("b.svm", written.text(rows));
  const Words more{"-q", "--solver", "l1", "--lambda-ratio", "0.3"};
  Words pairs{"train", "a.svm", "--interactions", "*:*", "-o", "p.thresh"},
      plain{"train", "b.svm", "-o", "q.thresh"};
  pairs.insert(pairs.end(), more.begin(), more.end());
  plain.insert(plain.end(), more.begin(), more.end());
  good(pairs);
  good(plain);
  EXPECT_EQ(weights("p.thresh").size(), weights("q.thresh").size());
  const std::vector<double> got = margins("p.thresh", "a.svm"),
                            wanted = margins("q.thresh", "b.svm");
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], 1e-6);
}

TEST_F(CliPairs, MistakesAreNamed) {
  dir.write("a.svm", signs(60, 1));
  dir.write("a.csv", "a,b:c,y\n1,2,0\n3,4,1\n2,2,0\n1,5,1\n");
  const auto refused = [&](int exit, const std::string& data, const std::string& asked,
                           const std::string& why) {
    const std::string line =
        bad(exit, {"train", data, "--interactions", asked, "--features", "1", "-q"});
    EXPECT_TRUE(contains(line, why)) << line;
  };
  refused(2, "a.svm", "nt", "--interactions 'nt': write A:B, A:* or *:*, such as n:t");
  refused(2, "a.svm", "1:", "write A:B");
  refused(2, "a.svm", "0:1", "'0' is not a feature number");
  refused(2, "a.svm", "x:1", "'x' is not a feature number");
  refused(1, "a.svm", "40:41", "no row has both features of a pair");
  refused(1, "a.csv", "a:d", "a.csv: --interactions a:d: no feature comes from 'd'");
  refused(1, "a.csv", "d:a", "no feature comes from 'd'");
  good({"train", "a.csv", "--interactions", "a:b:c", "--features", "1", "-q", "-o", "m.thresh"});
  dir.write("huge.svm", "1 1:1e200 2:1e200\n-1 1:1 2:1\n");
  refused(1, "huge.svm", "1:2", "huge.svm:1: the product of 1e+200 and 1e+200");
  EXPECT_TRUE(contains(bad(2, {"train", "a.svm", "-q", "nt"}), "use --interactions n:t"));
  EXPECT_TRUE(contains(bad(2, {"train", "a.svm", "--quadratic", "nt"}), "use --interactions n:t"));
  good({"train", "a.svm", "--interactions", "*:*", "--features", "1", "-q", "-o", "m.thresh"});
  EXPECT_TRUE(contains(bad(1, {"export", "m.thresh", "--format", "liblinear", "-o", "x"}),
                       "it has products of features (--interactions)"));
  const std::string from =
      bad(2, {"train", "a.svm", "--from", "m.thresh", "--solver", "fobos", "-q"});
  EXPECT_TRUE(contains(from, "--from does not support --interactions")) << from;
  EXPECT_TRUE(
      contains(bad(1, {"diagnose", "a.svm", "m.thresh", "-q"}), "does not support models with"));
  bad(2, {"train", "a.svm", "--interactions", "*:*", "--solver", "ftrl", "--passes", "1", "--order",
          "sequential", "--save-state", "s", "-q"});
}

// What the model says of its pairs must make sense.
TEST_F(CliPairs, DamagedModelsAreRefused) {
  dir.write("a.svm", signs(200, 1));
  good({"train", "a.svm", "--interactions", "*:*", "--features", "2", "-q", "-o", "m.thresh"});
  good({"export", "m.thresh", "--format", "json", "-o", "m.json"});
  const Json pairs = Json::parse(ScratchDir::slurp(dir.file("m.json"))).at("pairs");
  const std::string text = ScratchDir::slurp(dir.file("m.thresh"));
  const std::string was = pairs.dump();
  ASSERT_TRUE(contains(text, was));
  for (const Json& wrong :
       {Json::parse("[[13,2,1]]"), Json::parse("[[13,1,13]]"), Json::parse("[[13,0,1]]"),
        Json::parse("[[1300,1,2]]"), Json::parse("[[13,1]]"), Json::parse("[[13,1,2,\"a\"]]"),
        Json::parse("7")}) {
    std::string changed = text;
    changed.replace(changed.find(was), was.size(), wrong.dump());
    dir.write("x.thresh", changed);
    EXPECT_TRUE(contains(bad(1, {"predict", "x.thresh", "a.svm"}), "the header is damaged"))
        << wrong.dump();
  }
}
