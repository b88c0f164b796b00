#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "data/generated.hpp"
#include "thresh/error.hpp"
#include "thresh/generate.hpp"

namespace thresh::generate_law {
namespace {

TEST(Corpus, BytesArePinned) {
  // Whoever changes these breaks every number quoted for a generated corpus.
  const GeneratedText made =
      make_corpus({.rows = 300, .features = 2000, .seed = 1, .noise = 0.02, .informative = 50});
  EXPECT_EQ(hash_of(made.rows), 8361343723364084724U);
  EXPECT_EQ(hash_of(made.names), 7380361834686709001U);
}

TEST(Corpus, SeedsDifferAndRepeat) {
  CorpusOptions options = small_corpus();
  const GeneratedText first = make_corpus(options);
  EXPECT_EQ(make_corpus(options).rows, first.rows);
  EXPECT_EQ(make_corpus(options).summary.truth, first.summary.truth);
  options.seed = 2;
  const GeneratedText second = make_corpus(options);
  EXPECT_NE(second.rows, first.rows);
  const auto weights = [](const GeneratedText& made) {
    std::multiset<double> result;
    for (const auto& [index, weight] : made.summary.truth) result.insert(weight);
    return result;
  };
  EXPECT_NE(weights(second), weights(first)) << "not only other words";
}

TEST(Corpus, MoreRowsOnlyAppend) {
  CorpusOptions options = small_corpus();
  const std::string few = make_corpus(options).rows;
  options.rows += 100;
  const std::string more = make_corpus(options).rows;
  EXPECT_EQ(more.substr(0, few.size()), few);
  EXPECT_GT(more.size(), few.size());
}

TEST(Corpus, RowsAreSortedPositiveAndOfUnitLength) {
  const GeneratedText made = make_corpus(small_corpus());
  const std::vector<GeneratedRow> rows = rows_of(made);
  ASSERT_EQ(rows.size(), 2000U);
  for (const GeneratedRow& row : rows) {
    EXPECT_TRUE(row.label == "+1" || row.label == "-1") << row.label;
    expect_ascending(row.features, 5000);
    double squares = 0;
    for (const auto& [index, value] : row.features) {
      EXPECT_TRUE(std::isfinite(value) && value > 0) << value;
      squares += value * value;
    }
    EXPECT_NEAR(squares, 1, 1e-5);
  }
}

TEST(Corpus, SummaryCountsWhatWasWritten) {
  const GeneratedText made = make_corpus(small_corpus());
  uint64_t nonzeros = 0;
  uint64_t positives = 0;
  for (const GeneratedRow& row : rows_of(made)) {
    nonzeros += row.features.size();
    positives += row.positive() ? 1 : 0;
  }
  EXPECT_EQ(made.summary.rows, 2000U);
  EXPECT_EQ(made.summary.features, 5000U);
  EXPECT_EQ(made.summary.nonzeros, nonzeros);
  EXPECT_EQ(made.summary.positives, positives);
  EXPECT_NEAR(static_cast<double>(positives), 1000, 100);
  EXPECT_EQ(made.summary.truth.size(), 200U);
  expect_ascending(made.summary.truth, 5000);
}

TEST(Corpus, NamesAreUniqueWords) {
  CorpusOptions options = small_corpus();
  options.rows = 1;
  options.features = 100000;  // more than the words of two syllables
  const GeneratedText made = make_corpus(options);
  const std::vector<std::string> names = lines_of(made.names);
  EXPECT_EQ(names.size(), 100000U);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  for (const std::string& name : names) {
    EXPECT_GE(name.size(), 4U);
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz"), std::string::npos) << name;
  }
  std::string rows;
  generate_corpus(options, append_to(rows), Sink{});
  EXPECT_EQ(rows, made.rows) << "names are optional";
}

TEST(Corpus, ChunksAreWholeLines) {
  int chunks = 0;
  const Sink check = [&](std::string_view chunk) {
    ++chunks;
    ASSERT_FALSE(chunk.empty());
    EXPECT_EQ(chunk.back(), '\n');
  };
  generate_corpus(small_corpus(), check, check);
  EXPECT_GT(chunks, 10);
  EXPECT_LT(chunks, 100);
}

TEST(Corpus, NoiseFlipsItsShareOfTheLabels) {
  CorpusOptions options = small_corpus();
  const std::vector<GeneratedRow> noisy = rows_of(make_corpus(options));
  options.noise = 0;
  const std::vector<GeneratedRow> clean = rows_of(make_corpus(options));
  int flipped = 0;
  for (size_t i = 0; i < clean.size(); ++i) {
    EXPECT_EQ(noisy[i].features, clean[i].features);
    flipped += noisy[i].label != clean[i].label ? 1 : 0;
  }
  EXPECT_NEAR(flipped, 40, 20);
}

TEST(Corpus, TinyOnesWork) {
  for (const uint64_t features : {1, 2, 7, 100}) {
    const GeneratedText made = make_corpus(
        {.rows = 3, .features = features, .seed = 1, .noise = 0.02, .informative = 400});
    EXPECT_EQ(made.summary.truth.size(), features) << "every word, once";
    EXPECT_EQ(lines_of(made.rows).size(), 3U);
    EXPECT_EQ(lines_of(made.names).size(), features);
  }
}

TEST(Corpus, RefusesWhatMakesNoSense) {
  const auto refuses = [](auto change) {
    CorpusOptions options = small_corpus();
    change(options);
    EXPECT_THROW(make_corpus(options), UsageError);
  };
  refuses([](CorpusOptions& o) { o.rows = 0; });
  refuses([](CorpusOptions& o) { o.features = 0; });
  refuses([](CorpusOptions& o) { o.features = uint64_t{1} << 32; });
  refuses([](CorpusOptions& o) { o.noise = -0.1; });
  refuses([](CorpusOptions& o) { o.noise = 1.1; });
  refuses([](CorpusOptions& o) { o.noise = std::nan(""); });
}

}  // namespace
}  // namespace thresh::generate_law
