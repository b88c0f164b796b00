// Synthetic data sets with a known sparse truth: a text-like corpus and the dense Gaussian problem
// of the l1 literature. The same options give the same bytes on every machine.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace thresh {

using Sink = std::function<void(std::string_view)>;  // receives text in chunks of whole lines

// What was written. `positives` counts the labels above zero; `truth` is the model behind the
// labels: 1-based index and weight, in ascending order, without the zeros.
struct Generated {
  uint64_t rows = 0;
  uint64_t features = 0;
  uint64_t nonzeros = 0;
  uint64_t positives = 0;
  std::vector<std::pair<uint64_t, double>> truth;
};

struct CorpusOptions {
  uint64_t rows = 20000;
  uint64_t features = 50000;
  uint64_t seed = 1;
  double noise = 0.02;         // share of the labels flipped
  uint64_t informative = 600;  // words that differ between the classes; at most `features` count
};

// Documents of two classes over a Zipf vocabulary, as libsvm rows of unit-length tf-idf values with
// labels +1 and -1. Line i of the names is the name of feature i; `names_out` may be empty. A
// larger `rows` only appends rows, so a test set can be the tail of a longer corpus.
Generated generate_corpus(const CorpusOptions& options, const Sink& rows_out,
                          const Sink& names_out);

struct GaussianOptions {
  uint64_t rows = 800;
  uint64_t features = 800;
  uint64_t seed = 1;
  double zeros = 0.5;           // share of the true weights that are zero
  std::optional<double> noise;  // share of labels flipped (0.1); in regression the deviation (1)
  bool regression = false;
};

// Section 7 of Duchi, Shalev-Shwartz, Singer & Chandra, "Efficient projections onto the l1-ball for
// learning in high dimensions" (ICML 2008): normal weights, some set to zero, and normal features.
Generated generate_gaussian(const GaussianOptions& options, const Sink& rows_out);

}  // namespace thresh
