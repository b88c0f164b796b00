// Why a model predicts what it predicts: what each feature adds to a row's margin.
//
//     const thresh::Explainer explainer(model);
//     auto rows = thresh::open_rows("new.svm", thresh::read_options_for(model),
//     explainer.features()); thresh::visit_rows(rows, [&](const thresh::RowsRead& read) {
//       for (const thresh::Row& row : read.rows) {
//         for (const thresh::Contribution& c : explainer.explain(row).contributions) ...
//       }
//     });
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "thresh/model.hpp"
#include "thresh/rows.hpp"

namespace thresh {

// A feature that the model uses and the row has.
struct Contribution {
  const Coefficient* feature;  // of the model
  double value;                // of the feature in the row, as the model sees it
  double amount;               // weight times value: what the feature adds to the margin
  bool decisive;               // whether another label is predicted without the feature
};

struct Explanation {
  std::size_t part = 0;         // with more than two classes: the predicted one, its place in
                                // Model::classes; otherwise 0
  double margin = 0;            // the intercept plus all amounts
  std::vector<double> margins;  // more than two classes: one each; otherwise empty
  std::vector<Contribution> contributions;  // by descending magnitude, then by index
};

// How much a feature matters over many rows.
struct FeatureUse {
  const Coefficient* feature;
  std::size_t part = 0;         // as in Explanation
  std::uint64_t rows = 0;       // that have the feature, and where this part was predicted
  std::uint64_t strongest = 0;  // rows in which no feature adds a larger magnitude
  std::uint64_t decisive = 0;   // rows whose label would change without the feature
  double amount = 0;            // sum of what it adds
  double magnitude = 0;         // sum of the magnitudes
};

// The model must outlive the explainer and everything that it returns.
class Explainer {
 public:
  explicit Explainer(const Model& model);
  ~Explainer();
  Explainer(Explainer&&) noexcept;
  Explainer& operator=(Explainer&&) noexcept;

  // Pass this to open_rows() for the rows to explain.
  const std::shared_ptr<FeatureMap>& features() const;
  Explanation explain(const Row& row) const;

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

// Counts explanations. Memory grows with the features of the model, not with the rows.
class FeatureUses {
 public:
  explicit FeatureUses(const Model& model);
  void add(const Explanation& explanation);
  std::uint64_t rows() const { return rows_; }
  // The features that some row had, largest total magnitude first.
  std::vector<FeatureUse> sorted() const;

 private:
  std::vector<std::vector<FeatureUse>> uses_;  // by part, like the coefficients
  std::vector<const Coefficient*> first_;      // the first coefficient of each part
  std::uint64_t rows_ = 0;
};

}  // namespace thresh
