#include "train/run_log.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "cluster/slice_sums.hpp"

namespace thresh {
namespace {

constexpr int kSmallest = -1074;  // of a double
constexpr int kLargest = 1023;
constexpr int kWithin = 51;  // what a double's sum still notices, as Xie et al. have it

struct Sums {
  double total = 0, within = 0, exponents = 0, squares = 0;

  // Of all ranks together.
  void add(const WeightArray& weights, const FeatureMap& features) {
    std::array<std::uint64_t, kLargest - kSmallest + 1> counts{};
    for (std::size_t slot = 0; slot < weights.size(); ++slot) {
      const double weight = weights[slot];
      if (weight == 0 || !std::isfinite(weight)) continue;
      ++counts[static_cast<std::size_t>(std::ilogb(weight) - kSmallest)];
    }
    add_up_on_all_ranks(features, counts);
    int largest = kLargest;
    while (largest > kSmallest && counts[static_cast<std::size_t>(largest - kSmallest)] == 0) {
      --largest;
    }
    for (int exponent = kSmallest; exponent <= largest; ++exponent) {
      const auto count =
          static_cast<double>(counts[static_cast<std::size_t>(exponent - kSmallest)]);
      total += count;
      if (exponent >= largest - kWithin) within += count;
      exponents += count * exponent;
      squares += count * exponent * exponent;
    }
  }
};

// Of the settled weights; each class has a largest one of its own. None if all are zero.
std::optional<WeightExponents> weight_exponents(const Solver& solver, const FeatureMap& features) {
  Sums sums;
  if (solver.parts().empty()) sums.add(solver.state().weights, features);
  for (const auto& part : solver.parts()) sums.add(part->state().weights, features);
  if (sums.total == 0) return std::nullopt;
  const double mean = sums.exponents / sums.total;
  const double variance = std::max(0.0, sums.squares / sums.total - mean * mean);
  return WeightExponents{sums.within / sums.total, mean, std::sqrt(variance)};
}

}  // namespace

RunLog::RunLog(RunContext& run, Guard& guard)
    : marks(run.options.trace, run.setup.dimension), run_(run), guard_(guard) {
  progress.expected_examples =
      run.last_step().value_or(run.setup.training_rows * run.options.passes);
  progress.dimension = run.dimension();
}

void RunLog::start_pass() {
  pass_start_examples_ = state().examples;
  pass_start_updates_ = state().updates;
  pass_start_mistakes_ = state().mistakes;
}

void RunLog::archive_pass(Archive& a) {
  a(densest_, pass_start_examples_, pass_start_updates_, pass_start_mistakes_);
  a.require(!a.reads() || pass_start_examples_ <= state().examples);
}

void RunLog::archive(Archive& a) {
  auto learning = learning_.count();
  a(progress, trace_, learning);
  archive_pass(a);
  if (!a.reads()) return;
  learning_ = Clock::duration(learning);
  for (const TracePoint& point : trace_) run_.observer.on_trace(point);
}

void RunLog::report(bool always) {
  Solver& solver = guard_.solver();
  progress.examples = state().examples;
  progress.updates = state().updates;
  progress.accesses = state().accesses;
  // What other ranks told last; at the end exactly, in an exchange that all ranks make.
  OwnCounts others;
  if (run_.problem.features->share()) {
    for (Solver* leaf : leaves(solver)) {
      others.nonzeros += leaf->slice_sums()->others().nonzeros;
      others.accesses += leaf->slice_sums()->others().accesses;
    }
    if (always) {
      others.accesses = on_all_ranks(*run_.problem.features, state().accesses) - state().accesses;
    }
    progress.accesses += others.accesses;
  }
  progress.seconds = std::chrono::duration<double>(learning_).count();
  if (!solver.counts_mistakes()) {
    progress.progressive_error = std::nan("");
  } else if (rows_in_pass() > 0) {
    progress.progressive_error = static_cast<double>(state().mistakes - pass_start_mistakes_) /
                                 static_cast<double>(rows_in_pass());
  }
  if (!always && !run_.observer.wants_progress(progress)) return;
  solver.settle();
  progress.nonzeros = always ? count_nonzeros() : state().nonzeros + others.nonzeros;
  run_.observer.on_progress(progress);
}

std::uint64_t RunLog::count_nonzeros() const {
  return on_all_ranks(*run_.problem.features, state().nonzeros);
}

void RunLog::trace(const EndScores& scores) {
  progress.accesses = on_all_ranks(*run_.problem.features, state().accesses);
  TracePoint point = evaluate(scores);
  if (!point.train_error) return;  // it was told to stop
  trace_.push_back(std::move(point));
  densest_ = std::max(densest_, count_nonzeros());
  run_.observer.on_trace(trace_.back());
}

std::vector<TracePoint> RunLog::end_trace(const EndScores& scores) {
  progress.nonzeros = count_nonzeros();  // not those of the model recorded last
  // The end is traced, once: a mark may have been due right there.
  const bool traced = !trace_.empty() && trace_.back().at.examples == progress.examples &&
                      trace_.back().at.nonzeros == progress.nonzeros;
  if (marks.wanted() && !traced) trace(scores);
  return std::move(trace_);
}

std::optional<Score> RunLog::score_on(const std::shared_ptr<RowSource>& rows, RowView view,
                                      bool by_row) {
  view.stop = run_.options.stop;
  try {
    return score(guard_.solver(), rows, view, by_row);
  } catch (const Interrupted&) {
    return std::nullopt;
  }
}

TracePoint RunLog::evaluate(const EndScores& scores) {
  Solver& solver = guard_.solver();
  const RunSetup& setup = run_.setup;
  solver.settle();
  const bool averages = show_averages(solver);
  progress.nonzeros = count_nonzeros();
  progress.seconds = std::chrono::duration<double>(learning_).count();
  TracePoint point;
  point.at = progress;
  if (marks.wanted()) {
    const auto train = scores.train ? scores.train : score_on(setup.train, setup.training, false);
    if (train) {
      point.objective = train->loss + solver.penalty();
      point.train_error = train->error;
    }
    point.exponents = weight_exponents(solver, *run_.problem.features);
  }
  if (setup.validation) {
    const auto valid = scores.valid
                           ? scores.valid
                           : score_on(setup.validate, *setup.validation, run_.options.score_rows);
    if (valid) {
      point.valid_error = valid->error;
      point.valid_error_se = valid->error_se;
      point.valid_loss = valid->loss;
      point.valid_rows = valid->rows;
      point.valid_weight = valid->weight;
      point.row_scores = valid->by_row;
    }
  }
  if (averages) hide_averages(solver);
  return point;
}

}  // namespace thresh
