// Stems: published pairs of words, and a model that stems what it predicts.

#include <gtest/gtest.h>

#include "text/learn.hpp"
#include "thresh/thresh.hpp"
#include "tools/error_of.hpp"
#include "tools/scratch.hpp"

namespace thresh::stem_edge {
namespace {

std::string stems(std::string_view text, const std::string& algorithm) {
  TextOptions options;
  options.stem = algorithm;
  std::string found;
  CutText cut;
  Tokenizer(options).for_each_term(text, cut, [&](std::string_view term) {
    found += (found.empty() ? "" : " ") + std::string(term);
  });
  return found;
}

// Porter, "An algorithm for suffix stripping" (1980), the examples of its steps.
TEST(Stem, PorterIsThatOfHisPaper) {
  EXPECT_EQ(stems("caresses ponies ties cats feed plastered motoring", "porter"),
            "caress poni ti cat feed plaster motor");
  EXPECT_EQ(
      stems("Relational CONDITIONAL rational valency digitizer operator hopefulness", "porter"),
      "relat condit ration valenc digit oper hope");
  EXPECT_EQ(stems("generalizations oscillators", "porter"), "gener oscil");
}

// https://snowballstem.org/algorithms/english/stemmer.html, the sample vocabulary.
TEST(Stem, EnglishIsThatOfSnowball) {
  EXPECT_EQ(stems("consigned consigning consistency consistently consolatory", "english"),
            "consign consign consist consist consolatori");
  EXPECT_EQ(stems("knightly knots knowing kneeling knaves", "english"),
            "knight knot know kneel knave");
}

TEST(Stem, OtherLanguagesAreUtf8) {
  EXPECT_EQ(stems("aufeinanderfolgenden häuser", "german"), "aufeinanderfolg haus");
  EXPECT_EQ(stems("continuellement majestés", "french"), "continuel majest");
}

TEST(Stem, FollowsStopWordsAndGivesNgrams) {
  TextOptions options;
  options.stem = "english";
  options.stop_words = {"running"};  // as it is in the text
  options.longest = 2;
  std::vector<std::string> found;
  CutText cut;
  Tokenizer(options).for_each_term("running dogs runs", cut,
                                   [&](std::string_view term) { found.emplace_back(term); });
  EXPECT_EQ(found, (std::vector<std::string>{"dog", "dog run", "run"}));
  EXPECT_EQ(stems(std::string(5000, 's'), "english"), std::string(5000, 's'));
}

TEST(Stem, UnknownLanguagesAndCharactersAreRefused) {
  TextOptions options;
  options.stem = "klingon";
  EXPECT_TRUE(refusal_of([&] { check_text_options(options); }).starts_with("--stem klingon: use "));
  options.stem = "english";
  check_text_options(options);
  options.unit = TextOptions::Unit::characters;
  EXPECT_TRUE(refusal_of([&] {
                check_text_options(options);
              }).starts_with("--stem does not apply to character n-grams"));
}

TEST(Stem, AModelStemsWhatItPredicts) {
  const ScratchDir dir;
  dir.write("a.tsv",
            "yes\twinning prizes\nno\tmeeting friends\nyes\twins prize\nno\tmeets friend\n");
  ReadOptions read;
  read.format = Format::text;
  read.text.stem = "english";
  const Problem problem = open_problem(dir.file("a.tsv"), "", read);
  const Model trained = fit(problem, {}).model;
  trained.save(dir.file("m.thresh"));
  const Model model = Model::load(dir.file("m.thresh"));
  EXPECT_EQ(model.text->options().stem, "english");
  std::vector<std::string> names;
  for (const Coefficient& each : model.coefficients) names.push_back(each.name);
  EXPECT_NE(std::find(names.begin(), names.end(), "win"), names.end());
  EXPECT_EQ(std::find(names.begin(), names.end(), "winning"), names.end());
  EXPECT_EQ(model.dimension, 4u);  // win, prize, meet, friend
}

}  // namespace
}  // namespace thresh::stem_edge
