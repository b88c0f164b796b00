// Rows of four small texts as scikit-learn 1.9.1's TfidfVectorizer gives them.

#include <gtest/gtest.h>

#include "text/text_rows.hpp"

using namespace thresh;

namespace {

const std::vector<std::string> kTexts = {"The cat sat on the mat.", "The dog ate the cat's food!",
                                         "Dogs and cats: 2 dogs, 10 cats.",
                                         "Caf\u00e9 au lait at the \u00c9toile"};

void expect_rows(const TextOptions& options, const std::vector<NamedRow>& expected) {
  const std::vector<NamedRow> rows = rows_of_texts(kTexts, options);
  ASSERT_EQ(rows.size(), expected.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].size(), expected[i].size());
    for (const auto& [term, value] : expected[i]) {
      ASSERT_TRUE(rows[i].contains(term)) << term;
      EXPECT_NEAR(rows[i].at(term), value, 1e-15 * value) << term;
    }
  }
}

TEST(TextGolden, Words) {
  expect_rows({}, {{{"cat", 0.34405054770996535},
                    {"mat", 0.4363844943464842},
                    {"on", 0.4363844943464842},
                    {"sat", 0.4363844943464842},
                    {"the", 0.5570771399926251}},
                   {{"ate", 0.4363844943464842},
                    {"cat", 0.34405054770996535},
                    {"dog", 0.4363844943464842},
                    {"food", 0.4363844943464842},
                    {"the", 0.5570771399926251}},
                   {{"10", 0.3162277660168379},
                    {"and", 0.3162277660168379},
                    {"cats", 0.6324555320336758},
                    {"dogs", 0.6324555320336758}},
                   {{"at", 0.43003651715871155},
                    {"au", 0.43003651715871155},
                    {"café", 0.43003651715871155},
                    {"lait", 0.43003651715871155},
                    {"the", 0.27448673838643983},
                    {"étoile", 0.43003651715871155}}});
}

TEST(TextGolden, PairsOfWordsWithLogCounts) {
  TextOptions options;
  options.longest = 2;
  options.tf = TextOptions::Tf::log;
  options.min_df = {false, 2};
  expect_rows(
      options,
      {{{"cat", 0.5077416828605131}, {"the", 0.695986183032356}, {"the cat", 0.5077416828605131}},
       {{"cat", 0.5077416828605131}, {"the", 0.695986183032356}, {"the cat", 0.5077416828605131}},
       {},
       {{"the", 1.0}}});
}

TEST(TextGolden, CharactersWithoutNorm) {
  TextOptions options;
  options.unit = TextOptions::Unit::characters;
  options.shortest = options.longest = 3;
  options.min_df = {false, 2};
  options.l2 = false;
  expect_rows(options, {{{" ca", 1.2231435513142097},
                         {" th", 1.2231435513142097},
                         {"at ", 3.0216512475319814},
                         {"cat", 1.2231435513142097},
                         {"e c", 1.5108256237659907},
                         {"he ", 2.4462871026284194},
                         {"the", 2.4462871026284194}},
                        {{" at", 1.5108256237659907},
                         {" ca", 1.2231435513142097},
                         {" do", 1.5108256237659907},
                         {" th", 1.2231435513142097},
                         {"cat", 1.2231435513142097},
                         {"dog", 1.5108256237659907},
                         {"e c", 1.5108256237659907},
                         {"he ", 2.4462871026284194},
                         {"the", 2.4462871026284194}},
                        {{" ca", 2.4462871026284194},
                         {" do", 1.5108256237659907},
                         {"cat", 2.4462871026284194},
                         {"dog", 3.0216512475319814}},
                        {{" at", 1.5108256237659907},
                         {" th", 1.2231435513142097},
                         {"at ", 1.5108256237659907},
                         {"he ", 1.2231435513142097},
                         {"the", 1.2231435513142097}}});
}

}  // namespace
