// That a generated corpus looks like text, as far as a linear learner can tell.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "data/generated.hpp"
#include "thresh/generate.hpp"

namespace thresh::generate_text_law {
namespace {

std::map<uint64_t, int> document_frequencies(const std::vector<GeneratedRow>& rows) {
  std::map<uint64_t, int> frequencies;
  for (const GeneratedRow& row : rows) {
    for (const auto& [index, value] : row.features) ++frequencies[index];
  }
  return frequencies;
}

TEST(CorpusText, DocumentFrequenciesFollowZipf) {
  CorpusOptions options = small_corpus();
  options.informative = 0;
  const std::map<uint64_t, int> frequencies = document_frequencies(rows_of(make_corpus(options)));
  std::vector<double> ranked;
  for (const auto& [index, frequency] : frequencies) ranked.push_back(frequency);
  std::sort(ranked.rbegin(), ranked.rend());
  // Between the words that saturate their documents and those too rare to count.
  const double slope = std::log(ranked.at(999) / ranked.at(99)) / std::log(10.0);
  EXPECT_NEAR(slope, -1.0, 0.1);
  EXPECT_GT(ranked.front(), 0.8 * 2000) << "the most frequent word is in nearly every document";
  EXPECT_NE(frequencies.begin()->second, ranked.front()) << "the index gives the rank away";
}

TEST(CorpusText, DocumentsHaveTheLengthsOfText) {
  CorpusOptions options;
  options.rows = 2000;
  const GeneratedText made = make_corpus(options);
  EXPECT_NEAR(static_cast<double>(made.summary.nonzeros) / 2000, 80, 10);
  std::vector<size_t> lengths;
  for (const GeneratedRow& row : rows_of(made)) lengths.push_back(row.features.size());
  std::sort(lengths.begin(), lengths.end());
  EXPECT_LT(lengths.at(100), 45U);
  EXPECT_GT(lengths.at(1900), 125U);
}

TEST(CorpusText, AWordUsedOnceIsUsedAgain) {
  // The idf of words that few documents have is much the same. Where their values differ by
  // half, one of them is there twice; had the tokens been independent, none would be.
  const std::vector<GeneratedRow> rows = rows_of(make_corpus(small_corpus()));
  const std::map<uint64_t, int> frequencies = document_frequencies(rows);
  int words = 0;
  int repeated = 0;
  for (const GeneratedRow& row : rows) {
    std::vector<double> values;
    for (const auto& [index, value] : row.features) {
      if (frequencies.at(index) <= 5) values.push_back(value);
    }
    if (values.size() < 3) continue;
    const double least = *std::min_element(values.begin(), values.end());
    for (const double value : values) repeated += value > 1.4 * least ? 1 : 0;
    words += static_cast<int>(values.size());
  }
  EXPECT_GT(words, 500);
  EXPECT_NEAR(static_cast<double>(repeated) / words, 0.2, 0.1);
}

// The share of the truth's frequent words whose class-mean difference has the truth's sign.
double agreement_with_truth(const GeneratedText& made) {
  std::map<uint64_t, std::pair<double, int>> differences;
  for (const GeneratedRow& row : rows_of(made)) {
    for (const auto& [index, value] : row.features) {
      differences[index].first += row.positive() ? value : -value;
      ++differences[index].second;
    }
  }
  int frequent = 0;
  int agree = 0;
  for (const auto& [index, weight] : made.summary.truth) {
    const auto& [difference, documents] = differences[index];
    if (documents < 20) continue;
    ++frequent;
    agree += (difference > 0) == (weight > 0) ? 1 : 0;
  }
  EXPECT_GT(frequent, 100);
  return static_cast<double>(agree) / frequent;
}

TEST(CorpusText, TruthShowsInTheClassMeans) {
  EXPECT_GT(agreement_with_truth(make_corpus(small_corpus())), 0.95);
  CorpusOptions options = small_corpus();
  options.noise = 1;
  EXPECT_LT(agreement_with_truth(make_corpus(options)), 0.05) << "all labels flipped";
  options.noise = 0.5;
  EXPECT_NEAR(agreement_with_truth(make_corpus(options)), 0.5, 0.15) << "labels drawn by lot";
}

TEST(CorpusText, TheTruthSpansTheFrequencies) {
  CorpusOptions options;
  options.rows = 2000;
  const GeneratedText made = make_corpus(options);
  std::map<uint64_t, int> frequencies = document_frequencies(rows_of(made));
  int frequent = 0;
  int middling = 0;
  int rare = 0;
  for (const auto& [index, weight] : made.summary.truth) {
    frequent += frequencies[index] > 200 ? 1 : 0;
    middling += frequencies[index] > 20 ? 1 : 0;
    rare += frequencies[index] < 10 ? 1 : 0;
  }
  EXPECT_NEAR(frequent, 30, 15) << "in a document of ten";
  EXPECT_NEAR(middling, 340, 60) << "in one of a hundred";
  EXPECT_NEAR(rare, 35, 25) << "in less than one of two hundred";
}

}  // namespace
}  // namespace thresh::generate_text_law
