// What a model file may say under a checksum that is right, and what may be saved as one.
#include <gtest/gtest.h>

#include <cmath>

#include "tools/error_of.hpp"
#include "tools/model_text.hpp"
#include "tools/scratch.hpp"

namespace thresh::model_content_edge {
namespace {

std::string error_of_parsing(const std::string& text) {
  return error_of([&] { parse_model(text); });
}

std::string error_of_saving(const Model& model) {
  return error_of([&] { text_of(model); });
}

const std::string kHeader =
    R"({"task":"classification","solver":"s","labels":[-1,1],"dimension":9,"zero_based":false,)"
    R"("normalize":"none","intercept":0.5,"options":{},"summary":{}})";

std::string with_header(const std::string& header) {
  return sealed("thresh-model 1\n" + header + "\n", 0);
}

std::string with_lines(const std::string& lines, std::size_t count) {
  return sealed("thresh-model 1\n" + kHeader + "\n" + lines, count);
}

// The header with one piece of it changed.
std::string changed(const std::string& from, const std::string& to) {
  std::string header = kHeader;
  EXPECT_NE(header.find(from), std::string::npos) << from;
  return with_header(header.replace(header.find(from), from.size(), to));
}

TEST(ModelContent, LinesThatAreNotCoefficientsAreRefused) {
  EXPECT_EQ(error_of_parsing(with_lines("1\t2\n3\t4\tx\n", 2)), "");
  for (const char* line : {"", "\t", "1", "x", "0\t1", "-1\t1", "1 1", "10\t1", "1099511627777\t1",
                           "99999999999999999999\t1", "18446744073709551617\t1"}) {
    EXPECT_EQ(error_of_parsing(with_lines(line + std::string("\n"), 1)),
              "line 3: bad feature index")
        << line;
  }
  for (const char* line : {"1\t", "1\tx", "1\tnan", "1\tinf", "1\t-inf", "1\t0", "1\t-0",
                           "1\t1e999", "1\t1e-999", "1\t1 ", "1\t1x", "1\t\t1", "1\t+-1"}) {
    EXPECT_EQ(error_of_parsing(with_lines(line + std::string("\n"), 1)), "line 3: bad weight")
        << line;
  }
  EXPECT_EQ(error_of_parsing(with_lines("2\t1\n2\t1\n", 2)), "line 4: bad feature index");
  EXPECT_EQ(error_of_parsing(with_lines("2\t1\n1\t1\n", 2)), "line 4: bad feature index");
}

TEST(ModelContent, AWrongCountIsRefused) {
  EXPECT_EQ(error_of_parsing(with_lines("1\t2\n", 1)), "");
  for (const std::size_t count : {std::size_t{0}, std::size_t{2}, SIZE_MAX}) {
    EXPECT_EQ(error_of_parsing(with_lines("1\t2\n", count)),
              "the checksum does not match: the file was altered");
  }
}

TEST(ModelContent, AHeaderThatIsNotOneIsRefused) {
  const std::string damaged = "the header is damaged";
  EXPECT_EQ(error_of_parsing(with_header(kHeader)), "");
  for (const char* header : {"", "{", "{}", "[]", "1", "null", "\"x\"", "{\"task\":1}", "{{}}"}) {
    EXPECT_EQ(error_of_parsing(with_header(header)), damaged) << header;
  }
  EXPECT_EQ(error_of_parsing(changed("classification", "ranking")), "unknown task in the header");
  EXPECT_EQ(error_of_parsing(changed("\"none\"", "\"l7\"")), "unknown normalize in the header");
  for (const char* labels : {"[1]", "1", "[\"a\",\"b\"]", "[null,1]", "[1e999,1]", "{}"}) {
    EXPECT_EQ(error_of_parsing(changed("[-1,1]", labels)), damaged) << labels;
  }
  for (const char* number :
       {"-1", "1.5", "1e300", "true", "\"9\"", "18446744073709551616", "[9]"}) {
    EXPECT_EQ(error_of_parsing(changed(":9", ":" + std::string(number))), damaged) << number;
  }
  EXPECT_EQ(error_of_parsing(changed(":9", ":1099511627777")), "the dimension is above 2^40");
  EXPECT_EQ(error_of_parsing(changed("0.5", "\"0.5\"")), damaged);
  EXPECT_EQ(error_of_parsing(changed("0.5", "1e999")), damaged);
  EXPECT_EQ(error_of_parsing(changed("\"options\":{}", "\"options\":[]")), damaged);
  EXPECT_EQ(error_of_parsing(changed("\"summary\":{}", "\"calibration\":{\"slope\":1}")), damaged);
}

TEST(ModelContent, ADeepHeaderDoesNotExhaustTheStack) {
  for (const char* bracket : {"[", "{\"a\":"}) {
    std::string deep;
    for (int i = 0; i < 1'000'000; ++i) deep += bracket;
    std::string closed = deep + "1";
    for (int i = 0; i < 1'000'000; ++i) closed += *bracket == '[' ? ']' : '}';
    const std::string expected = "the header is damaged";
    EXPECT_EQ(error_of_parsing(with_header(deep)), expected);
    EXPECT_EQ(error_of_parsing(changed("\"options\":{}", "\"options\":" + closed)), expected);
  }
}

TEST(ModelContent, WhatCouldNotBeLoadedIsNotSaved) {
  const std::string cannot = "the model cannot be saved: ";
  const auto error_with = [](const std::function<void(Model&)>& change) {
    Model model = small_model();
    change(model);
    return error_of_saving(model);
  };
  const std::string not_finite =
      cannot + "its intercept, labels, calibration or threshold are not finite";
  EXPECT_EQ(error_with([](Model&) {}), "");
  EXPECT_EQ(error_with([](Model& m) { m.intercept = NAN; }), not_finite);
  EXPECT_EQ(error_with([](Model& m) { m.positive_label = INFINITY; }), not_finite);
  EXPECT_EQ(error_with([](Model& m) { m.calibration->slope = NAN; }), not_finite);
  EXPECT_EQ(error_with([](Model& m) { m.coefficients[2].weight = INFINITY; }),
            cannot + "the weight of feature 77 is inf");
  EXPECT_EQ(error_with([](Model& m) { m.coefficients[2].weight = 0; }),
            cannot + "the weight of feature 77 is 0");
  EXPECT_EQ(error_with([](Model& m) { m.coefficients[2].index = 2; }),
            cannot + "feature index 2 is out of order or out of range");
  EXPECT_EQ(error_with([](Model& m) { m.coefficients[0].index = 0; }),
            cannot + "feature index 0 is out of order or out of range");
  EXPECT_EQ(error_with([](Model& m) { m.coefficients.back().index += 1; }),
            cannot + "feature index 1099511627777 is out of order or out of range");
  EXPECT_EQ(error_with([](Model& m) { m.dimension = 999; }),
            cannot + "feature index 1000 is out of order or out of range");
  EXPECT_EQ(error_with([](Model& m) { m.dimension += 1; }), cannot + "its dimension is above 2^40");
  EXPECT_EQ(error_with([](Model& m) { m.coefficients[1].name = "a\nb"; }),
            cannot + "the name of feature 2 has a line feed");
  EXPECT_EQ(
      error_with([](Model& m) { m.solver = "\xff"; }),
      cannot + "its solver, options, summary, label names or reading cannot be written as JSON");
  EXPECT_EQ(
      error_with([](Model& m) { m.summary["status"] = "\xff"; }),
      cannot + "its solver, options, summary, label names or reading cannot be written as JSON");
  const auto named = [&](const std::function<void(Model&)>& change) {
    return error_with([&](Model& m) {
      m.format = Format::csv;
      m.negative_label = 0;
      m.positive_label = 1;
      m.label_names = {"no", "yes"};
      change(m);
    });
  };
  EXPECT_EQ(named([](Model& m) { m.coefficients[1].name = "a\nb"; }), "");
  EXPECT_EQ(named([](Model& m) { m.label_names = {"no"}; }),
            cannot + "its label names are not those of its labels");
  EXPECT_EQ(named([](Model& m) { m.positive_label = 0.5; }),
            cannot + "its label names are not those of its labels");
  EXPECT_EQ(
      named([](Model& m) {
        m.label_names = {"no", "\xff"};
      }),
      cannot + "its solver, options, summary, label names or reading cannot be written as JSON");
  ScratchDir scratch;
  Model model = small_model();
  model.intercept = NAN;
  EXPECT_NE(error_of([&] { model.save(scratch.write("m", "old")); }), "");
  EXPECT_EQ(ScratchDir::slurp(scratch.file("m")), "old");
}

}  // namespace
}  // namespace thresh::model_content_edge
