#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "data/generate/chunks.hpp"
#include "math/elementary.hpp"
#include "sparse/random.hpp"
#include "thresh/error.hpp"
#include "thresh/generate.hpp"

namespace thresh {
namespace {

// The parameters of the language. With these the default corpus has some 80 distinct words per
// document. A good linear model is wrong on about one document in twenty, label noise included.
constexpr double kExponent = 1.07;     // of Zipf's law ...
constexpr double kShift = 2.7;         // ... in Mandelbrot's form: p ~ 1 / (rank + shift)^exponent
constexpr double kMeanLength = 120;    // tokens in a document
constexpr double kLengthSpread = 0.5;  // deviation of the logarithm of the length
constexpr double kRepeat = 0.2;        // share of the tokens that repeat one of the same document
constexpr double kHead = 0.05;         // share of the ranking that contains the informative words
constexpr double kWeakest = 0.8;       // typical log-odds of the most frequent informative word
constexpr double kStrongest = 2.7;     // ... and of the rarest: rare words are more informative

enum CorpusStream : uint64_t { kRanking, kTruth, kDocuments };

void check(const CorpusOptions& options) {
  if (options.rows == 0 || options.features == 0) {
    throw UsageError("a data set needs at least one row and one feature");
  }
  if (options.features > std::numeric_limits<uint32_t>::max()) {
    throw UsageError("a corpus has at most 4294967295 features");
  }
  if (!(options.noise >= 0 && options.noise <= 1)) {
    throw UsageError("the share of flipped labels must be between 0 and 1");
  }
}

// A pronounceable word, different for every number. Syllables are consonants and then a vowel, so a
// word can be split in only one way. kSpread is coprime to the number of words of a length, so all
// are reached, and it makes neighbours look different.
std::string word_name(uint64_t number) {
  static constexpr std::array<std::string_view, 20> kOnsets = {
      "b", "br", "d",  "dr", "f", "g",  "gl", "k",  "l", "m",
      "n", "p",  "pl", "r",  "s", "st", "t",  "tr", "v", "z"};
  static constexpr std::string_view kVowels = "aeiou";
  static constexpr std::array<std::string_view, 8> kEndings = {"",  "n", "r",  "l",
                                                               "s", "m", "nd", "x"};
  constexpr uint64_t kSpread = 618033;
  constexpr uint64_t kSyllables = kOnsets.size() * kVowels.size();
  uint64_t words = kEndings.size() * kSyllables * kSyllables;
  int syllables = 2;
  for (; number >= words; words *= kSyllables, ++syllables) number -= words;
  uint64_t code = number * kSpread % words;
  const std::string_view ending = kEndings[code % kEndings.size()];
  code /= kEndings.size();
  std::string name;
  for (; syllables > 0; --syllables, code /= kSyllables) {
    name += kOnsets[code % kSyllables / kVowels.size()];
    name += kVowels[code % kVowels.size()];
  }
  return name.append(ending);
}

// Draws words in O(log V) by their cumulative weights.
class WordSampler {
 public:
  explicit WordSampler(const std::vector<double>& weights) : sums_(weights.size()) {
    std::partial_sum(weights.begin(), weights.end(), sums_.begin());
  }
  uint32_t draw(Random& random) const {
    const double target = random.uniform() * sums_.back();
    // Never the end: uniform() is far enough below 1 that the rounded product is below the sum.
    const auto at = std::upper_bound(sums_.begin(), sums_.end(), target);
    return static_cast<uint32_t>(at - sums_.begin());
  }

 private:
  std::vector<double> sums_;
};

// The words by falling frequency. Shuffled, so that an index does not tell how common its word is.
std::vector<uint32_t> ranking(const CorpusOptions& options) {
  std::vector<uint32_t> words(options.features);
  std::iota(words.begin(), words.end(), uint32_t{0});
  Random random(options.seed, kRanking);
  shuffle(words.begin(), words.end(), random);
  return words;
}

std::vector<double> zipf_frequencies(const std::vector<uint32_t>& words) {
  std::vector<double> frequencies(words.size());
  double sum = 0;
  for (size_t rank = 0; rank < words.size(); ++rank) {
    const double place = static_cast<double>(rank + 1) + kShift;
    sum += frequencies[words[rank]] = portable::exp(-kExponent * portable::log(place));
  }
  for (double& frequency : frequencies) frequency /= sum;
  return frequencies;
}

// The log-odds of each word: zero except for the informative ones, which are drawn from the head of
// the ranking by Knuth's selection sampling. Words of the long tail are too rare to be informative.
std::vector<double> log_odds(const CorpusOptions& options, const std::vector<uint32_t>& words) {
  std::vector<double> odds(words.size());
  Random random(options.seed, kTruth);
  uint64_t left = std::min<uint64_t>(options.informative, words.size());
  const auto head = static_cast<uint64_t>(kHead * static_cast<double>(words.size()));
  const uint64_t range = std::max(head, left);
  for (uint64_t rank = 0; rank < range; ++rank) {
    if (random.below(range - rank) >= left) continue;
    --left;
    const double rarity = static_cast<double>(rank) / static_cast<double>(range);
    const double typical = kWeakest + (kStrongest - kWeakest) * rarity;
    const double size = typical * (0.5 + random.uniform());
    odds[words[rank]] = random.below(2) == 0 ? size : -size;
  }
  return odds;
}

WordSampler sampler_of_class(std::vector<double> frequencies, const std::vector<double>& odds,
                             double sign) {
  for (size_t j = 0; j < odds.size(); ++j) {
    if (odds[j] != 0) frequencies[j] *= portable::exp(sign / 2 * odds[j]);
  }
  return WordSampler(frequencies);
}

// ln(1 + 1/df), with df the share of average documents that contain the word. Always positive.
std::vector<double> inverse_document_frequencies(std::vector<double> frequencies) {
  for (double& x : frequencies) x = portable::log(1 + 1 / (1 - portable::exp(-kMeanLength * x)));
  return frequencies;
}

// Fills `words` with a document's tokens in ascending order. Each token may repeat an earlier one,
// because real text is bursty: a word used once is likely to be used again.
void draw_document(const WordSampler& sampler, Random& random, std::vector<uint32_t>& words) {
  const double deviation = kLengthSpread * random.normal() - kLengthSpread * kLengthSpread / 2;
  const double length = std::max(1.0, std::round(kMeanLength * portable::exp(deviation)));
  words.clear();
  while (static_cast<double>(words.size()) < length) {
    const bool repeat = !words.empty() && random.uniform() < kRepeat;
    words.push_back(repeat ? words[random.below(words.size())] : sampler.draw(random));
  }
  std::sort(words.begin(), words.end());
}

struct Entry {
  uint32_t word;
  double value;
};

// (1 + ln tf) idf, scaled to unit length.
void weigh(const std::vector<uint32_t>& words, const std::vector<double>& idf,
           std::vector<Entry>& row) {
  row.clear();
  double squares = 0;
  for (auto first = words.begin(); first != words.end();) {
    const auto last =
        std::find_if(first, words.end(), [&](uint32_t word) { return word != *first; });
    const double value = (1 + portable::log(static_cast<double>(last - first))) * idf[*first];
    row.push_back({*first, value});
    squares += value * value;
    first = last;
  }
  for (Entry& entry : row) entry.value /= std::sqrt(squares);
}

void write_names(uint64_t features, const Sink& sink) {
  Chunks names(sink);
  for (uint64_t j = 0; j < features; ++j) {
    fmt::format_to(names.out(), "{}", word_name(j));
    names.end_line();
  }
  names.finish();
}

}  // namespace

Generated generate_corpus(const CorpusOptions& options, const Sink& rows_out,
                          const Sink& names_out) {
  check(options);
  const std::vector<uint32_t> ranked = ranking(options);
  const std::vector<double> frequencies = zipf_frequencies(ranked);
  const std::vector<double> odds = log_odds(options, ranked);
  const std::vector<double> idf = inverse_document_frequencies(frequencies);
  const WordSampler negative = sampler_of_class(frequencies, odds, -1);
  const WordSampler positive = sampler_of_class(frequencies, odds, +1);

  Generated made;
  made.rows = options.rows;
  made.features = options.features;
  for (size_t j = 0; j < odds.size(); ++j) {
    if (odds[j] != 0) made.truth.emplace_back(j + 1, odds[j]);
  }
  if (names_out) write_names(options.features, names_out);

  Random random(options.seed, kDocuments);
  Chunks rows(rows_out);
  std::vector<uint32_t> words;
  std::vector<Entry> row;
  for (uint64_t i = 0; i < options.rows; ++i) {
    const bool truly_positive = random.below(2) == 1;
    const bool labelled_positive = truly_positive != (random.uniform() < options.noise);
    draw_document(truly_positive ? positive : negative, random, words);
    weigh(words, idf, row);
    fmt::format_to(rows.out(), "{}", labelled_positive ? "+1" : "-1");
    for (const Entry& entry : row) {
      fmt::format_to(rows.out(), " {}:{:.6g}", entry.word + uint64_t{1}, entry.value);
    }
    rows.end_line();
    made.positives += labelled_positive ? 1 : 0;
    made.nonzeros += row.size();
  }
  rows.finish();
  return made;
}

}  // namespace thresh
