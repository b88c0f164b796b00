#include "certify/replay.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace thresh {
namespace {

// Dot2 of Ogita, Rump & Oishi: to the bit what --compensated promises.
double dot2(const ZeroedArray<double>& weights, const Row& row) {
  double sum = 0, errors = 0;
  for (std::size_t i = 0; i < row.size; ++i) {
    const double weight = weights[row.slots[i]], value = row.values[i];
    const double product = weight * value, before = sum;
    sum = before + product;
    const double added = sum - before;
    const double of_sum = (before - (sum - added)) + (product - added);
    errors += of_sum + std::fma(weight, value, -product);
  }
  return std::isfinite(sum) ? sum + errors : sum;
}

double plain_dot(const ZeroedArray<double>& weights, const Row& row) {
  double sum = 0;
  for (std::size_t i = 0; i < row.size; ++i) sum += weights[row.slots[i]] * row.values[i];
  return sum;
}

double add_up(const std::vector<double>& sums, std::size_t begin, std::size_t end) {
  if (end - begin == 1) return sums[begin];
  const std::size_t middle = (begin + end) / 2;
  return add_up(sums, begin, middle) + add_up(sums, middle, end);
}

// What --slices promises: a sum for each slice, in the row's order, then the sums of halves.
double sliced_dot(const ZeroedArray<double>& weights, const Row& row, const FeatureMap& features,
                  std::uint64_t slices) {
  std::vector<double> sums(slices);
  for (std::size_t i = 0; i < row.size; ++i) {
    sums[slice_of(features.id(row.slots[i]), slices)] += weights[row.slots[i]] * row.values[i];
  }
  return add_up(sums, 0, slices);
}

class Learner {
 public:
  Learner(const PerceptronOptions& options, const FeatureMap& features)
      : options_(options),
        features_(features),
        eta_square_(static_cast<long double>(options.eta) * options.eta) {}

  void ensure_slots(std::size_t n) { run_.weights.ensure(n); }

  void visit(Row row, double target, bool may_learn) {
    row.label = target;
    ++visited_;
    if (!may_learn) return;
    const double sum = dot_of(row);
    if (row.label * (sum + run_.intercept) > options_.tau) return;
    note(learn(row));
    if (row.id >= run_.compression_set.size()) run_.compression_set.resize(row.id + 1);
    run_.compression_set[row.id] = true;
  }

  std::uint64_t visited() const { return visited_; }
  std::uint64_t updates() const { return run_.updates; }

  Replay finish() {
    if (!run_.epsilons.empty() && run_.epsilons.back().update != last_.update) {
      run_.epsilons.push_back(last_);
    }
    run_.visited = visited_;
    return std::move(run_);
  }

 private:
  double dot_of(const Row& row) const {
    if (options_.slices > 0) return sliced_dot(run_.weights, row, features_, options_.slices);
    return options_.compensated ? dot2(run_.weights, row) : plain_dot(run_.weights, row);
  }

  double step() const {
    const auto t = static_cast<double>(visited_);
    if (options_.schedule == Schedule::sqrt) return options_.eta / std::sqrt(t);
    return options_.schedule == Schedule::inverse ? options_.eta / t : options_.eta;
  }

  // The epsilon of the update.
  long double learn(const Row& row) {
    const double by = step() * row.weight * row.label;
    const double lambda = options_.lambda;
    long double epsilon = 0;
    for (std::size_t i = 0; i < row.size; ++i) {
      double& weight = run_.weights[row.slots[i]];
      const double moved = weight + by * row.values[i];
      const long double size = std::fabs(moved);
      epsilon += size * std::min<long double>(size, lambda);
      square_ -= static_cast<long double>(weight) * weight;
      weight = std::fabs(moved) > lambda ? std::copysign(std::fabs(moved) - lambda, moved) : 0;
      square_ += static_cast<long double>(weight) * weight;
    }
    if (options_.intercept) run_.intercept += by;
    return epsilon;
  }

  void note(long double epsilon) {
    last_ = {++run_.updates, static_cast<double>(epsilon / eta_square_)};
    if (std::has_single_bit(last_.update)) run_.epsilons.push_back(last_);
    if (last_.update == 1 || last_.value < run_.least.value) run_.least = last_;
    run_.short_of_tau += 2 * options_.tau / options_.eta > last_.value ? 1 : 0;
    const long double norm = square_ + static_cast<long double>(run_.intercept) * run_.intercept;
    run_.largest_growth = std::max(run_.largest_growth, norm / eta_square_ / last_.update);
  }

  const PerceptronOptions& options_;
  const FeatureMap& features_;
  long double eta_square_;
  Replay run_;
  Replay::Epsilon last_{0, 0};
  std::uint64_t visited_ = 0;
  long double square_ = 0;  // |w|^2, the intercept aside
};

}  // namespace

PerceptronOptions::PerceptronOptions(const Model& model) : intercept(model.has_intercept) {
  const Record& options = model.options;
  eta = options.at("eta").number();
  lambda = options.at("lambda").number();
  tau = options.at("tau").number();
  schedule = schedule_named(options.at("schedule").text()).value_or(Schedule::constant);
  const std::string& visits = options.at("order").text();
  order = visits == "shuffle"       ? Order::shuffle
          : visits == "replacement" ? Order::replacement
                                    : Order::sequential;
  seed = options.at("seed").count();
  compensated = options.value("compensated", false).flag();
  const double wanted = options.value("slices", 0.0).number();
  if (!(wanted >= 0 && wanted <= kMostSlices)) throw RecordError("slices");
  slices = static_cast<std::uint64_t>(wanted);
  if (options.has("steps")) {
    steps = options.at("steps").count();
  } else {
    passes = options.at("passes").count();
  }
}

Replay replay(const TrainingRows& rows, const PerceptronOptions& options,
              const std::function<bool(std::uint64_t id)>& may_learn, std::uint64_t updates) {
  constexpr std::uint64_t kEndless = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t steps = options.steps > 0 ? options.steps : kEndless;
  const std::uint64_t passes = options.steps > 0 ? kEndless : options.passes;
  Feeder feeder(
      rows.source, rows.view,
      {.order = options.order, .seed = options.seed, .passes = passes, .memory = Options().memory});
  Learner learner(options, *rows.features);
  std::uint64_t before = 0;  // updates at the start of the pass
  for (Window window; learner.updates() < updates && feeder.next(window);) {
    learner.ensure_slots(window.slot_end);
    for (const Row& row : window.rows) {
      if (learner.updates() == updates || learner.visited() == steps) return learner.finish();
      learner.visit(row, rows.target(row), may_learn(row.id));
    }
    if (!window.ends_pass) continue;
    // As in training: draws with replacement miss many rows of a pass.
    if (learner.updates() == before && options.order != Order::replacement) break;
    before = learner.updates();
  }
  return learner.finish();
}

bool Replay::gives(const Model& model, const FeatureMap& features) const {
  std::vector<std::pair<std::uint64_t, double>> found;
  for (std::size_t slot = 0; slot < weights.size(); ++slot) {
    if (weights[slot] == 0) continue;
    const std::uint64_t id = features.id(static_cast<std::uint32_t>(slot));
    found.emplace_back(id + (model.zero_based ? 0 : 1), weights[slot]);
  }
  std::sort(found.begin(), found.end());
  const auto same = [](const auto& mine, const Coefficient& theirs) {
    return mine.first == theirs.index && mine.second == theirs.weight;
  };
  return intercept == model.intercept &&
         std::equal(found.begin(), found.end(), model.coefficients.begin(),
                    model.coefficients.end(), same);
}

}  // namespace thresh
