// thresh export --format c: the source compiles without a warning and computes what predict does,
// bit for bit.

#include <fmt/format.h>

#include "tools/program.hpp"

class CliExportC : public CliTest {
 protected:
  // What a program around the exported source prints for rows of libsvm text, `print` for each. The
  // model's names begin with m_.
  std::string run_c(const std::string& data, const std::string& print) const {
    good({"export", "m.thresh", "--format", "c", "--prefix", "m", "-o", "m.c", "-q"});
    dir.write("main.c", R"(#include "m.c"
#include <stdio.h>
#include <stdlib.h>
static char line[100000];
static uint64_t indices[10000];
static double values[10000];
int main(void) {
  while (fgets(line, sizeof line, stdin)) {
    char *p;
    size_t n = 0;
    strtod(line, &p);
    while (*p == ' ') {
      indices[n] = strtoull(p, &p, 10);
      values[n++] = strtod(p + 1, &p);
    }
    )" + print + R"(
  }
  return 0;
}
)");
    Command compile = command({"-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O2",
                               "main.c", "-o", "main", "-lm"});
    compile.program = "/usr/bin/cc";
    const Result compiled = run(compile);
    EXPECT_EQ(compiled.exit, 0) << compiled;
    if (compiled.exit != 0) return "";
    Command program = command({});
    program.program = dir.file("main");
    program.input_file = dir.file(data);
    return run(program).out;
  }

  // The output of main.c, compiled with m.c.
  std::string run_main(const std::string& input) const {
    Command compile = command({"-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1",
                               "-ffp-contract=off", "main.c", "m.c", "-o", "main", "-lm"});
    compile.program = "/usr/bin/cc";
    const Result compiled = run(compile);
    EXPECT_EQ(compiled.exit, 0) << compiled;
    Command program = command({});
    program.program = dir.file("main");
    program.input_file = dir.file(input);
    return run(program).out;
  }

  // The same numbers from both, however they are written.
  void expect_same(const std::string& data, const std::string& output, const std::string& print) {
    const std::string ours = good({"predict", "m.thresh", data, "--output", output});
    const std::vector<double> expected = parse_numbers(one_a_line(ours));
    EXPECT_GT(expected.size(), 0U);
    EXPECT_EQ(parse_numbers(run_c(data, print)), expected) << output;
  }

  // Exponentials are those of the C library there: the last bits may differ.
  void expect_near(const std::string& data, const std::string& print) {
    const std::string ours = good({"predict", "m.thresh", data, "--output", "probability"});
    const std::vector<double> expected = parse_numbers(one_a_line(ours));
    const std::vector<double> got = parse_numbers(run_c(data, print));
    ASSERT_GT(expected.size(), 0U);
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_NEAR(got[i], expected[i], 2e-15 * expected[i]) << i;
    }
  }

  static std::string one_a_line(std::string text) {
    for (char& c : text) {
      if (c == '\t') c = '\n';
    }
    return text;
  }

  void expect_same_margins(const std::string& data) { expect_same(data, "margin", one("margin")); }
  void expect_same_labels(const std::string& data) { expect_same(data, "label", one("predict")); }

  static std::string one(const std::string& function) {
    return fmt::format("printf(\"%.17g\\n\", m_{}(indices, values, n));", function);
  }
  static std::string each(const std::string& function) {
    return fmt::format(
        "double out[m_classes];\n"
        "    m_{}(indices, values, n, out);\n"
        "    for (n = 0; n < m_classes; ++n) printf(\"%.17g\\n\", out[n]);",
        function);
  }
};

TEST_F(CliExportC, TwoClassesWithProbabilities) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    dir.write("a.svm", random_rows({.rows = 500, .seed = seed}));
    dir.write("b.svm",
              random_rows({.rows = 500, .features = 60, .seed = seed + 9}));  // unseen ones
    train({"a.svm", "--holdout", "40%", "--calibrate"});
    expect_same_margins("b.svm");
    expect_same_labels("b.svm");
    expect_near("b.svm", one("probability"));
  }
}

TEST_F(CliExportC, RowsOfUnitLengthAndIndicesFromZero) {
  dir.write("a.svm", random_rows({.rows = 500, .first_index = 0}));
  const std::string far = "1 0:1e300 7:2e299 3000000:1e250\n-1 5:3e-320\n1\n-1 5:0\n";
  dir.write("b.svm", far + random_rows({.rows = 500, .features = 60, .seed = 2, .first_index = 0}));
  train({"a.svm", "--zero-based", "--normalize", "l2"});
  expect_same_margins("b.svm");
}

TEST_F(CliExportC, HugeIndices) {
  std::string rows;
  for (int i = 0; i < 50; ++i) {
    rows += fmt::format("{} 3:0.{} {}:1.5 1099511627776:-0.{}\n", i % 2, i + 1,
                        900000000000 + i % 5, i * i + 1);
  }
  dir.write("a.svm", rows);
  train({"a.svm"});
  expect_same_margins("a.svm");
  expect_same_labels("a.svm");
}

TEST_F(CliExportC, Regression) {
  dir.write("a.svm", random_rows({.rows = 200}));
  train(
      {"a.svm", "--task", "regression", "--solver", "fobos", "--loss", "squared", "--eta", "0.01"});
  expect_same_margins("a.svm");
  expect_same_labels("a.svm");
}

TEST_F(CliExportC, NoWeightsAtAll) {
  dir.write("a.svm", random_rows({}));
  train({"a.svm", "--solver", "fobos", "--loss", "hinge", "--lambda", "1000"});
  ASSERT_TRUE(weights().empty());
  expect_same_margins("a.svm");
}

TEST_F(CliExportC, ManyClasses) {
  dir.write("a.svm", random_rows({.negative = "1", .positive = "2"}) +
                         random_rows({.seed = 2, .negative = "7", .positive = "1"}));
  const auto train_with = [&](const char* loss, const char* multiclass) {
    train({"a.svm", "--solver", "fobos", "--lambda", "0.001", "--loss", loss, "--multiclass",
           multiclass});
    expect_same("a.svm", "margin", each("margins"));
    expect_same_labels("a.svm");
  };
  train_with("hinge", "ovr");
  train_with("logistic", "ovr");
  expect_near("a.svm", each("probabilities"));
  train_with("logistic", "softmax");
  expect_near("a.svm", each("probabilities"));
}

// Products of features, of two classes and of many.
TEST_F(CliExportC, Products) {
  dir.write("a.svm", random_rows({.rows = 400, .features = 15}));
  dir.write("b.svm", random_rows({.rows = 300, .features = 20, .seed = 2}) + "1\n");
  for (const char* normalize : {"none", "l2"}) {
    train({"a.svm", "--interactions", "*:*", "--normalize", normalize});
    expect_same_margins("b.svm");
    expect_same_labels("b.svm");
  }
  dir.write("c.svm", random_rows({.features = 12, .negative = "1", .positive = "2"}) +
                         random_rows({.features = 12, .seed = 2, .negative = "7"}));
  train({"c.svm", "--interactions", "*:*", "--solver", "fobos", "--lambda", "0.01", "--loss",
         "logistic"});
  expect_same("c.svm", "margin", each("margins"));
  expect_same_labels("c.svm");
}

// Neither a comment nor a string may be left early, whatever a feature or a class is called.
TEST_F(CliExportC, HostileNames) {
  const Words names = {"*/ #error", "?\?/",     "\\",        "\"",
                       "a\\\"b",    "/* */ //", "\xff\xfe?", "@ VALUE \xe2\x80\xae %s{}"};
  std::string lines;
  std::string rows;
  for (std::size_t i = 0; i < names.size(); ++i) {
    lines += names[i] + "\n";
    rows += fmt::format("{} {}:1\n{} {}:-2\n", i % 2, i + 1, 1 - i % 2, i + 1);
  }
  dir.write("names", lines);
  dir.write("a.svm", rows);
  train({"a.svm", "--names", "names"});
  ASSERT_EQ(weights().size(), names.size());
  expect_same_margins("a.svm");
}

TEST_F(CliExportC, HostileLabelsAndColumns) {
  dir.write("t.csv", "\"new\nline*/\",label\n1,?\?/\n-1,\"\\\"\"*/\"\n2,?\?/\n-2,\"\\\"\"*/\"\n");
  train({"t.csv"});
  dir.write("t.svm", "0 1:1\n0 1:-1\n");
  const std::string names =
      run_c("t.svm", "puts(m_label_names[(int)m_predict(indices, values, n)]);");
  EXPECT_EQ(names, "?\?/\n\\\"*/\n");
}

TEST_F(CliExportC, LargestIndex) {
  const std::string largest = "1099511627776";
  dir.write("m.thresh", handmade_model(regression_header(largest), {"2\t3", largest + "\t4"}));
  dir.write("x.svm", "0 2:1 " + largest + ":1\n");
  EXPECT_EQ(run_c("x.svm", one("predict")), "7.5\n");
}

TEST_F(CliExportC, Usage) {
  dir.write("tiny.svm", kTiny);
  train({"tiny.svm"});
  for (const char* prefix : {"1a", "a-b", "\xc3\xa9", "a b", ""}) {
    const std::string line =
        bad(2, {"export", "m.thresh", "--format", "c", "--prefix", prefix, "-o", "x"});
    EXPECT_TRUE(contains(line, "not a name in C"));
    EXPECT_FALSE(exists("x"));
  }
  EXPECT_TRUE(
      contains(bad(2, {"export", "m.thresh", "--format", "json", "--prefix", "a"}), "--format c"));
}

// The same bits from raw text, and a header that C++ can read, too.
TEST_F(CliExportC, RawTextsWithAHeader) {
  const Words words = {"Win",          "caf\xe9", "\xc3\x89t\xc3\xa9", "\xf0\x9f\x98\x80",
                       "a_b",          "see",     "\xc4\xb0",          "\xe4\xb8\xad\xe6\x96\x87",
                       "x\xcc\x81",    "the",     "\xe2\x80\xa8",      "\x01",
                       "\xed\xa0\x80", "b"};
  std::string lines, texts;
  for (std::size_t i = 0; i < 300; ++i) {
    std::string text;
    for (std::size_t k = 0; k < i % 9; ++k)
      text += words[(i * 7 + k * (3 + i % 2)) % words.size()] + " ";
    lines += (i % 2 == 0 ? "spam\t" : "ham\t") + text + "\n";
    texts += text + "\n";
  }
  dir.write("a.txt", lines);
  dir.write("b.txt", texts + "\xff\n");
  dir.write("main.c", R"(#include "m.h"
#include <stdio.h>
#include <string.h>
static char line[100000];
int main(void) {
  while (fgets(line, sizeof line, stdin)) {
    double margin;
    if (m_text_margins(line, strlen(line) - 1, &margin) != 0) return 1;
    printf("%.17g\n", margin);
  }
  return 0;
}
)");
  const std::vector<Words> options = {{},
                                      {"--ngrams", "1:2"},
                                      {"--chars", "1:3", "--keep-case"},
                                      {"--norm", "none", "--stop-words", "english", "--no-idf"}};
  for (const Words& option : options) {
    Words arguments = {"a.txt", "--format", "text"};
    arguments.insert(arguments.end(), option.begin(), option.end());
    train(arguments);
    good({"export", "m.thresh", "--format", "c", "--prefix", "m", "--header", "m.h", "-o", "m.c",
          "-q"});
    EXPECT_EQ(parse_numbers(run_main("b.txt")), margins("m.thresh", "b.txt"));
  }
  EXPECT_TRUE(contains(bad(2, {"export", "m.thresh", "--format", "json", "--header", "m.h"}),
                       "--format c"));
  EXPECT_TRUE(
      contains(bad(2, {"export", "m.thresh", "--format", "c", "--header", "m.c", "-o", "m.c"}),
               "overwrite"));
}

// Two texts of a row beside numbers, which are given by their indices.
TEST_F(CliExportC, TextsBesideColumns) {
  std::string table = "size,subject,body,label\n", rows;
  for (int i = 0; i < 300; ++i) {
    const std::string subject = fmt::format("{} {}", i % 3 == 0 ? "win" : "hi", i % 7);
    const std::string body = i % 5 == 0 ? "caf\xc3\xa9 money" : i % 4 == 0 ? "" : "win you you";
    table += fmt::format("{}.25,{},{},{}\n", i % 9, subject, body,
                         (i % 3 == 0) == (i % 5 == 0) ? "spam" : "ham");
    rows += fmt::format("{}.25\t{}\t{}\n", i % 9, subject, body);
  }
  dir.write("a.csv", table);
  dir.write("rows", rows);
  for (const char* pairs : {"", "subject:body,size:subject"}) {
    Words arguments = {"a.csv", "--text", "subject,body", "--solver", "ftrl"};
    if (*pairs != '\0') arguments.insert(arguments.end(), {"--interactions", pairs});
    train(arguments);
    std::uint64_t size = 0;
    for (const Weight& weight : weights()) size = weight.name == "size" ? weight.index : size;
    ASSERT_GT(size, 0U);
    good({"export", "m.thresh", "--format", "c", "--prefix", "m", "--header", "m.h", "-o", "m.c",
          "-q"});
    // Texts are in the order of the columns' names.
    EXPECT_TRUE(contains(ScratchDir::slurp(dir.file("m.c")), "texts[0]: column \"body\""));
    dir.write("main.c", fmt::format(R"(#include "m.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char line[1000];
int main(void) {{
  while (fgets(line, sizeof line, stdin)) {{
    const char *const subject = strchr(line, '\t') + 1, *const body = strchr(subject, '\t') + 1;
    const char *const texts[] = {{body, subject}};
    const size_t lengths[] = {{strlen(body) - 1, (size_t)(body - subject) - 1}};
    const uint64_t index = {};
    const double value = strtod(line, NULL);
    double margin;
    if (m_row_margins(texts, lengths, &index, &value, 1, &margin) != 0) return 1;
    printf("%.17g\n", margin);
  }}
  return 0;
}}
)",
                                    size));
    EXPECT_EQ(parse_numbers(run_main("rows")), margins("m.thresh", "a.csv"));
  }
}
