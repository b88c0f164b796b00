// The same rows in other formats: VW text and tables.

#include <fmt/format.h>

#include <map>
#include <sstream>

#include "tools/program.hpp"

class CliFormats : public CliTest {
 protected:
  static constexpr int kFeatures = 12;

  // Rows in every format, more than a block of them. The first has all features, so that names get
  // the numbers they have in libsvm text.
  void write_rows() {
    std::string svm, vw, csv = "class";
    for (int j = 1; j <= kFeatures; ++j) csv += fmt::format(",f{}", j);
    csv += '\n';
    std::uint64_t state = 1;
    const auto draw = [&] {
      return (state = state * 6364136223846793005U + 1442695040888963407U) >> 40;
    };
    for (int i = 0; i < 2500; ++i) {
      std::string row, words, cells;
      double sum = 0;
      for (int j = 1; j <= kFeatures; ++j) {
        const bool there = i == 0 || draw() % 3 == 0;
        const double value = 0.25 * static_cast<double>(1 + draw() % 8);
        cells += there ? fmt::format(",{}", value) : ",";
        if (!there) continue;
        row += fmt::format(" {}:{}", j, value);
        words += fmt::format(" f{}:{}", j, value);
        sum += (j % 2 == 0 ? 1 : -1) * value;
      }
      const bool positive = sum + 0.1 * static_cast<double>(draw() % 10) > 0.5;
      svm += (positive ? "1" : "0") + row + "\n";
      vw += std::string(positive ? "1" : "0") + " |" + words + "\n";
      csv += (positive ? "spam" : "ham") + cells + "\n";
    }
    dir.write("a.svm", svm);
    dir.write("a.vw", vw);
    dir.write("a.csv", csv);
  }

  std::vector<Weight> learn(const std::string& data, Words more = {}) {
    Words arguments = {data};
    arguments.insert(arguments.end(), more.begin(), more.end());
    train(arguments);
    return weights();
  }
};

TEST_F(CliFormats, TheSameRowsGiveTheSameWeights) {
  write_rows();
  const std::vector<Weight> expected = learn("a.svm");
  ASSERT_GT(expected.size(), 4U);
  for (const char* data : {"a.vw", "a.csv"}) {
    Words absent_is_zero;
    if (data == std::string("a.csv")) absent_is_zero = {"--missing", "zero"};
    const std::vector<Weight> found = learn(data, absent_is_zero);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].index, expected[i].index);
      EXPECT_EQ(found[i].value, expected[i].value);
      EXPECT_EQ(found[i].name, fmt::format("f{}", expected[i].index));
    }
  }
  // Hashed, rows are summed in another order, so the last digits may differ.
  std::map<std::string, double> by_name;
  for (const Weight& weight : learn("a.vw", {"--hash-bits", "20"}))
    by_name[weight.name] = weight.value;
  ASSERT_EQ(by_name.size(), expected.size());
  for (const Weight& weight : expected) {
    EXPECT_NEAR(by_name.at(fmt::format("f{}", weight.index)), weight.value, 1e-12);
  }
}

TEST_F(CliFormats, ModelsOfLibsvmTextStayAsTheyWere) {
  write_rows();
  EXPECT_TRUE(train({"a.svm"}).starts_with("thresh-model 1\n"));
  EXPECT_TRUE(train({"a.vw"}).starts_with("thresh-model 3\n"));
}

TEST_F(CliFormats, WordsForLabelsAllTheWay) {
  write_rows();
  train({"a.svm"}, "svm.thresh");
  train({"a.csv", "--missing", "zero"}, "csv.thresh");
  const Words numbers = lines_of(good({"predict", "svm.thresh", "a.svm"}));
  const Words words = lines_of(good({"predict", "csv.thresh", "a.csv"}));
  ASSERT_EQ(numbers.size(), words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    EXPECT_EQ(words[i], numbers[i] == "1" ? "spam" : "ham");
  }
  EXPECT_EQ(good_json({"eval", "csv.thresh", "a.csv", "--json"}).at("error"),
            good_json({"eval", "svm.thresh", "a.svm", "--json"}).at("error"));
  train({"a.csv", "--positive", "ham", "--order", "sequential"}, "ham.thresh");
  train({"a.csv", "--positive", "spam", "--order", "sequential"}, "spam.thresh");
  const std::vector<Weight> ham = weights("ham.thresh");
  const std::vector<Weight> spam = weights("spam.thresh");
  ASSERT_EQ(ham.size(), spam.size());
  for (std::size_t i = 0; i < ham.size(); ++i) EXPECT_EQ(ham[i].value, -spam[i].value);
  EXPECT_TRUE(contains(bad(1, {"train", "a.csv", "--positive", "eggs", "--features", "5", "-q"}),
                       "label 'eggs' is not one of the known labels ham, spam"));
  EXPECT_TRUE(
      contains(bad(1, {"train", "a.csv", "--task", "regression", "--solver", "fobos", "-q"}),
               "label ham is not a number"));
  dir.write("b.csv",
            "class,f1,f2,f3,f4,f5,f6,f7,f8,f9,f10,f11,f12\neggs,1,1,1,1,1,1,1,1,1,1,1,1\n");
  EXPECT_TRUE(
      contains(bad(1, {"eval", "csv.thresh", "b.csv"}), "b.csv:2: label 'eggs' is not one of"));
  EXPECT_EQ(lines_of(good({"predict", "csv.thresh", "b.csv"})).size(), 1U);
}

TEST_F(CliFormats, WhichColumnIsTheLabelIsSaid) {
  write_rows();
  const Result result = thresh({"train", "a.csv", "--features", "5", "--solver", "budget"});
  EXPECT_EQ(result.exit, 0);
  EXPECT_TRUE(contains(result.err, "a.csv: the label is column class"));
}

TEST_F(CliFormats, FromAPipeAndForceTheFormat) {
  write_rows();
  const std::vector<Weight> expected = learn("a.vw");
  const std::string text = ScratchDir::slurp(dir.file("a.vw"));
  const Result piped = thresh_reading(text, {"train", "-", "--format", "vw", "--solver",
                                             "margin-perceptron", "-o", "p.thresh", "-q"});
  EXPECT_EQ(piped.exit, 0) << piped.err;
  EXPECT_EQ(weights("p.thresh"), expected);
  const Result predicted = thresh_reading(text, {"predict", "p.thresh", "-"});
  EXPECT_EQ(predicted.out, good({"predict", "m.thresh", "a.vw"}));
  EXPECT_TRUE(contains(bad(1, {"predict", "p.thresh", "a.vw", "--format", "libsvm"}), "a.vw:1:"));
  train({"a.svm"});
  EXPECT_TRUE(contains(bad(2, {"predict", "m.thresh", "a.vw", "--format", "vw"}),
                       "the model identifies features by number, not by name"));
}

TEST_F(CliFormats, UnlabelledRowsCanBePredicted) {
  write_rows();
  train({"a.vw"});
  dir.write("new.vw", "| f1:2 unseen:3\n'tag |other f1\n 'x|\n");
  EXPECT_EQ(lines_of(good({"predict", "m.thresh", "new.vw"})).size(), 3U);
  EXPECT_TRUE(contains(bad(1, {"eval", "m.thresh", "new.vw"}), "new.vw:1: no label"));
}

TEST_F(CliFormats, ImportanceIsAWeight) {
  std::string weighted, repeated, weights_file;
  for (int i = 0; i < 100; ++i) {
    const std::string row = fmt::format("| a:{} b:{}", i % 7, i % 3);
    const std::string label = i % 2 == 0 ? "1" : "-1";
    weighted += fmt::format("{} {} {}\n", label, 1 + i % 3, row);
    repeated += fmt::format("{} {}\n", label, row);
    weights_file += fmt::format("{}\n", 1 + i % 3);
  }
  dir.write("w.vw", weighted);
  dir.write("r.vw", repeated);
  dir.write("w.txt", weights_file);
  const Words fobos = {"--solver", "fobos", "--lambda", "0.001"};
  default_solver = "";
  const std::vector<Weight> own = learn("w.vw", fobos);
  Words with_file = fobos;
  with_file.insert(with_file.end(), {"--weights", "w.txt"});
  EXPECT_EQ(learn("r.vw", with_file), own);
  EXPECT_NE(learn("r.vw", fobos), own);
  EXPECT_TRUE(contains(bad(1, {"train", "w.vw", "--weights", "w.txt", "--solver", "fobos", "-q"}),
                       "rows already have weights"));
}

TEST_F(CliFormats, ConvertWritesTheRowsAndWhatTheirNumbersMean) {
  write_rows();
  good({"convert", "a.csv", "-o", "c.svm", "--missing", "zero"});
  EXPECT_EQ(ScratchDir::slurp(dir.file("c.svm")), ScratchDir::slurp(dir.file("a.svm")));
  EXPECT_EQ(ScratchDir::slurp(dir.file("c.svm.labels")), "ham\nspam\n");
  Words names = lines_of(ScratchDir::slurp(dir.file("c.svm.names")));
  ASSERT_EQ(names.size(), 12U);
  EXPECT_EQ(names[11], "f12");
}

TEST_F(CliFormats, ContinuesFromAModelByName) {
  write_rows();
  train({"a.vw"}, "one.thresh");
  // Other names, and the known ones in another order.
  dir.write("b.vw", "1 | new f9 f2\n0 | f2 newer\n1 | f9:2\n");
  train({"b.vw", "--from", "one.thresh", "--passes", "1"}, "two.thresh");
  std::map<std::string, std::size_t> index;
  for (const Weight& weight : weights("one.thresh")) index[weight.name] = weight.index;
  for (const Weight& weight : weights("two.thresh")) {
    if (index.contains(weight.name))
      EXPECT_EQ(weight.index, index[weight.name]);
    else
      EXPECT_GT(weight.index, 12U) << weight.name;
  }
  EXPECT_TRUE(contains(
      bad(1, {"train", "a.svm", "--from", "one.thresh", "--solver", "margin-perceptron", "-q"}),
      "the model to start from was trained on vw"));
}

TEST_F(CliFormats, KeepsFeaturesByName) {
  write_rows();
  default_solver = "budget";
  bool kept = false;
  for (const Weight& weight : learn("a.csv", {"--features", "3", "--keep", "f1"})) {
    kept |= weight.name == "f1";
  }
  EXPECT_TRUE(kept);
  EXPECT_TRUE(contains(bad(1, {"train", "a.csv", "--features", "3", "--keep", "g1", "-q"}),
                       "no feature g1, which --keep names"));
}

// A .tsv file of labelled texts is read as a table, which is seldom what is wanted.
TEST_F(CliFormats, TextsThatAreReadAsATableAreNoticed) {
  const std::string hint = "(if the lines are a label, a tab and a text: --format text)";
  std::string texts;
  for (int i = 0; i < 1100; ++i) texts += fmt::format("yes\tthis is text {}\n", i);
  dir.write("a.tsv", texts);
  EXPECT_TRUE(contains(bad(1, {"train", "a.tsv", "-q"}), hint));
  dir.write("b.tsv", "no\tone\nyes\ttwo\nbroken\n");
  EXPECT_TRUE(contains(bad(1, {"train", "b.tsv", "-q"}), "b.tsv:3: 1 cells"));
  EXPECT_TRUE(contains(bad(1, {"train", "b.tsv", "-q"}), hint));
  // Not for other tables.
  dir.write("c.tsv", "a\tb\tlabel\n1\t2\tx\n3\n");
  EXPECT_EQ(bad(1, {"train", "c.tsv", "-q"}).find(hint), std::string::npos);
  dir.write("d.csv", "a,label\n1,x\n3\n");
  EXPECT_EQ(bad(1, {"train", "d.csv", "-q"}).find(hint), std::string::npos);
}

TEST_F(CliFormats, WhatMakesNoSenseIsRefused) {
  write_rows();
  dir.write("semi.csv", "a;b;label\n1;2;x\n3;4;y\n");
  EXPECT_TRUE(contains(bad(1, {"train", "semi.csv", "--features", "3", "-q"}),
                       "semi.csv:1: the only column, 'a;b;label', would be the label"));
  EXPECT_TRUE(contains(bad(2, {"train", "a.svm", "--label", "x", "--features", "3", "-q"}),
                       "--label applies only to csv and tsv"));
  dir.write("word.csv", "a,b,price\n1,2,3\n2,3,abc\n1,1,4\n");
  EXPECT_TRUE(
      contains(bad(1, {"train", "word.csv", "--task", "regression", "--solver", "cd", "-q"}),
               "word.csv: label abc is not a number, as --task regression requires"));
  EXPECT_TRUE(contains(bad(2, {"train", "a.vw", "--zero-based", "--features", "3", "-q"}),
                       "apply only to libsvm text"));
  EXPECT_TRUE(contains(bad(2, {"train", "a.svm", "--hash-bits", "10", "--features", "3", "-q"}),
                       "--hash-bits applies only to formats"));
  EXPECT_TRUE(contains(bad(2, {"train", "a.csv", "--delimiter", "e", "--features", "3", "-q"}),
                       "--delimiter"));
  dir.write("names.txt", "a\n");
  EXPECT_TRUE(contains(bad(2, {"train", "a.csv", "--names", "names.txt", "--features", "3", "-q"}),
                       "--names applies only to libsvm text"));
}
