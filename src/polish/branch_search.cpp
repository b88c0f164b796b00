#include "polish/branch_search.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <memory>
#include <queue>
#include <utility>

#include "polish/branch_parts.hpp"
#include "sparse/parallel.hpp"

namespace thresh {
namespace {

constexpr std::size_t kGroup = 16;       // nodes that are divided at once
constexpr double kWorthSwapping = 1e-9;  // the share by which a model is better than the last

}  // namespace

// The open nodes, by bound, and the tree so far.
class BranchSearch::Growth {
 public:
  Growth(const BranchSearch& search, double objective, const BranchEnd& end)
      : search_(search), objective_(objective), end_(end) {}

  void begin(const BranchPoint& root, double bound) {
    State state;
    state.in = search_.kept_;
    state.out.resize(search_.rows_.columns);
    state.bound = bound;
    state.point = std::make_shared<BranchPoint>(root);
    tree_.nodes.emplace_back();
    put(0, search_.evaluate({&state, Job::kNone, false}, objective_, end_));
  }

  // Divides some nodes. Returns false if none is below the aim, or the end has come.
  bool divide() {
    if (open_.empty() || open_.top().bound >= branch_aim(objective_, end_)) return false;
    if (end_.stop != nullptr && end_.stop->load()) return ends_by(BranchTree::End::stopped);
    if (is_over(check_begins())) return ends_by(BranchTree::End::time);
    if (bytes_ > end_.memory) return ends_by(BranchTree::End::memory);
    if (end_.told) end_.told(tree_.nodes.size(), objective_, open_.top().bound);
    std::vector<Open> group;
    while (group.size() < kGroup && !open_.empty() &&
           open_.top().bound < branch_aim(objective_, end_)) {
      group.push_back(open_.top());
      open_.pop();
    }
    std::vector<Job> jobs;
    for (const Open& node : group) {
      jobs.push_back({node.state.get(), *tree_.nodes[node.number].branch, true});
      jobs.push_back({node.state.get(), *tree_.nodes[node.number].branch, false});
    }
    std::vector<Evaluated> done(jobs.size());
    BranchEnd end = end_;
    end.until = check_begins();
    parallel_for(jobs.size(),
                 [&](std::size_t i) { done[i] = search_.evaluate(jobs[i], objective_, end); });
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const auto child = static_cast<std::uint32_t>(tree_.nodes.size());
      BranchTree::Node& above = tree_.nodes[group[i / 2].number];
      (jobs[i].is_in ? above.in : above.out) = child;
      tree_.nodes.emplace_back();
      put(child, std::move(done[i]));
    }
    for (const Open& node : group) bytes_ -= node.bytes;
    return true;
  }

  BranchTree take() {
    double lowest = branch_aim(objective_, end_);
    while (!open_.empty()) {
      lowest = std::min(lowest, open_.top().bound);
      tree_.nodes[open_.top().number].branch.reset();
      open_.pop();
    }
    for (const BranchTree::Node& node : tree_.nodes) {
      if (!node.branch) lowest = std::min(lowest, node.bound);
    }
    tree_.bound = lowest;
    if (tree_.end == BranchTree::End::aim && lowest < branch_aim(objective_, end_)) {
      tree_.end = BranchTree::End::no_branch;
    }
    return std::move(tree_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Open {
    double bound;
    std::uint32_t number;
    std::size_t bytes;
    std::shared_ptr<const State> state;
    // The lowest bound comes first; of equal ones the oldest.
    bool operator<(const Open& other) const {
      return bound != other.bound ? bound > other.bound : number > other.number;
    }
  };

  // When the points so far must be checked to be done by the end, with as much of the processors as
  // the search has got.
  Deadline check_begins() const {
    if (!end_.until) return std::nullopt;
    const std::chrono::duration<double> passed = Clock::now() - start_;
    const double used = static_cast<double>(std::clock() - start_clock_) / CLOCKS_PER_SEC;
    const double share = passed.count() / std::max(used, 1e-3 * passed.count() + 1e-9);
    constexpr double kEnding = 0.02;  // of the time, for what ends late
    const std::chrono::duration<double> all = *end_.until - start_;
    const std::chrono::duration<double> needed(
        end_.check_seconds * share * static_cast<double>(points_) + kEnding * all.count());
    return *end_.until - std::chrono::duration_cast<Clock::duration>(needed);
  }

  bool ends_by(BranchTree::End why) {
    tree_.end = why;
    return false;
  }

  void put(std::uint32_t number, Evaluated done) {
    if (done.rounded && done.rounded->model.objective < objective_ * (1 - kWorthSwapping)) {
      Subset better = search_.search_.swap(std::move(*done.rounded));
      objective_ = better.model.objective;
      tree_.better = std::move(better);
    }
    BranchTree::Node& node = tree_.nodes[number];
    node.bound = done.state.bound;
    if (done.has_point) {
      node.point = *done.state.point;
      ++points_;
    }
    bytes_ += sizeof node + 12 * done.state.point->columns.size();
    if (node.bound >= branch_aim(objective_, end_) || !done.branch) return;
    node.branch = done.branch;
    const std::size_t bytes =
        sizeof(State) + done.state.out.size() / 8 +
        4 * (done.state.in.size() + done.state.near.size() + done.state.tried.size()) +
        16 * done.state.point->columns.size();
    bytes_ += bytes;
    open_.push({node.bound, number, bytes, std::make_shared<const State>(std::move(done.state))});
  }

  const BranchSearch& search_;
  double objective_;
  const BranchEnd& end_;
  BranchTree tree_;
  std::priority_queue<Open> open_;
  std::size_t bytes_ = 0, points_ = 0;
  Clock::time_point start_ = Clock::now();
  std::clock_t start_clock_ = std::clock();
};

BranchTree BranchSearch::run(double objective, const BranchPoint& root, double bound,
                             const BranchEnd& end) const {
  Growth growth(*this, objective, end);
  growth.begin(root, bound);
  while (growth.divide()) {
  }
  return growth.take();
}

}  // namespace thresh
