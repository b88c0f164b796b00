// Models of files in which features have names: what they know of the names, and what they do with
// other files.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "data/names/named_source.hpp"
#include "sparse/random.hpp"
#include "thresh/fit.hpp"
#include "thresh/names.hpp"
#include "tools/error_of.hpp"
#include "tools/model_text.hpp"
#include "tools/scratch.hpp"

namespace thresh::named_model_edge {
namespace {

class NamedModel : public testing::Test {
 protected:
  Problem open(const std::string& name, const std::string& content, ReadOptions options = {}) {
    return open_problem(dir.write(name, content), "", options);
  }

  ScratchDir dir;
};

TEST_F(NamedModel, HashedFeaturesHaveTheNamesThatANaiveDictionaryGives) {
  Random random(4);
  std::string text;
  std::map<std::uint64_t, std::string> first_name;  // of an id
  for (int i = 0; i < 5000; ++i) {
    const std::string name = fmt::format("n^w{}", random.below(3000));
    text += fmt::format("{} |{} {}\n", i % 2, name.substr(0, 1), name.substr(2));
    first_name.emplace(hash_of_name(name) % 1024, name);
  }
  ReadOptions options;
  options.hash_bits = 10;
  const Problem problem = open("a.vw", text, options);
  EXPECT_EQ(problem.train->survey()->dimension, 1024U);
  Options learn;
  learn.passes = 2;
  const Model model = fit(problem, learn).model;
  ASSERT_GT(model.coefficients.size(), 100U);
  for (const Coefficient& coefficient : model.coefficients) {
    EXPECT_EQ(coefficient.name, first_name.at(coefficient.index - 1));
  }
  EXPECT_EQ(refusal_of([&] { open("a.svm", "1 1:1\n", options); }),
            "--hash-bits applies only to formats with feature names");
}

TEST_F(NamedModel, HostileNamesSurviveInTheModelFile) {
  const std::vector<std::string> hostile = {"tab\there",
                                            "line\nfeed",
                                            "\"quote\"",
                                            "back\\slash\\n",
                                            "\xf0\x9f\x98\x80",
                                            "\x01\x7f\x1b",
                                            std::string(10'000, 'x'),
                                            "end 3 crc32 00000000",
                                            "class 1",
                                            "\xff\xfe",
                                            " ",
                                            "\r"};
  std::string text = "c,y\n";
  for (std::size_t i = 0; i < hostile.size(); ++i) {
    std::string cell = hostile[i];
    for (std::size_t at = 0; (at = cell.find('"', at)) != std::string::npos; at += 2) {
      cell.insert(at, 1, '"');
    }
    text += fmt::format("\"{}\",{}\n", cell, i % 2 == 0 ? "ja" : "n\xc3\xb6");
  }
  Options learn;
  learn.passes = 1;
  learn.intercept = false;  // every row has a feature of its own, so each gets a weight
  const Model model = fit(open("a.csv", text), learn).model;
  ASSERT_EQ(model.coefficients.size(), hostile.size());
  const Model again = parse_model(text_of(model));
  for (std::size_t i = 0; i < hostile.size(); ++i) {
    EXPECT_EQ(again.coefficients[i].name, "c=" + hostile[i]);
  }
  EXPECT_EQ(again.label_names, (std::vector<std::string>{"ja", "n\xc3\xb6"}));
  EXPECT_EQ(again.format, Format::csv);
  EXPECT_EQ(again.reading, model.reading);
  EXPECT_EQ(text_of(again), text_of(model));
}

// What the model does not know must not matter, and what it knows must be found.
TEST_F(NamedModel, AModelReadsOtherFilesAsItsOwn) {
  const std::string train = "a,c,y\n1,u,no\n2,v,yes\n3,v,yes\n0.5,u,no\n";
  Options learn;
  learn.passes = 5;
  const Model model = fit(open("a.csv", train), learn).model;
  const Predictor predictor(model);
  const auto margins = [&](const std::string& text, bool optional) {
    ReadOptions read = read_options_for(model);
    read.once = true;
    read.labels_optional = optional;
    const auto source = open_rows(dir.write("b.txt", text), read, predictor.features());
    std::vector<double> found;
    for (std::size_t k = 0; const BlockPtr block = source->block(k); ++k) {
      for (std::size_t i = 0; i < block->rows(); ++i)
        found.push_back(predictor.margin(block->row(i)));
    }
    return found;
  };
  const std::vector<double> expected = margins(train, false);
  EXPECT_EQ(margins("y,extra,c,a\nno,?,u,1\nyes,?,v,2\nyes,x,v,3\nno,y,u,0.5\n", false), expected);
  EXPECT_EQ(margins("c,a\nu,1\nv,2\nv,3\nu,0.5\n", true), expected);
  EXPECT_EQ(margins("c,a,y\nnew,1,what\n", true).size(), 1U);
  // A column that is not there is missing in every row: its mean stands for it.
  EXPECT_EQ(margins("c,y\nu,no\n", false), margins("c,a,y\nu,1.625,no\n", false));
  EXPECT_EQ(error_of([&] { margins("x,y\nu,no\n", false); }),
            dir.file("b.txt") +
                ": no column that the model uses: neither 'a' nor another; the "
                "columns are 'x', 'y'");
  EXPECT_EQ(error_of([&] { margins("c,a,y\nu,1,maybe\n", false); }),
            dir.file("b.txt") + ":2: label 'maybe' is not one of the known labels no, yes");
  EXPECT_EQ(error_of([&] { margins("c,a\nu,1\n", false); }),
            dir.file("b.txt") + ": no column 'y', which holds the label");
}

}  // namespace
}  // namespace thresh::named_model_edge
