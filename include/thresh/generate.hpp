// Synthetic data sets with known true weights, and noise features for other data. The same options
// give the same bytes on every machine.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace thresh {

using Sink = std::function<void(std::string_view)>;  // receives text in chunks of whole lines

// Summary of the generated data. `positives` counts labels above zero. `truth` holds the non-zero
// true weights as (1-based index, weight), by ascending index.
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
  double noise = 0.02;         // share of labels flipped
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
  std::optional<double> noise;  // share of labels flipped (default 0.1); regression: deviation (1)
  bool regression = false;
};

// Section 7 of Duchi, Shalev-Shwartz, Singer & Chandra, "Efficient projections onto the l1-ball for
// learning in high dimensions" (ICML 2008): normal weights, some set to zero, and normal features.
Generated generate_gaussian(const GaussianOptions& options, const Sink& rows_out);

// The data of Lemma 5 of Shalev-Shwartz & Tewari (JMLR 2011): labels are +1 and -1; each feature
// equals the label with probability 1/2 + 1/(2B), otherwise its negative. With the loss (a - y)^2
// and |w|_1 <= B, a method that changes one weight per step needs at least B^2 / (16 epsilon) steps
// to come within epsilon of the minimum. This holds for epsilon from 0.01 to 0.12 with the default
// number of features and enough rows. The truth is the paper's w_0: every weight is B/d.
struct SingleStepOptions {
  uint64_t rows = 5000;
  uint64_t features = 0;  // 0: 100 (B^2 - 1)
  uint64_t seed = 1;
  double norm = 2;  // B, at least 2
};
Generated generate_single_step(const SingleStepOptions& options, const Sink& rows_out);

// Noise features to append to rows: +1 or -1 in every row (dense), or 1 in one row of twenty
// (sparse). Shalev-Shwartz & Tewari added 1,000 of them for MAGIC04D and MAGIC04S.
struct NoiseOptions {
  uint64_t features = 1000;
  bool dense = false;
  uint64_t seed = 1;
};
class NoiseFeatures {
 public:
  explicit NoiseFeatures(const NoiseOptions& options);
  ~NoiseFeatures();
  // Draws one row. Calls add(j, value) for each non-zero value; j starts at 0.
  void draw(const std::function<void(uint64_t, double)>& add);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The recipe of GISETTE (Guyon et al. 2003) for dense features such as pixels. The informative
// features are those that are non-zero in at least one row of twenty, and products of random pairs
// of them. Each gets a probe: the same values in random row order. All columns are shuffled.
using DenseColumns = std::vector<std::vector<double>>;  // by feature, then by row
class ProbeRecipe {
 public:
  // Chooses `informative` features, or all frequent ones if there are more of these.
  ProbeRecipe(const DenseColumns& train, uint64_t informative, uint64_t seed);
  ~ProbeRecipe();
  // Returns informative features and probes. Probes depend on earlier calls: apply it to the
  // training rows first, then to others.
  DenseColumns apply(const DenseColumns& rows);
  void skip(std::size_t rows);  // replaces a call of apply() with this many rows

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace thresh
