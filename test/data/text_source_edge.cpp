// A plain file is surveyed from the two ends of its rows; here is what that could get wrong.
#include <gtest/gtest.h>

#include "data/read/sources.hpp"
#include "tools/error_of.hpp"
#include "tools/random_rows.hpp"
#include "tools/scratch.hpp"

namespace thresh::text_source_edge {
namespace {

class TextSources : public testing::Test {
 protected:
  TextSource open(const std::string& text, const ReadOptions& options = {}) {
    return TextSource(scratch_.write("data", text), options, std::make_shared<FeatureMap>());
  }
  std::string error(const std::string& text) {
    std::string message = error_of([&] { open(text); });
    return message.empty() ? message : message.substr(scratch_.path.string().size() + 1);
  }

  ScratchDir scratch_;
};

TEST_F(TextSources, TheSurveySeesLabelsAndDimensionOfOddRows) {
  const TextSource source =
      open("\r1 2:1\n\t \r-1 qid:99:1\n1 3:1#77:1\n-1 # 88:1\n2 qid:5 4:0 \r\n-0\n0\n");
  const Survey& survey = *source.survey();
  EXPECT_EQ(survey.rows, 7u);
  EXPECT_EQ(survey.dimension, 4u);
  ASSERT_EQ(survey.labels.size(), 4u);
  EXPECT_EQ(survey.labels[0].label, 1);
  EXPECT_EQ(survey.labels[0].rows, 2u);
  EXPECT_EQ(survey.labels[1].rows, 2u);
  EXPECT_EQ(survey.labels[2].label, 2);
  EXPECT_EQ(survey.labels[3].rows, 2u) << "0 and -0 are one label";
}

TEST_F(TextSources, TheSurveyOfUnsortedRowsFindsTheLargestIndex) {
  ReadOptions options;
  options.allow_unsorted = true;
  EXPECT_EQ(open("1 9:1 2:1\n-1 5:1\n", options).survey()->dimension, 9u);
}

TEST_F(TextSources, AQidIsNotAFeature) {
  ReadOptions options;
  for (const bool zero_based : {false, true}) {
    options.zero_based = zero_based;
    EXPECT_EQ(open("1 qid:3\n", options).survey()->dimension, 0u);
    EXPECT_EQ(open("1 qid:12:3\n", options).survey()->dimension, 0u);
    EXPECT_EQ(open("1 qid:12:3 1:1\n", options).survey()->dimension, zero_based ? 2u : 1u);
  }
}

TEST_F(TextSources, ABadLabelIsReportedByTheSurvey) {
  // It counts for no class, so whoever asks for the classes would not know what is wrong.
  EXPECT_EQ(error("abc 1:1\nabd 2:1\n"), "data:1: label is not a number: 'abc'");
  EXPECT_EQ(error("1 1:1\n\n1x 2:1\n"), "data:3: label is not a number: '1x'");
  EXPECT_EQ(error("1 1:1\nnan\n"), "data:2: label is not finite");
  EXPECT_EQ(error("1:1\n"), "data:1: label is not a number: '1:1'");
  EXPECT_EQ(error("1 1:1\n1e999#\n"), "data:2: label is not finite");
  const std::string good = random_rows(1, 2 * kBlockRows).text();
  EXPECT_EQ(error(good + "y\n"), "data:2049: label is not a number: 'y'");
}

TEST_F(TextSources, OtherFaultsAreReportedWhenTheBlockIsRead) {
  TextSource source = open("1 1:1\n1 2:x\n");
  EXPECT_EQ(error_of([&] { source.block(0); }),
            scratch_.file("data") + ":2: value of feature 2 is not a number: 'x'");
}

// The survey looks at stretches of the file side by side; a stream is cut from front to back.
void expect_like_stream(const std::string& path, const std::string& what) {
  TextSource surveyed(path, {}, std::make_shared<FeatureMap>());
  StreamSource stream(path, {}, std::make_shared<FeatureMap>());
  std::uint64_t rows = 0;
  for (std::size_t k = 0;; ++k) {
    const BlockPtr expected = stream.block(k);
    const BlockPtr got = surveyed.block(k);
    ASSERT_EQ(got == nullptr, expected == nullptr) << what;
    if (!got) break;
    ASSERT_EQ(got->lines, expected->lines) << what;
    ASSERT_EQ(got->ids, expected->ids) << what;
    ASSERT_EQ(got->labels, expected->labels) << what;
    ASSERT_EQ(got->slots, expected->slots) << what;
    ASSERT_EQ(got->source_bytes, expected->source_bytes) << what;
    rows += got->rows();
  }
  EXPECT_EQ(surveyed.survey()->rows, rows) << what;
}

TEST_F(TextSources, LinesMayEndAnywhereInAStretch) {
  const auto comment = [](std::size_t bytes) { return std::string(bytes - 1, '#') + "\n"; };
  const std::string rows = random_rows(4, 50).text();
  constexpr std::size_t kStretch = LineScanner::kStretch;
  for (const std::size_t stretches : {1, 2, 3}) {
    for (const int beside : {-2, -1, 0, 1, 2}) {
      const std::size_t long_line = stretches * kStretch + beside - rows.size();
      for (const std::string& tail : {std::string(), std::string("1 7:1"), rows}) {
        const std::string what =
            std::to_string(stretches) + " stretches " + std::to_string(beside) + " + " + tail;
        expect_like_stream(scratch_.write("data", rows + comment(long_line) + tail), what);
      }
    }
  }
  expect_like_stream(scratch_.write("data", random_rows(5, 20000).text()), "many rows");
  expect_like_stream(scratch_.write("data", std::string(3 * kStretch, '\n') + "1 1:1\n"), "blank");
}

TEST_F(TextSources, MoreLabelsThanClassesAreNotCountedOn) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += std::to_string(i / 2) + "\n";
  const TextSource source = open(text);
  EXPECT_TRUE(source.survey()->more_labels);
  EXPECT_EQ(source.survey()->labels.size(), Survey::kMaxLabels);
  EXPECT_EQ(source.survey()->rows, 3000u);
}

TEST_F(TextSources, AFileThatChangesIsReported) {
  const std::string changed = scratch_.file("data") + ": the file changed while it was being read";
  const std::string line = "1 1:1.0 2:2.0\n";
  const std::string text = line + line;
  for (const std::string& now : {std::string(), std::string("1"), line, text.substr(0, 26),
                                 text.substr(0, 27) + "3",  // a longer value
                                 std::string("1 1:1 2:1 3:1 4:1 5:1 6:100\n")}) {
    TextSource source = open(text);
    EXPECT_EQ(source.block(0)->rows(), 2u);
    scratch_.write("data", now);
    EXPECT_EQ(error_of([&] { source.block(0); }), changed) << now;
  }
  TextSource source = open("1 1:1\n1 2:2");  // the last line feed is missing
  scratch_.write("data", "1 1:1\n1 2:23 4:4\n");
  EXPECT_EQ(error_of([&] { source.block(0); }), changed);
}

TEST_F(TextSources, AFileThatGrowsKeepsItsRows) {
  TextSource source = open("1 1:1\n");
  scratch_.write("data", "1 1:1\n1 2:2\n");
  EXPECT_EQ(source.block(0)->rows(), 1u);
  EXPECT_EQ(source.block(1), nullptr);
}

TEST_F(TextSources, APathThatCannotBeReadIsAnError) {
  const std::string path = scratch_.file("missing");
  EXPECT_EQ(error_of([&] { open_rows(path, {}, std::make_shared<FeatureMap>()); }),
            path + ": No such file or directory");
  ReadOptions options;
  options.format = Format::libsvm;
  EXPECT_EQ(error_of([&] { open_rows(scratch_.path, options, std::make_shared<FeatureMap>()); }),
            scratch_.path.string() + ": is a directory");
}

}  // namespace
}  // namespace thresh::text_source_edge
