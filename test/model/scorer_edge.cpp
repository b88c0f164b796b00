// One row in, one prediction out: the same as for the row in a file, for every kind of model, from
// any number of threads.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <thread>

#include "sparse/random.hpp"
#include "thresh/thresh.hpp"
#include "tools/scratch.hpp"

namespace thresh::scorer_edge {
namespace {

// Rows as lines: with a label for training, without one for prediction.
struct Lines {
  std::string name;  // of the file
  std::string head;  // first line of the file, if it has one
  std::vector<std::pair<std::string, std::string>> rows;
  ReadOptions read;
  Options options;
};

std::string file_of(const Lines& data) {
  std::string text = data.head;
  for (const auto& row : data.rows) text += row.first + "\n";
  return text;
}

// Two numbers and a word that decide the label, as far as chance lets them.
struct Draw {
  double a, b;
  std::string word;
  int label;
};

std::vector<Draw> draws(int classes) {
  Random random(7);
  std::vector<Draw> all;
  for (int i = 0; i < 200; ++i) {
    const double a = random.normal();
    const auto word = static_cast<int>(random.below(3));
    const int label = (i % 5 == 0 ? i : word + (a > 0 ? 1 : 0)) % classes;
    all.push_back({a, random.normal(), fmt::format("w{}", word), label});
  }
  return all;
}

Lines libsvm(int classes) {
  Lines data{"a.svm", "", {}, {}, {}};
  for (const Draw& d : draws(classes)) {
    const std::string row = fmt::format("1:{} 2:{} {}:1", d.a, d.b, 3 + d.word[1] - '0');
    data.rows.emplace_back(fmt::format("{} {}", d.label, row), row);
  }
  return data;
}

Lines vw() {
  Lines data{"a.vw", "", {}, {}, {}};
  data.read.hash_bits = 12;
  for (const Draw& d : draws(2)) {
    const std::string row = fmt::format("|n a:{} b:{} |w {}", d.a, d.b, d.word);
    data.rows.emplace_back(fmt::format("{} {}", d.label, row), row);
  }
  return data;
}

// Columns of both kinds: their order is not known to the model.
Lines mixed_csv() {
  Lines data{"a.csv", "a,word,y,b\n", {}, {}, {}};
  for (const Draw& d : draws(3)) {
    data.rows.emplace_back(fmt::format("{},{},class {},{}", d.a, d.word, d.label, d.b),
                           fmt::format("word,b,a\n{},{},{}", d.word, d.b, d.a));
  }
  return data;
}

Lines headless_csv() {
  Lines data{"b.csv", "", {}, {}, {}};
  data.read.table.header = false;
  data.read.table.label = "3";
  for (const Draw& d : draws(2)) {
    data.rows.emplace_back(fmt::format("{},\"{}\",{},{}", d.a, d.word, d.label, d.b),
                           fmt::format("{},\"{}\",{}", d.a, d.word, d.b));
  }
  return data;
}

Lines numbers_tsv() {
  Lines data{"c.tsv", "y\ta, \"b\"\tb\n", {}, {}, {}};
  for (const Draw& d : draws(2)) {
    const std::string row = fmt::format("{}\t{}", d.a, d.b);
    data.rows.emplace_back(fmt::format("{}\t{}", d.label, row), row);
  }
  return data;
}

Lines texts() {
  Lines data{"d.txt", "", {}, {}, {}};
  data.read.format = Format::text;
  for (const Draw& d : draws(2)) {
    const std::string text = fmt::format("some {} text {}", d.word, d.a > 0 ? "Rising" : "falling");
    data.rows.emplace_back(fmt::format("{}\t{}", d.label == 0 ? "ham" : "spam", text), text);
  }
  return data;
}

class ScorerTest : public testing::Test {
 protected:
  Model learn(const Lines& data) {
    return fit(open_problem(dir.write(data.name, file_of(data)), "", data.read), data.options)
        .model;
  }

  // What a Predictor makes of the rows of the file.
  std::vector<Prediction> by_file(const Model& model, const Lines& data) const {
    const Predictor predictor(model);
    const auto rows = open_rows(dir.file(data.name), read_options_for(model), predictor.features());
    std::vector<Prediction> all;
    for (std::size_t k = 0; const BlockPtr block = rows->block(k); ++k) {
      for (std::size_t i = 0; i < block->rows(); ++i) {
        Prediction& one = all.emplace_back();
        one.margins.resize(model.classes.size());
        if (model.classes.empty()) {
          one.margin = predictor.margin(block->row(i));
          one.label = model.prediction(one.margin);
          one.probability = model.probability(one.margin);
        } else {
          predictor.margins(block->row(i), one.margins);
          one.label = model.prediction(one.margins);
          one.probabilities = model.probabilities(one.margins).value_or(std::vector<double>{});
        }
        one.text = model.label_text(one.label);
      }
    }
    return all;
  }

  void expect_the_same(const Lines& data) {
    const Model model = learn(data);
    ASSERT_GT(model.nonzeros(), 0U);
    const std::vector<Prediction> expected = by_file(model, data);
    ASSERT_EQ(expected.size(), data.rows.size());
    const Scorer scorer(Model::from_bytes(model.to_bytes()));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const Prediction got = scorer.predict(data.rows[i].second);
      ASSERT_EQ(got.label, expected[i].label) << i;
      ASSERT_EQ(got.text, expected[i].text) << i;
      ASSERT_EQ(got.margins, expected[i].margins) << i;
      ASSERT_EQ(got.probabilities, expected[i].probabilities) << i;
      if (!model.classes.empty()) continue;
      ASSERT_EQ(got.margin, expected[i].margin) << i;
      ASSERT_EQ(got.probability, expected[i].probability) << i;
    }
  }

  ScratchDir dir;
};

TEST_F(ScorerTest, TwoClasses) {
  expect_the_same(libsvm(2));
}

TEST_F(ScorerTest, ProbabilitiesAndRowsOfUnitLength) {
  Lines data = libsvm(2);
  data.read.normalize_l2 = true;
  data.options.holdout = 0.2;
  data.options.calibrate = true;
  expect_the_same(data);
}

TEST_F(ScorerTest, SeveralClasses) {
  Lines data = libsvm(4);
  data.options.solver = "l1";
  expect_the_same(data);
  const Scorer scorer(learn(data));
  const Prediction one = scorer.predict("1:1 2:1");
  ASSERT_EQ(one.probabilities.size(), 4U);
  EXPECT_EQ(one.margin, *std::max_element(one.margins.begin(), one.margins.end()));
  EXPECT_EQ(one.probability, one.probabilities.at(static_cast<std::size_t>(one.label)));
  const Prediction arrays =
      scorer.predict(std::vector<std::uint64_t>{1, 2}, std::vector<double>{1, 1});
  EXPECT_EQ(arrays.margins, one.margins);
  const Prediction plain =
      scorer.model().predict(std::vector<std::uint64_t>{1, 2}, std::vector<double>{1, 1});
  EXPECT_EQ(plain.margins, one.margins);
}

TEST_F(ScorerTest, Regression) {
  Lines data = libsvm(5);
  data.options.solver = "cd";
  data.options.task = Task::regression;
  expect_the_same(data);
}

TEST_F(ScorerTest, HashedNames) {
  expect_the_same(vw());
}

TEST_F(ScorerTest, TablesByNamesOfColumns) {
  expect_the_same(mixed_csv());
}

TEST_F(ScorerTest, TablesByPlacesOfColumns) {
  expect_the_same(headless_csv());
  expect_the_same(numbers_tsv());
}

TEST_F(ScorerTest, RawText) {
  expect_the_same(texts());
}

TEST_F(ScorerTest, LinesThatAreNoRowAreRefused) {
  const auto wrong = [](const Scorer& scorer, const std::string& line) -> std::string {
    try {
      scorer.predict(line);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  const Scorer numbers(learn(libsvm(2)));
  EXPECT_EQ(wrong(numbers, ""), "");  // a row without features
  EXPECT_EQ(wrong(numbers, "1:x"), "row: value of feature 1 is not a number: 'x'");
  EXPECT_TRUE(wrong(numbers, "1 1:1").starts_with("row: expected INDEX:VALUE"));
  EXPECT_EQ(wrong(numbers, "1:1\n2:1"),
            "predict() takes one row at a time, but the text contains a line feed");
  const Scorer mixed(learn(mixed_csv()));
  EXPECT_EQ(wrong(mixed, "1,w0,2"),
            "the model does not record the order of the columns; give their names, a line feed, "
            "and then the row");
  EXPECT_EQ(wrong(mixed, "a,b\n1,2"), "");  // the word is missing
  EXPECT_TRUE(wrong(mixed, "x,y\n1,2").starts_with("row: no column that the model uses"));
  EXPECT_EQ(wrong(mixed, "a,b,word\n1,2"), "row: 2 cells in a table of 3 columns");
  EXPECT_EQ(wrong(mixed, "a,b,word\n1,2,x\n1,2,x"), "predict() takes one row at a time, not 2");
  const Scorer headless(learn(headless_csv()));
  EXPECT_EQ(wrong(headless, "1,w0,0,2"), "row: 4 cells in a table of 3 columns");
  EXPECT_EQ(wrong(Scorer(learn(vw())), "a b"),
            "row: no | before the features (is this VW text? see --format)");
}

TEST_F(ScorerTest, ManyThreadsShareOne) {
  for (const Lines& data : {libsvm(2), vw(), mixed_csv(), headless_csv(), texts()}) {
    const Scorer scorer(learn(data));
    std::vector<double> expected;
    for (const auto& row : data.rows) expected.push_back(scorer.predict(row.second).margin);
    std::atomic<int> wrong = 0;
    std::latch all_there(8);
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        all_there.arrive_and_wait();
        for (std::size_t i = 0; i < 10 * data.rows.size(); ++i) {
          const std::size_t row = (i + 25 * t) % data.rows.size();
          wrong += scorer.predict(data.rows[row].second).margin != expected[row] ? 1 : 0;
        }
      });
    }
    threads.clear();
    EXPECT_EQ(wrong, 0) << data.name;
  }
}

TEST_F(ScorerTest, IndicesBeyondTheIdentityLimitFromManyThreads) {
  Model model;
  model.dimension = 1ULL << 40;
  for (std::uint64_t i = 1; i < 100; ++i) model.coefficients.push_back({i << 30, 1.0, ""});
  const Scorer scorer(model);
  std::atomic<int> wrong = 0;
  std::vector<std::jthread> threads;
  for (std::uint64_t t = 1; t < 9; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 1; i < 100; ++i) {
        const std::vector<std::uint64_t> indices{i << 30, (i << 30) + t};
        const double margin = scorer.predict(indices, std::vector<double>{2, 5}).margin;
        wrong += margin != 2 ? 1 : 0;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace thresh::scorer_edge
