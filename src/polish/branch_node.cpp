// Nodes of branch and bound: their relaxed problems, bounds and screening.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "polish/branch_parts.hpp"
#include "sparse/dense_loops.hpp"

namespace thresh {
namespace {

constexpr int kMostNodeRounds = 6;     // of growing sets of columns
constexpr int kMostNodeSteps = 600;    // of a fit
constexpr std::size_t kAlsoNear = 16;  // columns that enter beside twice the places

}  // namespace

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

std::size_t BranchSearch::free_places(const State& state) const {
  return places_ + kept_.size() - state.in.size();
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
  const std::size_t free = free_places(state);
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
  const std::size_t free = free_places(state);
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
  const std::size_t free = free_places(state);
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
  const std::size_t free = free_places(state);
  for (std::size_t k = 0; k < std::min(free, sizes.size()); ++k) {
    chosen.columns.push_back(sizes[k].second);
  }
  std::sort(chosen.columns.begin(), chosen.columns.end());
  return chosen;
}

// From the relaxed model of the node above, without the columns that are out.
class BranchSearch::NodeFit {
 public:
  NodeFit(const BranchSearch& search, const State& state, double objective, const BranchEnd& end)
      : search_(search),
        state_(state),
        end_(end),
        free_(search.free_places(state)),
        weights_(search.rows_.columns),
        intercept_(state.point->intercept),
        columns_(state.in) {
    inner_.gap = std::min(1e-4, end.aim / 20);
    inner_.most_steps = kMostNodeSteps;
    inner_.stop = end.stop;
    inner_.until = end.until;
    inner_.wanted = branch_aim(objective, end);
    for (std::size_t k = 0; k < state.point->columns.size(); ++k) {
      weights_[state.point->columns[k]] = state.point->weights[k];
    }
    if (free_ == 0) return;
    for (const auto* more : {&state.point->columns, &state.near}) {
      for (const std::uint32_t column : *more) {
        if (!state.out[column]) columns_.push_back(column);
      }
    }
  }

  // The round with the best bound. Columns enter until it is about that of all columns.
  Round run() {
    Round best;
    for (int number = 0; number < kMostNodeRounds; ++number) {
      Round round = next();
      const double relaxed = round.relaxed.model.objective;
      const std::vector<std::uint32_t> more = entering(round);
      if (round.bound > best.bound || number == 0) best = std::move(round);
      if (ends(relaxed, best.bound) || more.empty()) break;
      columns_.insert(columns_.end(), more.begin(), more.end());
    }
    return best;
  }

 private:
  Round next() {
    std::sort(columns_.begin(), columns_.end());
    columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
    RidgeModel start{{}, intercept_, 0};
    for (const std::uint32_t column : columns_) start.weights.push_back(weights_[column]);
    Round round = search_.solve(columns_, state_, std::move(start), inner_);
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      weights_[columns_[k]] = round.relaxed.model.weights[k];
    }
    intercept_ = round.relaxed.model.intercept;
    return round;
  }
  bool ends(double relaxed, double bound) const {
    constexpr double kSmall = 0.1;
    const bool over = (end_.stop != nullptr && end_.stop->load()) || is_over(end_.until);
    return over || bound >= inner_.wanted || relaxed - bound <= inner_.gap * relaxed ||
           relaxed - bound <= kSmall * (inner_.wanted - relaxed);
  }
  std::vector<std::uint32_t> entering(const Round& round) const {
    std::vector<std::uint32_t> more;
    const std::size_t most = free_ > 0 ? 2 * free_ + kAlsoNear : 0;
    for (std::size_t k = 0; k < std::min(round.pulls.size(), most); ++k) {
      const std::uint32_t column = round.pulls[k].second;
      if (!std::binary_search(columns_.begin(), columns_.end(), column)) more.push_back(column);
    }
    return more;
  }

  const BranchSearch& search_;
  const State& state_;
  const BranchEnd& end_;
  std::size_t free_;
  std::vector<double> weights_;
  double intercept_;
  std::vector<std::uint32_t> columns_;
  RelaxationEnd inner_;
};

void BranchSearch::take_point(const Round& best, State& state) const {
  state.bound = best.bound;
  auto point = std::make_shared<BranchPoint>();
  point->intercept = best.relaxed.model.intercept;
  for (std::size_t k = 0; k < best.columns.size(); ++k) {
    const double w = best.relaxed.model.weights[k];
    if (w == 0) continue;
    point->columns.push_back(best.columns[k]);
    point->weights.push_back(w);
  }
  state.point = std::move(point);
  state.near.clear();
  const std::size_t near = free_places(state) + kAlsoNear / 2;
  for (std::size_t k = 0; k < std::min(best.pulls.size(), near); ++k) {
    state.near.push_back(best.pulls[k].second);
  }
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
  const Round best = NodeFit(*this, state, objective, end).run();
  if (const Subset chosen = rounded(best, state); chosen.columns != state.tried) {
    state.tried = chosen.columns;
    if (!chosen.columns.empty()) found.rounded = search_.fit(chosen.columns);
  }
  if (best.bound > state.bound) {
    found.has_point = true;
    take_point(best, state);
    screen(best, branch_aim(objective, end), state);
  }
  found.branch = branch_of(best, state);
  return found;
}

}  // namespace thresh
