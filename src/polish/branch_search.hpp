// Branch and bound for the best model of K features: fixes columns to be in the model or out of it,
// until no model can be better than the best known one by more than a given share.
//
// A node is a set of models: those of at most K columns that have all columns `in` and none that
// are out. Its bound is that of the relaxed problem (relaxation.hpp) with the columns `in` kept and
// those out left away; the slopes behind it, the node's point, say for every other column what the
// bound were with that one fixed, too. Where that is above the aim, the column is fixed the other
// way at once (screening). Nodes with a bound above the aim are closed; of the others the one with
// the lowest bound is divided next, by a column that is neither in nor out of the relaxed model.
//
// Nodes are worked on in groups, on all cores. The size of a group does not depend on the number of
// cores, so neither does the tree, unless its time is over or it is stopped.
//
// Cost per node: a few fits of some dozen columns, and one product of all columns with the rows.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "polish/relaxation.hpp"
#include "polish/subset.hpp"

namespace thresh {

struct BranchEnd {
  double aim = 0.01;                          // the share of the objective that is left open
  Deadline until;                             // ends then,
  double check_seconds = 0;                   // less processor time to check each node's point,
  const std::atomic<bool>* stop = nullptr;    // or once this is true,
  std::size_t memory = std::size_t{1} << 27;  // or once the nodes need more bytes
  // Called between groups with the number of nodes, the objective and the bound so far.
  std::function<void(std::size_t, double, double)> told = {};
};

// A linear model of few columns.
struct BranchPoint {
  std::vector<std::uint32_t> columns;  // ascending
  std::vector<double> weights;
  double intercept = 0;
};

struct BranchTree {
  struct Node {
    double bound = 0;
    std::optional<BranchPoint> point;     // none: that of the nearest node above with one is better
    std::optional<std::uint32_t> branch;  // the column that children fix; none: a leaf
    std::uint32_t in = 0, out = 0;        // the children
  };
  enum class End { aim, time, stopped, memory, no_branch };

  std::vector<Node> nodes;  // the root first
  double bound = 0;         // no model of K columns has an objective below
  End end = End::aim;
  std::optional<Subset> better;  // than the given objective
};

class BranchSearch {
 public:
  // `places` are the columns that a model may have beside the kept ones (ascending). The arguments
  // must outlive this object.
  BranchSearch(const SupportMatrix& rows, std::span<const double> targets, LossFunction loss,
               bool intercept, double ridge, std::size_t places, std::vector<std::uint32_t> kept);

  // From a model's objective, and a point whose bound is already known.
  BranchTree run(double objective, const BranchPoint& root, double bound,
                 const BranchEnd& end) const;

 private:
  struct State;  // of an open node
  struct Job;
  struct Evaluated;
  struct Round;
  class Growth;
  class NodeFit;

  Evaluated evaluate(const Job& job, double objective, const BranchEnd& end) const;
  // The relaxed problem on some columns, and its bound for all that are not out.
  Round solve(const std::vector<std::uint32_t>& columns, const State& state, RidgeModel start,
              const RelaxationEnd& end) const;
  // Makes the relaxed model of the round the node's point.
  void take_point(const Round& best, State& state) const;
  // Fixes columns that the pulls show to be in or out of every model below the aim.
  void screen(const Round& best, double aim, State& state) const;
  std::optional<std::uint32_t> branch_of(const Round& best, const State& state) const;
  Subset rounded(const Round& best, const State& state) const;
  SupportMatrix matrix_of(const std::vector<std::uint32_t>& columns) const;
  std::size_t free_places(const State& state) const;  // that its models fill with other columns
  double pull(std::uint32_t column, std::span<const double> slopes) const;

  const SupportMatrix& rows_;
  std::span<const double> targets_;
  LossFunction loss_;
  bool intercept_;
  double ridge_;
  std::size_t places_;
  std::vector<std::uint32_t> kept_;
  SubsetSearch search_;
  std::vector<std::size_t> starts_;  // by column
  std::vector<std::uint32_t> at_;    // rows
  std::vector<double> values_;
};

}  // namespace thresh
