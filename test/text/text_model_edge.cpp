// Models of texts in their files: nothing is lost, and nothing forged is believed.

#include <gtest/gtest.h>

#include "text/learn.hpp"
#include "text/text_format.hpp"
#include "tools/error_of.hpp"
#include "tools/model_text.hpp"
#include "tools/scratch.hpp"

using namespace thresh;

namespace {

Model text_model(const TextOptions& options = {}) {
  const ScratchDir dir;
  const Documents documents(dir.write("t", "a\tback\\slash two\nb\ttwo three \xe9\xe9\n"), {});
  Model model;
  model.solver = "cd";
  model.format = Format::text;
  model.negative_label = 0;
  model.label_names = {"a", "b"};
  model.text = learn_terms(documents, options);
  model.reading = Record::parse(
      R"({"unit":"words","ngrams":[1,1],"min_length":2,"lower_case":true,)"
      R"("stop_words":[],"min_df":1.0,"max_df":{"share":1.0},"tf":"count","idf":true,)"
      R"("norm":"l2","hash_bits":0,"documents":2})");
  model.dimension = model.text->dimension();
  model.coefficients = {{2, 0.5, "slash"}};
  return model;
}

TEST(TextModelFile, TermsComeBackAsTheyWere) {
  const Model model = text_model();
  const std::string text = text_of(model);
  const Model back = parse_model(text);
  EXPECT_EQ(text_of(back), text);
  ASSERT_EQ(back.text->terms().size(), 5);
  EXPECT_EQ(back.text->terms().name(4), "\xc3\xa9\xc3\xa9");
  EXPECT_EQ(back.text->terms().counts, (std::vector<std::uint64_t>{1, 1, 1, 2, 1}));
  EXPECT_EQ(back.text->documents(), 2);
}

// The reason that the reader gives for a file with `from` replaced by `to` and a right checksum.
std::string reason(const std::string& from, const std::string& to) {
  std::string text = text_of(text_model());
  text.resize(text.rfind("end "));
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  return error_of([&] { parse_model(sealed(text, 1)); });
}

TEST(TextModelFile, ForgedTermsAreRefused) {
  EXPECT_EQ(reason("terms 5", "terms 5"), "");
  EXPECT_EQ(reason("terms 5", "term 5"), "the terms are missing");
  EXPECT_EQ(reason("terms 5", "terms 99"), "line 9: bad term index");
  EXPECT_EQ(reason("3\t1\tthree", "2\t1\tthree"), "line 6: bad term index");
  EXPECT_EQ(reason("3\t1\tthree", "9\t1\tthree"), "line 6: bad term index");
  EXPECT_EQ(reason("3\t1\tthree", "3\t3\tthree"), "line 6: bad number of documents");
  EXPECT_EQ(reason("3\t1\tthree", "3\t1\tback"), "line 6: bad term");
  EXPECT_EQ(reason("3\t1\tthree", "three"), "line 6: bad term");
  EXPECT_EQ(reason("\"tf\":\"count\"", "\"tf\":\"many\""), "unknown 'many' in the header");
  EXPECT_EQ(reason("\"ngrams\":[1,1]", "\"ngrams\":[1]"), "the header is damaged");
  EXPECT_EQ(reason("\"ngrams\":[1,1]", "\"ngrams\":[2,1]"),
            "n-grams 2:1: write SHORTEST:LONGEST, from 1 to 99");
}

TEST(TextModelFile, AModelOfTextsNeedsItsTerms) {
  Model model = text_model();
  model.text = nullptr;
  EXPECT_EQ(error_of([&] { text_of(model); }),
            "the model cannot be saved: it does not record how texts become rows");
}

}  // namespace
