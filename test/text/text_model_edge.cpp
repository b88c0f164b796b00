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

// The file as earlier versions wrote it: a line for each term.
std::string with_plain_terms(const Model& model) {
  std::string text = text_of(model);
  const std::size_t packed = text.find("packed "), weights = text.find("\n2\t0.5") + 1;
  std::string lines = "terms " + std::to_string(model.text->terms().size()) + "\n";
  for (std::size_t i = 0; i < model.text->terms().size(); ++i) {
    append_term(model.text->terms(), i, lines);
  }
  text.replace(packed, weights - packed, lines);
  text.replace(0, std::string("thresh-model 5").size(), "thresh-model 3");
  text.resize(text.rfind("end "));
  return sealed(text, 1);
}

TEST(TextModelFile, PlainTermsOfEarlierVersionsAreTheSame) {
  const Model model = text_model();
  const std::string plain = with_plain_terms(model);
  EXPECT_TRUE(plain.find("\n3\t1\tthree\n") != std::string::npos);
  EXPECT_EQ(text_of(parse_model(plain)), text_of(model));
}

// The reason that the reader gives for a file with `from` replaced by `to` and a right checksum.
std::string reason(const std::string& from, const std::string& to, bool packed = false) {
  std::string text = packed ? text_of(text_model()) : with_plain_terms(text_model());
  text.resize(text.rfind("end "));
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  return error_of([&] { parse_model(sealed(text, 1)); });
}

TEST(TextModelFile, ForgedTermsAreRefused) {
  EXPECT_EQ(reason("terms 5", "terms 5"), "");
  EXPECT_EQ(reason("terms 5", "term 5"), "line 3: the terms are missing");
  EXPECT_EQ(reason("terms 5", "terms 99"), "line 9: bad term");
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

TEST(TextModelFile, ForgedPackedTermsAreRefused) {
  const auto forged = [](const std::string& from, const std::string& to) {
    return reason(from, to, true);
  };
  EXPECT_EQ(forged("packed 5 ", "packed 5 "), "");
  EXPECT_EQ(forged("packed 5 ", "packed 05 "), "line 3: the terms are missing");
  EXPECT_TRUE(forged("packed 5 ", "packed 6 ").starts_with("line 4: the packed terms are damaged"));
  EXPECT_EQ(forged("packed 5 ", "packed 99999999999 "),
            "line 4: the packed terms are damaged: more terms than their bytes can hold");
  EXPECT_EQ(forged("packed 5 ", "packed 5 1"),
            "line 4: the packed terms are damaged: a line has another length");
  const std::string text = text_of(text_model());
  const std::size_t begin = text.find('\n', text.find("packed ")) + 1;
  for (std::size_t at = begin; text[at] != '\n'; ++at) {
    for (const char c : {'!', 'A', '/'}) {
      std::string other = text;
      other[at] = c;
      other.resize(other.rfind("end "));
      error_of([&] { parse_model(sealed(other, 1)); });  // an error or other terms, but no crash
    }
  }
}

TEST(TextModelFile, AModelOfTextsNeedsItsTerms) {
  Model model = text_model();
  model.text = nullptr;
  EXPECT_EQ(error_of([&] { text_of(model); }),
            "the model cannot be saved: it does not record how texts become rows");
}

}  // namespace
