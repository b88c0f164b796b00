#include "polish/branch_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <queue>
#include <utility>

#include "sparse/dense_loops.hpp"
#include "sparse/parallel.hpp"

namespace thresh {
namespace {

constexpr std::size_t kGroup = 16;       // nodes that are divided at once
constexpr int kMostNodeRounds = 6;       // of growing sets of columns
constexpr int kMostNodeSteps = 600;      // of a fit
constexpr std::size_t kAlsoNear = 16;    // columns that enter beside twice the places
constexpr double kWorthSwapping = 1e-9;  // the share by which a model is better than the last

double aim_of(double objective, const BranchEnd& end) {
  return objective * (1 - end.aim);
}

}  // namespace

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

BranchSearch::BranchSearch(const SupportMatrix& rows, std::span<const double> targets,
                           LossFunction loss, bool intercept, double ridge, std::size_t places,
                           std::vector<std::uint32_t> kept)
    : rows_(rows),
      targets_(targets),
      loss_(loss),
      intercept_(intercept),
      ridge_(ridge),
      places_(places),
      kept_(std::move(kept)),
      search_(rows, targets, loss, intercept, ridge, kept_),
      starts_(rows.columns + 1),
      at_(rows.entries()),
      values_(rows.entries()) {
  for (const std::uint32_t column : rows.at) ++starts_[column + std::size_t{1}];
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
  for (std::uint32_t i = 0; i < rows.rows(); ++i) {
    const SparseVector row = rows.row(i);
    for (std::size_t k = 0; k < row.size; ++k) {
      const std::size_t to = next[row.at[k]]++;
      at_[to] = i;
      values_[to] = row.values[k];
    }
  }
}

bool BranchSearch::is_kept(std::uint32_t column) const {
  return std::binary_search(kept_.begin(), kept_.end(), column);
}

SupportMatrix BranchSearch::matrix_of(const std::vector<std::uint32_t>& columns) const {
  SupportMatrix part;
  part.columns = columns.size();
  part.labels = rows_.labels;
  part.weights = rows_.weights;
  part.starts.assign(rows_.rows() + 1, 0);
  for (const std::uint32_t column : columns) {
    for (std::size_t k = starts_[column]; k < starts_[column + std::size_t{1}]; ++k) {
      ++part.starts[at_[k] + std::size_t{1}];
    }
  }
  std::partial_sum(part.starts.begin(), part.starts.end(), part.starts.begin());
  part.at.resize(part.starts.back());
  part.values.resize(part.starts.back());
  std::vector<std::size_t> next(part.starts.begin(), part.starts.end() - 1);
  for (std::uint32_t place = 0; place < columns.size(); ++place) {
    const std::uint32_t column = columns[place];
    for (std::size_t k = starts_[column]; k < starts_[column + std::size_t{1}]; ++k) {
      const std::size_t to = next[at_[k]]++;
      part.at[to] = place;
      part.values[to] = values_[k];
    }
  }
  return part;
}

double BranchSearch::pull(std::uint32_t column, std::span<const double> slopes) const {
  const std::size_t first = starts_[column], size = starts_[column + std::size_t{1}] - first;
  const double* const x = values_.data() + first;
  if (size == slopes.size()) {
    return sum_in_four(size, [&](std::size_t k) { return slopes[k] * x[k]; });
  }
  const std::uint32_t* const at = at_.data() + first;
  return sum_in_four(size, [&](std::size_t k) { return slopes[at[k]] * x[k]; });
}

BranchSearch::Round BranchSearch::solve(const std::vector<std::uint32_t>& columns,
                                        const State& state, RidgeModel start,
                                        const RelaxationEnd& end) const {
  Round round;
  round.columns = columns;
  const SupportMatrix matrix = matrix_of(columns);
  std::vector<char> fixed;
  for (const std::uint32_t column : columns) fixed.push_back(state.has(column) ? 1 : 0);
  const std::size_t free = places_ + kept_.size() - state.in.size();
  const Relaxation problem(matrix, targets_, loss_, intercept_, ridge_, SupportNorm(free, fixed));
  round.relaxed = problem.fit(std::move(start), end);
  double sum = 0;
  for (std::uint32_t column = 0; column < rows_.columns; ++column) {
    if (state.out[column]) continue;
    const double g = pull(column, round.relaxed.slopes);
    if (state.has(column)) {
      sum += g * g;
    } else {
      round.pulls.emplace_back(g * g, column);
    }
  }
  // The strongest first; more than are counted, as screening and the next round need them.
  const std::size_t sorted = std::min(round.pulls.size(), 3 * free + kAlsoNear);
  std::partial_sort(round.pulls.begin(), round.pulls.begin() + static_cast<std::ptrdiff_t>(sorted),
                    round.pulls.end(), [](const auto& a, const auto& b) {
                      return a.first != b.first ? a.first > b.first : a.second < b.second;
                    });
  for (std::size_t k = 0; k < std::min(free, round.pulls.size()); ++k) sum += round.pulls[k].first;
  round.bound = round.relaxed.conjugates - sum / (2 * ridge_);
  return round;
}

void BranchSearch::screen(const Round& best, double aim, State& state) const {
  const std::size_t free = places_ + kept_.size() - state.in.size();
  if (free == 0 || free >= best.pulls.size() || best.bound >= aim) return;
  const double last = best.pulls[free - 1].first, next = best.pulls[free].first;
  const double away = 2 * ridge_ * (aim - best.bound);
  for (std::size_t k = 0; k < best.pulls.size(); ++k) {
    const auto& [square, column] = best.pulls[k];
    // One place stays free, for a branch: its node is fitted anew with what is fixed here.
    if (k < free && square - next >= away && state.in.size() + 1 < places_ + kept_.size()) {
      state.take(column);
    } else if (k >= free && last - square >= away) {
      state.out[column] = true;
    }
  }
}

std::optional<std::uint32_t> BranchSearch::branch_of(const Round& best, const State& state) const {
  const std::size_t free = places_ + kept_.size() - state.in.size();
  if (free == 0) return std::nullopt;
  std::vector<char> fixed;
  for (const std::uint32_t column : best.columns) fixed.push_back(state.has(column) ? 1 : 0);
  const std::vector<double>& w = best.relaxed.model.weights;
  const SupportNorm::Pieces pieces = SupportNorm(free, fixed).pieces(w);
  for (const auto* columns : {&pieces.shared, &pieces.whole}) {
    std::optional<std::uint32_t> found;
    double largest = 0;
    for (const std::uint32_t k : *columns) {
      const std::uint32_t column = best.columns[k];
      if (state.has(column) || state.out[column] || !(std::fabs(w[k]) > largest)) continue;
      largest = std::fabs(w[k]);
      found = column;
    }
    if (found) return found;
  }
  for (const auto& [square, column] : best.pulls) {
    if (square > 0 && !state.has(column) && !state.out[column]) return column;
  }
  return std::nullopt;
}

Subset BranchSearch::rounded(const Round& best, const State& state) const {
  std::vector<std::pair<double, std::uint32_t>> sizes;
  for (std::size_t k = 0; k < best.columns.size(); ++k) {
    const double size = std::fabs(best.relaxed.model.weights[k]);
    if (size > 0 && !state.has(best.columns[k])) sizes.emplace_back(-size, best.columns[k]);
  }
  std::sort(sizes.begin(), sizes.end());
  Subset chosen;
  chosen.columns = state.in;
  const std::size_t free = places_ + kept_.size() - state.in.size();
  for (std::size_t k = 0; k < std::min(free, sizes.size()); ++k) {
    chosen.columns.push_back(sizes[k].second);
  }
  std::sort(chosen.columns.begin(), chosen.columns.end());
  return chosen;
}

BranchSearch::Evaluated BranchSearch::evaluate(const Job& job, double objective,
                                               const BranchEnd& end) const {
  Evaluated found;
  State& state = found.state = *job.from;
  if (job.column != Job::kNone) {
    if (job.is_in) {
      state.take(job.column);
    } else {
      state.out[job.column] = true;
    }
  }
  const double aim = aim_of(objective, end);
  RelaxationEnd inner;
  inner.gap = std::min(1e-4, end.aim / 20);
  inner.most_steps = kMostNodeSteps;
  inner.stop = end.stop;
  inner.until = end.until;
  inner.wanted = aim;
  std::vector<std::uint32_t> columns = state.in;
  const std::size_t free = places_ + kept_.size() - state.in.size();
  const auto add = [&](std::uint32_t column) {
    if (free > 0 && !state.out[column]) columns.push_back(column);
  };
  for (const std::uint32_t column : state.point->columns) add(column);
  for (const std::uint32_t column : state.near) add(column);
  RidgeModel start;
  std::vector<double> weights(rows_.columns);
  start.intercept = state.point->intercept;
  for (std::size_t k = 0; k < state.point->columns.size(); ++k) {
    weights[state.point->columns[k]] = state.point->weights[k];
  }
  std::optional<Round> best;
  for (int number = 0; number < kMostNodeRounds; ++number) {
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    start.weights.clear();
    for (const std::uint32_t column : columns) start.weights.push_back(weights[column]);
    Round round = solve(columns, state, start, inner);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      weights[columns[k]] = round.relaxed.model.weights[k];
    }
    start.intercept = round.relaxed.model.intercept;
    const double relaxed = round.relaxed.model.objective;
    const std::size_t had = columns.size();
    if (!best || round.bound > best->bound) best = std::move(round);
    const bool over = (end.stop != nullptr && end.stop->load()) || is_over(end.until);
    if (over || best->bound >= aim || relaxed - best->bound <= inner.gap * relaxed ||
        relaxed - best->bound <= 0.1 * (aim - relaxed)) {
      break;
    }
    std::vector<std::uint32_t> more;
    const Round& last = round.pulls.empty() ? *best : round;
    for (std::size_t k = 0; free > 0 && k < std::min(last.pulls.size(), 2 * free + kAlsoNear);
         ++k) {
      const std::uint32_t column = last.pulls[k].second;
      if (!std::binary_search(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(had),
                              column)) {
        more.push_back(column);
      }
    }
    if (more.empty()) break;
    columns.insert(columns.end(), more.begin(), more.end());
  }
  if (const Subset chosen = rounded(*best, state); chosen.columns != state.tried) {
    state.tried = chosen.columns;
    if (!chosen.columns.empty()) found.rounded = search_.fit(chosen.columns);
  }
  if (best->bound > state.bound) {
    found.has_point = true;
    state.bound = best->bound;
    auto point = std::make_shared<BranchPoint>();
    point->intercept = best->relaxed.model.intercept;
    for (std::size_t k = 0; k < best->columns.size(); ++k) {
      const double w = best->relaxed.model.weights[k];
      if (w == 0) continue;
      point->columns.push_back(best->columns[k]);
      point->weights.push_back(w);
    }
    state.point = std::move(point);
    state.near.clear();
    for (std::size_t k = 0; k < std::min(best->pulls.size(), free + kAlsoNear / 2); ++k) {
      state.near.push_back(best->pulls[k].second);
    }
    screen(*best, aim, state);
  }
  found.branch = branch_of(*best, state);
  return found;
}

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
    if (open_.empty() || open_.top().bound >= aim_of(objective_, end_)) return false;
    if (end_.stop != nullptr && end_.stop->load()) return ends_by(BranchTree::End::stopped);
    if (is_over(end_.until)) return ends_by(BranchTree::End::time);
    if (bytes_ > end_.memory) return ends_by(BranchTree::End::memory);
    if (end_.told) end_.told(tree_.nodes.size(), objective_, open_.top().bound);
    std::vector<Open> group;
    while (group.size() < kGroup && !open_.empty() &&
           open_.top().bound < aim_of(objective_, end_)) {
      group.push_back(open_.top());
      open_.pop();
    }
    std::vector<Job> jobs;
    for (const Open& node : group) {
      jobs.push_back({node.state.get(), *tree_.nodes[node.number].branch, true});
      jobs.push_back({node.state.get(), *tree_.nodes[node.number].branch, false});
    }
    std::vector<Evaluated> done(jobs.size());
    parallel_for(jobs.size(),
                 [&](std::size_t i) { done[i] = search_.evaluate(jobs[i], objective_, end_); });
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
    double lowest = aim_of(objective_, end_);
    while (!open_.empty()) {
      lowest = std::min(lowest, open_.top().bound);
      tree_.nodes[open_.top().number].branch.reset();
      open_.pop();
    }
    for (const BranchTree::Node& node : tree_.nodes) {
      if (!node.branch) lowest = std::min(lowest, node.bound);
    }
    tree_.bound = lowest;
    if (tree_.end == BranchTree::End::aim && lowest < aim_of(objective_, end_)) {
      tree_.end = BranchTree::End::no_branch;
    }
    return std::move(tree_);
  }

 private:
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
    if (done.has_point) node.point = *done.state.point;
    bytes_ += sizeof node + 12 * done.state.point->columns.size();
    if (node.bound >= aim_of(objective_, end_) || !done.branch) return;
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
  std::size_t bytes_ = 0;
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
