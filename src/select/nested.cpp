// Cross-validation of train(): a fold takes part in nothing, not even in the choice of a size.

#include <algorithm>
#include <cmath>
#include <tuple>

#include "data/feed/feature_scales.hpp"
#include "data/feed/feeder.hpp"
#include "loss/loss.hpp"
#include "model/evaluate.hpp"
#include "model/slot_weights.hpp"
#include "select/judge.hpp"
#include "solvers/catalog.hpp"
#include "sparse/random.hpp"
#include "thresh/error.hpp"
#include "thresh/train.hpp"

namespace thresh {
namespace {

// The rows of a source that a view wants, with the numbers they have there.
class SomeRows : public RowSource {
 public:
  SomeRows(std::shared_ptr<RowSource> all, RowView view)
      : all_(std::move(all)), view_(std::move(view)), survey_(*all_->survey()) {
    const std::uint64_t numbers = survey_.rows + survey_.bad_rows;
    survey_.rows = 0;
    survey_.labels.clear();
    survey_.more_labels = false;
    for (std::size_t k = 0; k < survey_.blocks; ++k) {
      const BlockPtr block = all_->block(k);
      for (std::size_t i = 0; i < block->rows(); ++i) {
        if (!view_.wants(block->ids[i])) continue;
        survey_.count_label(block->labels[i]);
        ++survey_.rows;
      }
    }
    survey_.bad_rows = numbers - survey_.rows;  // what is not here has a number all the same
  }

  const Survey* survey() const override { return &survey_; }
  std::string name() const override { return all_->name(); }
  bool rereads_fast() const override { return all_->rereads_fast(); }

  BlockPtr block(std::size_t k) override {
    const BlockPtr from = all_->block(k);
    if (!from) return nullptr;
    auto out = std::make_shared<RowBlock>();
    out->dimension = from->dimension;
    out->slot_end = from->slot_end;
    out->source_bytes = from->source_bytes;
    for (std::size_t i = 0; i < from->rows(); ++i) {
      if (view_.wants(from->ids[i])) append(from->row(i), *from, i, *out);
    }
    return out;
  }

 private:
  static void append(const Row& row, const RowBlock& from, std::size_t i, RowBlock& out) {
    out.slots.insert(out.slots.end(), row.slots, row.slots + row.size);
    out.values.insert(out.values.end(), row.values, row.values + row.size);
    out.starts.push_back(out.slots.size());
    out.labels.push_back(row.label);
    out.ids.push_back(row.id);
    if (!from.weights.empty()) out.weights.push_back(row.weight);
    if (!from.lines.empty()) out.lines.push_back(from.lines[i]);
  }

  std::shared_ptr<RowSource> all_;
  RowView view_;
  Survey survey_;
};

RowView view_of_fold(const Problem& problem, const Options& options, std::uint64_t folds,
                     std::uint64_t fold) {
  RowView view;
  view.folds = folds;
  view.fold = fold;
  // train() may make folds by the seed itself, of the rows that are left.
  view.seed = mix(options.seed + folds);
  view.keys = problem.row_keys;
  view.keep = RowView::Keep::training;
  return view;
}

// The latest of the rows that are left are held out to choose a size.
std::shared_ptr<const RowKeys> keys_of(const Problem& problem, const RowView& view) {
  if (!problem.row_keys || !problem.row_keys->by_time()) return problem.row_keys;
  auto keys = std::make_shared<RowKeys>(*problem.row_keys);
  RowKeys left;
  std::vector<std::size_t> ids;
  for (std::size_t id = 0; id < keys->times.size(); ++id) {
    if (!view.wants(id)) continue;
    ids.push_back(id);
    left.times.push_back(keys->times[id]);
  }
  left.settle();
  for (std::size_t i = 0; i < ids.size(); ++i) keys->times[ids[i]] = left.times[i];
  return keys;
}

class FoldProgress : public TrainObserver {
 public:
  FoldProgress(SelectObserver* observer, std::uint64_t folds, std::uint64_t fold)
      : observer_(observer), folds_(folds), fold_(fold) {}
  void on_sizes(const SelectObserver::Progress& sizes) override {
    if (observer_ == nullptr) return;
    const double done = static_cast<double>(fold_) + sizes.share;
    observer_->on_progress({fold_, folds_, done / static_cast<double>(folds_)});
  }

 private:
  SelectObserver* observer_;
  std::uint64_t folds_, fold_;
};

// The mean loss of two classes or of a regression.
double mean_loss(const LossFunction& loss, const std::vector<SlotWeights>& parts,
                 const std::shared_ptr<RowSource>& rows, const RowView& view) {
  double sum = 0;
  double weight = 0;
  for_each_window(rows, view, [&](const Window& window) {
    for (const Row& row : window.rows) {
      sum += row.weight * loss.value(parts.front().margin(row), row.label);
      weight += row.weight;
    }
  });
  return sum / weight;
}

// The weights of a model for the problem's rows, which may be scaled.
std::vector<SlotWeights> weights_for(const Problem& problem, const Model& model) {
  std::vector<SlotWeights> parts = slot_weights(model, *problem.features);
  if (!problem.scales) return parts;
  for (SlotWeights& part : parts) {
    for (const auto& [slot, centre] : problem.scales->centres()) {
      part.intercept += part.at(slot) * centre;
    }
    for (std::uint32_t slot = 0; slot < part.weights.size(); ++slot) {
      if (part.weights[slot] != 0) part.weights[slot] *= problem.scales->at(slot);
    }
  }
  return parts;
}

// The standard error behind a 95% interval.
double half_width(const std::optional<Interval>& interval) {
  constexpr double kErrors = 1.96;
  return interval ? (interval->high - interval->low) / (2 * kErrors) : 0;
}

// That of the loss that the model was trained with.
std::pair<double, double> error_of(const RegressionMetrics& values) {
  if (values.deviance) return {*values.deviance, half_width(values.intervals.deviance)};
  if (values.huber) return {*values.huber, half_width(values.intervals.huber)};
  if (values.pinball) return {*values.pinball, half_width(values.intervals.pinball)};
  return {values.rmse, half_width(values.intervals.rmse)};
}

Trial judge(const Trained& trained, const Problem& problem, const Options& options, RowView view) {
  const Model& model = trained.model;
  const std::vector<SlotWeights> parts = weights_for(problem, model);
  const MarginsOf margins = [&](const Row& row, std::span<double> out) {
    for (std::size_t c = 0; c < out.size(); ++c) out[c] = parts[c].margin(row);
  };
  view.keep = RowView::Keep::held_out;
  if (!options.weights_file.empty()) {
    view.weights = std::make_shared<RowWeights>(options.weights_file);
  }
  view.labels = labels_of_model(model);
  Trial trial;
  trial.nonzeros = model.nonzeros();
  // Doubts about a choice that is not the last one are answered by the folds.
  for (const std::string& warning : trained.warnings) {
    const std::vector<std::string> doubts =
        trained.choice ? trained.choice->warnings : std::vector<std::string>();
    if (std::find(doubts.begin(), doubts.end(), warning) == doubts.end()) {
      trial.warnings.push_back(warning);
    }
  }
  const auto metrics = evaluate_by(model, margins, problem.train, view);
  std::visit([&](const auto& found) { trial.rows = found.rows; }, metrics);
  if (trial.rows == 0) {
    trial.failure = "no row is held out";
    return trial;
  }
  if (const auto* many = std::get_if<MulticlassMetrics>(&metrics)) {
    trial.error = many->error;
    trial.error_se = half_width(many->intervals.error);
    trial.loss = many->log_loss.value_or(many->error);
    return trial;
  }
  if (const auto* two = std::get_if<ClassificationMetrics>(&metrics)) {
    trial.error = two->error;
    trial.error_se = half_width(two->intervals.error);
  } else {
    const auto& values = std::get<RegressionMetrics>(metrics);
    std::tie(trial.error, trial.error_se) = error_of(values);
  }
  trial.loss = mean_loss(loss_function_of(options), parts, problem.train, view);
  return trial;
}

}  // namespace

Judged cross_validate_training(const Problem& problem, const TrainOptions& options,
                               std::uint64_t folds, SelectObserver* observer) {
  if (problem.train->survey() == nullptr) {
    throw UsageError("cross-validation needs several passes, but this input can be read only once");
  }
  const std::shared_ptr<RowSource> rows = retained(problem.train, options.memory);
  Judged judged;
  judged.candidate.options = options;
  for (std::uint64_t fold = 0; fold < folds; ++fold) {
    const RowView view = view_of_fold(problem, options, folds, fold);
    Problem others = problem;
    others.train = std::make_shared<SomeRows>(rows, view);
    others.valid = nullptr;
    others.row_keys = keys_of(problem, view);
    FoldProgress progress(observer, folds, fold);
    const Trained trained = train(others, options, &progress);
    if (trained.status.outcome == Outcome::stopped) {
      throw Interrupted(problem.train->name() + ": interrupted");
    }
    if (trained.status.outcome == Outcome::diverged) {
      judged.trials.emplace_back().failure = trained.status.reason;
      continue;
    }
    Problem all = problem;
    all.train = rows;
    judged.trials.push_back(judge(trained, all, options, view));
  }
  summarise(judged);
  return judged;
}

}  // namespace thresh
