// What the program does, done by the library alone: public headers are enough.

#include <gtest/gtest.h>

#include <atomic>

#include "thresh/thresh.hpp"
#include "tools/scratch.hpp"

namespace thresh::without_program_edge {
namespace {

constexpr const char* kTable =
    "size,color,label\n1,red,x\n2,blue,y\n3,red,x\n0.5,blue,y\n1.5,red,x\n";

TEST(WithoutProgram, ATableBecomesLibsvmText) {
  const ScratchDir scratch;
  const std::string data = scratch.write("a.csv", kTable);
  const auto path = [&](const char* name) { return scratch.file(name); };
  std::uint64_t bytes = 0;
  const Converted made = convert(data, path("a.svm"), path("a.names"), path("a.labels"), {},
                                 [&](const std::string&, std::uint64_t more) { bytes += more; });
  EXPECT_EQ(made.rows, 5U);
  EXPECT_EQ(made.features, 3U);
  EXPECT_EQ(ScratchDir::slurp(path("a.svm")),
            "0 1:1 2:1\n1 1:2 3:1\n0 1:3 2:1\n1 1:0.5 3:1\n0 1:1.5 2:1\n");
  EXPECT_EQ(ScratchDir::slurp(path("a.names")), "size\ncolor=red\ncolor=blue\n");
  EXPECT_EQ(ScratchDir::slurp(path("a.labels")), "x\ny\n");
  EXPECT_GT(bytes, 0U);
}

TEST(WithoutProgram, ACacheHasTheSameRows) {
  const ScratchDir scratch;
  const std::string data = scratch.write("a.csv", kTable);
  const CacheMade made = make_cache(data, scratch.file("a.cache"));
  EXPECT_EQ(made.survey.rows, 5U);
  EXPECT_NE(made.note, "");  // which column was taken for the label
  std::uint64_t rows = 0;
  visit_rows(open_problem(scratch.file("a.cache")).train,
             [&](const RowsRead& read) { rows += read.rows.size(); });
  EXPECT_EQ(rows, 5U);
}

TEST(WithoutProgram, TextsBecomeRows) {
  const ScratchDir scratch;
  TextFiles files;
  files.rows = {{scratch.write("a.tsv", "x\tred red blue\ny\tgreen\n"), scratch.file("a.svm")}};
  files.names = scratch.file("a.names");
  ReadOptions read;
  read.text.idf = false;
  read.text.l2 = false;
  const Vectorized made = vectorize(files, read);
  EXPECT_EQ(made.features, 3U);
  EXPECT_EQ(made.labels, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(made.files.at(0).nonzeros, 3U);
  EXPECT_EQ(ScratchDir::slurp(scratch.file("a.svm")), "0 1:1 3:2\n1 2:1\n");
  EXPECT_EQ(ScratchDir::slurp(scratch.file("a.names")), "blue\ngreen\nred\n");
}

TEST(WithoutProgram, StopsWhenAsked) {
  const ScratchDir scratch;
  const std::string data = scratch.write("a.svm", "1 1:1\n-1 2:1\n");
  const std::atomic<bool> stop = true;
  ReadOptions read;
  read.stop = &stop;
  EXPECT_THROW(convert(data, scratch.file("b.svm"), "", "", read), Interrupted);
  EXPECT_THROW(make_cache(data, scratch.file("b.cache"), read), Interrupted);
  DiagnoseOptions options;
  options.stop = &stop;
  EXPECT_THROW(diagnose(open_problem(data), options), Interrupted);
}

TEST(WithoutProgram, DiagnosesCertifiesAndFollowsAPath) {
  const ScratchDir scratch;
  const Problem problem =
      open_problem(scratch.write("a.svm", "1 1:1 3:1\n-1 2:1 3:1\n1 1:2\n-1 2:2\n"));
  DiagnoseOptions options;
  options.only = {"data"};
  const std::vector<DiagnosisPart> parts = diagnose(problem, options);
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].name, "data");
  EXPECT_NE(parts[0].text, "");

  Options perceptron;
  perceptron.certify = true;
  FitResult result = fit(problem, perceptron);
  result.model.certificate =
      certify(result.model, problem, {result.compression_sets, false, 0.05, ""});
  EXPECT_TRUE(verify(result.model, problem).back().holds);

  Options l1;
  l1.solver = solver_named("l1").name;
  l1.passes = 0;
  SelectObserver nobody;
  const auto candidates = grid_candidates(l1, parse_grid("lambda=0.1,0.01", "l1"));
  EXPECT_EQ(learn_path(problem, "lambda", candidates, nobody).size(), 2U);
}

}  // namespace
}  // namespace thresh::without_program_edge
