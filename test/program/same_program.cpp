// The same rows give the same model, bit for bit, whatever way they come in.

#include <fmt/format.h>

#include "tools/program.hpp"

class CliSame : public CliTest {
 protected:
  // More rows than one window of the shuffle holds.
  const std::string rows = random_rows({.rows = 18000, .features = 300});

  std::string model_of(const std::string& data, Words options = {}) const {
    dir.write("a.svm", data);
    options.insert(options.begin(), {"a.svm", "--passes", "3"});
    return train(options);
  }
  std::string model_of_pipe(const std::string& data, Words options) const {
    options.insert(options.begin(), {"train", "-"});
    options.insert(options.end(), {"-q", "-o", "piped.thresh"});
    const Result result = thresh_reading(data, options);
    EXPECT_EQ(result.exit, 0) << result;
    EXPECT_EQ(result.err, "");
    return ScratchDir::slurp(dir.file("piped.thresh"));
  }
};

TEST_F(CliSame, Compressed) {
  const std::string plain = model_of(rows);
  EXPECT_GT(weights().size(), 200U);
  EXPECT_EQ(model_of(gzip(rows)), plain);
  EXPECT_EQ(model_of(zstd(rows)), plain);
  EXPECT_EQ(model_of(xz(rows)), plain);
}

TEST_F(CliSame, CompressedInSeveralMembers) {
  const std::size_t cut = rows.size() / 3;  // in the middle of a row
  const std::string plain = model_of(rows);
  EXPECT_EQ(model_of(gzip(rows.substr(0, cut)) + gzip(rows.substr(cut))), plain);
  EXPECT_EQ(model_of(zstd(rows.substr(0, cut)) + zstd(rows.substr(cut))), plain);
  EXPECT_EQ(model_of(xz(rows.substr(0, cut)) + xz(rows.substr(cut))), plain);
}

TEST_F(CliSame, StandardInput) {
  const std::string plain = model_of(rows);
  EXPECT_EQ(model_of_pipe(rows, {"--passes", "3"}), plain);
  EXPECT_EQ(model_of_pipe(gzip(rows), {"--passes", "3"}), plain);
  Command redirected = command({"train", "-", "--passes", "3", "-q", "-o", "m.thresh"});
  redirected.input_file = dir.write("b.svm", rows);
  EXPECT_EQ(run(redirected).exit, 0);
  EXPECT_EQ(ScratchDir::slurp(dir.file("m.thresh")), plain);
}

// Numbers this large get their places as they are met, on whichever core is first.
TEST_F(CliSame, HugeFeatureNumbers) {
  std::string huge;
  for (const std::string& line : lines_of(rows)) {
    const std::size_t blank = line.find(' ');
    huge += line.substr(0, blank);
    for (std::size_t at = blank; at != std::string::npos; at = line.find(' ', at + 1)) {
      const std::size_t colon = line.find(':', at);
      huge += fmt::format(" 1{:0>11}", line.substr(at + 1, colon - at - 1));
      huge += line.substr(colon, line.find(' ', colon) - colon);
    }
    huge += '\n';
  }
  const Words options = {"--solver", "budget", "--features", "20", "--dim", "1000000000000"};
  const std::string plain = model_of(huge, options);
  for (int repeat = 0; repeat < 3; ++repeat) EXPECT_EQ(model_of(huge, options), plain);
  EXPECT_EQ(model_of(gzip(huge), options), plain);
}

TEST_F(CliSame, MemoryDoesNotMatter) {
  const std::string plain = model_of(rows);
  EXPECT_EQ(model_of(rows, {"--memory", "1"}), plain);
  EXPECT_EQ(model_of(rows, {"--memory", "300KB"}), plain);
}

TEST_F(CliSame, StreamThatIsSeenOnlyOnce) {
  const Words once = {"--order", "sequential", "--passes", "1", "--positive", "1"};
  dir.write("a.svm", rows);
  Words file = once;
  file.insert(file.begin(), "a.svm");
  const std::string plain = train(file);
  EXPECT_EQ(model_of_pipe(rows, once), plain);
  EXPECT_EQ(model_of_pipe(zstd(rows), once), plain);
}

TEST_F(CliSame, StreamThatIsSeenOnlyOnceUnderABudget) {
  dir.write("a.svm", rows);
  const Words once = {"--order", "sequential", "--passes", "1",     "--positive",
                      "1",       "--density",  "20%",      "--dim", "300"};
  Words file = once;
  file.insert(file.begin(), "a.svm");
  EXPECT_EQ(model_of_pipe(rows, once), train(file));
  EXPECT_LE(weights().size(), 60U);
}

TEST_F(CliSame, ZeroBasedIndices) {
  model_of(rows);
  std::vector<Weight> expected = weights();
  for (Weight& weight : expected) --weight.index;
  const std::string shifted = random_rows({.rows = 18000, .features = 300, .first_index = 0});
  model_of(shifted, {"--zero-based"});
  EXPECT_EQ(weights(), expected);
  EXPECT_EQ(expected.front().index, 0U);
  // The model remembers: neither eval nor predict has to be told.
  EXPECT_LT(good_json({"eval", "m.thresh", "a.svm", "--json"}).at("error"), 0.3);
}

TEST_F(CliSame, DimensionOnlyChangesTheDensity) {
  model_of(rows);
  const std::vector<Weight> expected = weights();
  for (const char* dim : {"300", "301", "1000000", "134217729", "1099511627776"}) {
    model_of(rows, {"--dim", dim});
    EXPECT_EQ(weights(), expected) << dim;
  }
}

TEST_F(CliSame, HugeIndicesOnlyChangeTheIndices) {
  constexpr std::uint64_t kFar = 1'000'000'000'000;
  std::string far;
  for (const SvmRow& row : parse_rows(rows)) {
    far += row.label > 0 ? "+1" : "-1";
    for (const auto& [index, value] : row.entries) {
      far += fmt::format(" {}:{}", kFar + index, value);
    }
    far += "\n";
  }
  model_of(rows);
  std::vector<Weight> expected = weights();
  for (Weight& weight : expected) weight.index += kFar;
  model_of(far);
  EXPECT_EQ(weights(), expected);
  const std::string errors = good({"predict", "m.thresh", "a.svm"});
  model_of(rows);
  EXPECT_EQ(good({"predict", "m.thresh", "a.svm"}), errors);
}

TEST_F(CliSame, CommentsQidsAndSpaceMeanNothing) {
  std::string decorated = "# a file\n\n";
  std::size_t number = 0;
  for (const std::string& line : lines_of(rows)) {
    const std::size_t space = line.find(' ');
    decorated += number++ % 7 == 0 ? line.substr(0, space) + " qid:3" + line.substr(space) : line;
    decorated += number % 5 == 0 ? "  # 7:x\r\n" : number % 3 == 0 ? "\t\n\n# 1:1\n" : "\r\n";
  }
  EXPECT_EQ(model_of(decorated), model_of(rows));
  EXPECT_EQ(model_of(gzip(decorated)), model_of(rows));
}

TEST_F(CliSame, LastLineNeedsNoLineFeed) {
  EXPECT_EQ(model_of(rows.substr(0, rows.size() - 1)), model_of(rows));
}

TEST_F(CliSame, UnsortedRowsAreSortedOnRequest) {
  std::string reversed;
  for (const std::string& line : lines_of(rows)) {
    std::string entries;
    for (std::size_t end = line.size(), space;
         (space = line.rfind(' ', end - 1)) != std::string::npos; end = space) {
      entries += line.substr(space, end - space);
    }
    reversed += line.substr(0, line.find(' ')) + entries + "\n";
  }
  EXPECT_EQ(model_of(reversed, {"--allow-unsorted"}), model_of(rows));
}
