// A model of a feature budget and its relaxed problem over all features: gives a dual point, from
// which `certify` computes a bound for every model of that many features, and perhaps better
// features. See polish/relaxation.hpp.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "polish/branch_search.hpp"
#include "polish/relaxation.hpp"
#include "sparse/zeroed_array.hpp"
#include "train/polish.hpp"

namespace thresh {

struct RelaxedBudget {
  ModelParts model;  // the given one, or one with a lower objective
  ModelParts dual;   // of each part
  double ridge = 0;  // of the certified objective: per unit of the rows' values
  double slack = 0;  // by how much better dual points could lift the bounds, as a share
  // By part, with Options::prove. Weights are those of the run, for Run to convert.
  struct Node {
    std::optional<std::uint32_t> branch;  // a slot
    std::optional<SparseWeights> point;
    double bound = 0;  // for the sum of losses
  };
  struct Tree {
    std::vector<Node> nodes;  // each before its children; empty: the dual point is enough
    double bound = 0;         // for the sum of losses
  };
  std::vector<Tree> trees;
  double seconds_left = 0;            // of Options::prove_seconds
  std::vector<std::string> unproved;  // why branch and bound ended early
};

// Only some columns are in memory, the working set. Each round solves the relaxed problem on these,
// then streams all rows once for the pulls of all features. The features with the strongest pulls
// enter. Once the bound of all features meets the relaxed optimum, or none helps, the rounds end.
class BudgetRelaxer {
 public:
  // The arguments must outlive this object.
  BudgetRelaxer(const RunContext& run, const Polish& polish, double ridge);

  RelaxedBudget relax(const ModelParts& model) const;

 private:
  // The pulls on all columns, scaled as the fits have them.
  struct Pulls {
    std::vector<std::uint32_t> slots;  // that occur, by feature
    std::vector<double> sizes;
    double dual = 0;  // the squares of the K largest, and of required ones
  };
  struct Round {
    Polish::Gathered rows;
    RelaxedModel relaxed;
    SparseWeights model;  // the same, on all columns of the round
    double bound;         // for models of all features
    Pulls pulls;
    double visits;  // of entries
  };
  struct Found {
    SparseWeights dual;
    double bound = -std::numeric_limits<double>::infinity();
    double relaxed = 0;  // the objective of the last round: no bound is higher
    std::optional<Round> last;
    Pulls pulls;  // at the dual point
  };
  struct Better {
    SparseWeights model;
    double objective;
  };

  Found search(const SparseWeights& model, std::size_t part) const;
  // With at most this many entries in memory, and about this many visits of them.
  std::optional<Round> run_round(const SparseWeights& start, std::size_t part, double gap,
                                 std::size_t most, double visits) const;
  Pulls pulls_of(std::span<const double> slopes) const;
  SparseWeights next_columns(const Round& round, std::size_t enter) const;
  // The K largest relaxed weights, fitted, if that is better than the model.
  Better better_of(const SparseWeights& model, const Round& round, std::size_t part) const;
  bool is_required(std::uint32_t slot) const;
  // Branch and bound, from the bound found so far; replaces the model if it meets a better one.
  void prove(const Found& found, double objective, const Deadline& until, SparseWeights& model,
             std::size_t part, RelaxedBudget& all) const;
  // The features that some model below the aim may have.
  std::vector<std::uint32_t> undecided(const Found& found, double aim) const;
  RelaxedBudget::Tree tree_of(const BranchTree& tree, const Polish::Gathered& rows) const;

  const RunContext& run_;
  const Polish& polish_;
  double ridge_;
  LossFunction loss_;
  std::vector<std::uint32_t> required_;  // slots, ascending
  std::size_t free_;                     // features beside the required ones
  ZeroedArray<double> sizes_;            // by slot
};

}  // namespace thresh
