#include "certify/cut_proof.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace thresh {
namespace {

// The bound of the node above each; that of the root is below all.
std::vector<double> bounds_above(const Proof& proof) {
  std::vector<double> above, open{-std::numeric_limits<double>::infinity()};
  for (const ProofNode& node : proof.nodes) {
    above.push_back(open.back());
    open.pop_back();
    if (node.branch) open.insert(open.end(), 2, node.bound);
  }
  return above;
}

}  // namespace

// A node that is divided stays divided if its bound is below some limit, so every leaf of the
// smaller tree has a bound of at least that limit, or of the whole proof.
Proof cut_proof(const Proof& proof, std::size_t points) {
  const std::vector<double> above = bounds_above(proof);
  std::vector<double> of_points;
  for (std::size_t i = 0; i < above.size(); ++i) {
    if (proof.nodes[i].has_point) of_points.push_back(above[i]);
  }
  points = std::max<std::size_t>(points, 1);
  if (of_points.size() <= points) return proof;
  const auto at = of_points.begin() + static_cast<std::ptrdiff_t>(points);
  std::nth_element(of_points.begin(), at, of_points.end());
  Proof smaller;
  smaller.bound = std::min(proof.bound, *at);
  for (std::size_t i = 0; i < above.size(); ++i) {
    if (above[i] >= *at) continue;
    ProofNode& node = smaller.nodes.emplace_back(proof.nodes[i]);
    if (node.bound >= *at) node.branch.reset();
  }
  return smaller;
}

}  // namespace thresh
