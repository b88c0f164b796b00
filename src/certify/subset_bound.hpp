// A lower bound for every model of at most K features. With c_i the share of row i in the total
// weight, and s_j the size of feature j,
//
//     P(w, b) = sum_i c_i L(a_i, y_i) + (ridge/2) sum_j s_j w_j^2,   a = X w + b.
//
// Every v with sum_i c_i v_i = 0 (if there is an intercept) gives, with g = sum_i c_i v_i x_i,
//
//     P(w, b) >= D(v) = -sum_i c_i L*(v_i) - 1/2 (the sum of the K largest t_j),
//     t_j = g_j^2 / (ridge s_j)
//
// for all w with at most K non-zeros. docs/certificates.md has the proof. Kept features are always
// in: their t_j is always subtracted, and they take a place of the K if they occur at all.
//
// v are the slopes of the loss at any linear model, the dual point, see point_facts.hpp.
//
// Branch and bound proves more. It divides the models of at most K features into those that have a
// feature and those that have not, these again, and so on: a tree. A node's bound is D with the
// features that it has always subtracted, those that it has not left out, and as many of the others
// as places are left. If every leaf's bound is at least B, so is every model's objective. A node
// may have a dual point of its own; else that of the nearest node above is used.
//
// At a node that is not above B, every feature is tried both ways: if D with one more feature in
// (or out) is at least B, all models of the node that are below B lack (or have) it. So it is fixed
// for the nodes below, without nodes of its own.
//
// s_j is the root mean square of feature j over the training rows. For a table, whose features were
// divided by scales d_j and moved by centres m_j, it is d_j times the root mean square of x_j -
// m_j.
//
// Rounding is accounted for: `objective` is not below the exact one and `bound` not above it, for
// rows and weights as stored. All sums are in long double.
//
// Cost: one pass over the rows, and one for every few hundred dual points, on all cores; some long
// doubles per feature and dual point, of those of one pass, for features that the first dual point
// does not prove to be out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "certify/training_rows.hpp"
#include "data/feed/feature_scales.hpp"

namespace thresh {

struct SubsetProblem {
  Loss loss = Loss::logistic;
  double ridge = 0;
  std::uint64_t features = 0;       // K, with the kept ones
  std::vector<std::uint32_t> kept;  // slots, ascending
  bool intercept = true;
  std::shared_ptr<const FeatureScales> scales = nullptr;  // of a table; or null
};

// A linear model: slots, ascending, and their weights.
struct SlotPoint {
  double intercept = 0;
  std::vector<std::pair<std::uint32_t, double>> weights;
};

// In a list of nodes each is followed by all nodes of its first child, whose models have the
// feature, then by those of its second one.
struct BoundNode {
  std::optional<std::uint32_t> branch;  // the slot of a feature; none: a leaf
  std::optional<SlotPoint> point;
};

struct BoundTree {
  std::vector<BoundNode> nodes;  // none: the dual point alone
  double claimed = 0;            // the bound that it is said to prove
};

struct ProofLimits;  // tree_points.hpp

struct SubsetBound {
  long double objective = 0;  // P of the model, rounded up
  // Rounded down: D, or what the tree proves. That is the claimed bound or more, or the claim is
  // wrong.
  long double bound = 0;
  long double constant = 0;  // P of the best model without features
  // Screening, by the bound with one feature forced in or out: in or out of every best model.
  std::vector<std::uint32_t> proved_in;  // slots, ascending
  std::uint64_t proved_out = 0;          // of the features that occur
  std::uint64_t occurring = 0;           // features that occur in the training rows
};

class SubsetProof {
 public:
  // Reads the rows once. The arguments must outlive this object.
  SubsetProof(const SubsetProblem& problem, const TrainingRows& rows, const SlotWeights& model,
              const SlotPoint& dual);
  ~SubsetProof();
  SubsetProof(const SubsetProof&) = delete;
  SubsetProof& operator=(const SubsetProof&) = delete;

  // What the tree proves, without nodes the dual point alone. Throws CertificateError if the tree
  // is none, and what ProofLimits says.
  SubsetBound of(const BoundTree& tree, const ProofLimits& limits) const;
  SubsetBound of(const BoundTree& tree) const;

 private:
  struct Facts;
  std::unique_ptr<const Facts> facts_;
};

SubsetBound subset_bound(const SubsetProblem& problem, const TrainingRows& rows,
                         const SlotWeights& model, const SlotPoint& dual,
                         const BoundTree& tree = {});

}  // namespace thresh
