// Branch and bound over the features that the relaxed problem leaves undecided.

#include <algorithm>
#include <cmath>
#include <utility>

#include "train/make_solver.hpp"
#include "train/relax.hpp"

namespace thresh {
namespace {

constexpr double kReserve = 0.02;  // of the aim, for digits that the certificate leaves out

// Processor time that a dual point costs the certificate: more than was measured, so that some is
// left.
double check_seconds(const SupportMatrix& rows) {
  constexpr double kEntry = 2e-9, kRow = 4e-7, kColumn = 5e-8;
  return kEntry * static_cast<double>(rows.entries()) + kRow * static_cast<double>(rows.rows()) +
         kColumn * static_cast<double>(rows.columns);
}

const char* reason_of(BranchTree::End end) {
  switch (end) {
    case BranchTree::End::time:
      return "the time of --prove-time was over";
    case BranchTree::End::stopped:
      return "it was interrupted";
    case BranchTree::End::memory:
      return "its nodes need more than --memory";
    case BranchTree::End::no_branch:
      return "fits are not exact enough";
    case BranchTree::End::aim:
      break;
  }
  return "";
}

}  // namespace

std::vector<std::uint32_t> BudgetRelaxer::undecided(const Found& found, double aim) const {
  std::vector<double> others;  // the pulls on features that are not required
  const Pulls& pulls = found.pulls;
  for (std::size_t k = 0; k < pulls.slots.size(); ++k) {
    if (!is_required(pulls.slots[k])) others.push_back(pulls.sizes[k]);
  }
  double last = 0;
  if (free_ > 0 && free_ <= others.size()) {
    const auto at = others.begin() + static_cast<std::ptrdiff_t>(free_ - 1);
    std::nth_element(others.begin(), at, others.end(), std::greater<>());
    last = *at;
  }
  std::vector<std::uint32_t> slots;
  for (std::size_t k = 0; k < pulls.slots.size(); ++k) {
    const double size = pulls.sizes[k];
    const double with = found.bound + (last * last - size * size) / (2 * ridge_);
    if (is_required(pulls.slots[k]) || !(with >= aim)) slots.push_back(pulls.slots[k]);
  }
  std::sort(slots.begin(), slots.end());
  return slots;
}

RelaxedBudget::Tree BudgetRelaxer::tree_of(const BranchTree& tree,
                                           const Polish::Gathered& rows) const {
  RelaxedBudget::Tree found;
  found.bound = tree.bound * polish_.target_ * polish_.target_;
  std::vector<std::uint32_t> open{0};
  while (!open.empty()) {
    const BranchTree::Node& node = tree.nodes[open.back()];
    open.pop_back();
    RelaxedBudget::Node& to = found.nodes.emplace_back();
    if (node.point) {
      RidgeModel model{node.point->weights, node.point->intercept, 0};
      std::vector<std::uint32_t> slots;
      for (const std::uint32_t column : node.point->columns) {
        slots.push_back(rows.columns.slots()[column]);
      }
      to.point = polish_.from_gathered(rows, std::move(slots), model);
    }
    to.bound = node.bound * polish_.target_ * polish_.target_;
    // What is proved without its children needs none.
    if (!node.branch || node.bound >= tree.bound) continue;
    to.branch = rows.columns.slots()[*node.branch];
    open.push_back(node.out);
    open.push_back(node.in);
  }
  return found;
}

void BudgetRelaxer::prove(const Found& found, double objective, const Deadline& until,
                          SparseWeights& model, std::size_t part, RelaxedBudget& all) const {
  all.trees.resize(part + 1);
  BranchEnd end;
  end.aim = run_.options.prove * (1 - kReserve);
  end.until = until;
  end.stop = run_.options.stop;
  end.memory = run_.options.memory;
  end.told = [&](std::size_t nodes, double lowest, double bound) {
    run_.observer.on_proof({nodes, lowest, bound});
  };
  const double aim = objective * (1 - end.aim);
  if (found.bound >= aim || polish_.stopped()) return;
  const SparseWeights columns{undecided(found, aim), {}, 0};
  const std::optional<Polish::Gathered> rows =
      polish_.gather({{columns}}, false, polish_.most_entries(false));
  if (!rows) {
    all.unproved.emplace_back("the rows need more than --memory");
    return;
  }
  std::vector<std::uint32_t> kept;
  for (const std::uint32_t slot : required_) kept.push_back(rows->columns.place(slot));
  std::sort(kept.begin(), kept.end());
  SparseWeights here{{}, {}, found.dual.intercept};
  for (std::size_t k = 0; k < found.dual.slots.size(); ++k) {
    if (rows->columns.place(found.dual.slots[k]) == Support::kNone) continue;
    here.slots.push_back(found.dual.slots[k]);
    here.weights.push_back(found.dual.weights[k]);
  }
  const RidgeModel root = polish_.to_gathered(*rows, here);
  BranchPoint point{{}, root.weights, root.intercept};
  for (const std::uint32_t slot : here.slots) point.columns.push_back(rows->columns.place(slot));
  const std::vector<double> targets = polish_.targets_of(rows->train, part);
  end.check_seconds = check_seconds(rows->train);
  const BranchSearch search(rows->train, targets, loss_, run_.options.intercept, ridge_, free_,
                            kept);
  const BranchTree tree = search.run(objective, point, found.bound, end);
  all.trees[part] = tree_of(tree, *rows);
  if (tree.end != BranchTree::End::aim) all.unproved.emplace_back(reason_of(tree.end));
  if (!tree.better) return;
  std::vector<std::uint32_t> slots;
  for (const std::uint32_t column : tree.better->columns) {
    slots.push_back(rows->columns.slots()[column]);
  }
  model = polish_.from_gathered(*rows, std::move(slots), tree.better->model);
}

}  // namespace thresh
