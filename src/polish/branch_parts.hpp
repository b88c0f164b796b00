// What a node of branch_search.hpp consists of.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "polish/branch_search.hpp"

namespace thresh {

// A node with this bound needs no children.
inline double branch_aim(double objective, const BranchEnd& end) {
  return objective * (1 - end.aim);
}

struct BranchSearch::State {
  std::vector<std::uint32_t> in;     // ascending; the kept ones are among them
  std::vector<bool> out;             // by column
  std::vector<std::uint32_t> near;   // columns outside the point with the strongest pulls
  std::vector<std::uint32_t> tried;  // the rounded model of the node, or of the one above
  std::shared_ptr<const BranchPoint> point;
  double bound = 0;

  bool has(std::uint32_t column) const { return std::binary_search(in.begin(), in.end(), column); }
  void take(std::uint32_t column) {
    in.insert(std::lower_bound(in.begin(), in.end(), column), column);
  }
};

struct BranchSearch::Job {
  const State* from;
  std::uint32_t column;  // to fix; kNone: nothing
  bool is_in;
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
};

struct BranchSearch::Evaluated {
  State state;
  bool has_point = false;  // its own, better than the one above
  std::optional<std::uint32_t> branch;
  std::optional<Subset> rounded;
};

struct BranchSearch::Round {
  std::vector<std::uint32_t> columns;
  RelaxedModel relaxed;
  std::vector<std::pair<double, std::uint32_t>> pulls;  // squares, of the free columns
  double bound = -std::numeric_limits<double>::infinity();
};

}  // namespace thresh
