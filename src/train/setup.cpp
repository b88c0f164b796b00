#include "train/setup.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cluster/slice_sums.hpp"
#include "data/feed/class_weights.hpp"
#include "data/feed/feature_scales.hpp"
#include "data/names/label_names.hpp"
#include "data/read/sources.hpp"
#include "loss/loss.hpp"
#include "thresh/error.hpp"
#include "thresh/learner_state.hpp"
#include "thresh/names.hpp"
#include "train/shared_run.hpp"

namespace thresh {
namespace {

// The number of the label that is to be +1.
std::optional<double> positive_of(const Survey& survey, const Options& options) {
  const std::string& word = options.positive_name;
  if (word.empty() || (survey.label_names.empty() && options.positive)) return options.positive;
  try {
    return LabelNames(survey.label_names).code(word);
  } catch (const Error& error) {
    throw Error(fmt::format("--positive: {}", error.what()));
  }
}

// New rows need not have all classes.
LabelMap labels_of(const Model& model) {
  if (model.task == Task::regression) {
    return model.log_link ? LabelMap::counts() : LabelMap::regression();
  }
  if (!model.classes.empty()) return LabelMap::of_many(model.class_labels());
  return LabelMap::of_classes(model.negative_label, model.positive_label);
}

LabelMap labels_of(const Problem& problem, const Options& options) {
  if (options.from_state != nullptr) return labels_of(options.from_state->model);
  const Survey* survey = problem.train->survey();
  if (options.task == Task::regression) {
    if (survey != nullptr && !survey->label_names.empty()) {
      const auto is_word = [](const std::string& name) { return !parse_finite(name); };
      throw Error(fmt::format(
          "{}: label {} is not a number, as --task regression requires", problem.train->name(),
          *std::find_if(survey->label_names.begin(), survey->label_names.end(), is_word)));
    }
    return loss_of(options) == Loss::poisson ? LabelMap::counts() : LabelMap::regression();
  }
  if (survey == nullptr) return LabelMap::of_classes(std::nullopt, *options.positive);
  try {
    return LabelMap::from_survey(*survey, positive_of(*survey, options));
  } catch (const Error& error) {
    // The survey saw only the ends of the rows: a bad row may be the reason, and is the better one.
    for (std::size_t k = 0; k < survey->blocks; ++k) problem.train->block(k);
    throw Error(problem.train->name() + ": " + error.what());
  }
}

// n / (k n_c): all k classes get the same share of the total weight.
void balance(const Survey& survey, RowView& view) {
  const std::size_t classes = survey.labels.size();
  view.class_weights.resize(classes);
  for (const LabelCount& count : survey.labels) {
    const double target = view.labels.target(count.label);
    const auto at = static_cast<std::size_t>(classes == 2 ? (target > 0 ? 1 : 0) : target);
    view.class_weights[at] = static_cast<double>(survey.rows) /
                             (static_cast<double>(classes) * static_cast<double>(count.rows));
  }
}

std::shared_ptr<const RowWeights> weights_of(const Problem& problem, const Options& options,
                                             SideFiles& files) {
  if (options.weights_file.empty()) return nullptr;
  auto& weights = files.weights[options.weights_file];
  if (!weights) weights = std::make_shared<const RowWeights>(options.weights_file);
  const Survey* survey = problem.train->survey();
  if (survey != nullptr) weights->check_rows(survey->rows + survey->bad_rows);
  return weights;
}

// `classes`: if there are more than two, else 0.
std::uint64_t budget(const Options& options, std::uint64_t dimension, std::size_t classes) {
  if (options.features) return *options.features;
  if (!options.density) return kUnlimited;
  const std::uint64_t weights = dimension * (options.shared_budget && classes > 0 ? classes : 1);
  // The small slack lets 10% of 50,000 be 5,000 whatever the rounding of 0.1.
  const double share = *options.density * static_cast<double>(weights);
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::floor(share * (1 + 1e-12))));
}

// One label a line, of feature 1, 2, ... (0, 1, ... of a file that counts from zero).
std::vector<double> read_feature_labels(const std::string& path, LabelMap classes) {
  std::vector<double> labels;
  for_each_line(path, [&](std::string_view line) {
    const auto label = parse_finite(line);
    if (!label) throw Error(fmt::format("{}:{}: not a label", path, labels.size() + 1));
    try {
      classes.target(*label);
    } catch (const Error& error) {
      throw Error(fmt::format("{}:{}: {}", path, labels.size() + 1, error.what()));
    }
    labels.push_back(*label);
  });
  return labels;
}

std::shared_ptr<const std::vector<double>> feature_labels_of(const Options& options,
                                                             const RunSetup& setup,
                                                             SideFiles& files) {
  const std::string& path = options.feature_labels_file;
  if (path.empty()) return nullptr;
  auto& labels = files.feature_labels[path];
  if (!labels) {
    labels = std::make_shared<const std::vector<double>>(
        read_feature_labels(path, setup.training.labels));
  }
  if (labels->size() < setup.dimension) {
    throw Error(
        fmt::format("{}: {} labels for {} features", path, labels->size(), setup.dimension));
  }
  return labels;
}

// The sum of squares of each row.
std::vector<double> squares_of(const RowBlock& block, const Options& options,
                               const FeatureMap& features) {
  std::vector<double> squares(block.rows());
  const std::uint64_t slices = slices_of(options);
  if (slices == 0) {
    for (std::size_t i = 0; i < block.rows(); ++i) {
      const Row row = block.row(i);
      for (std::size_t k = 0; k < row.size; ++k) squares[i] += row.values[k] * row.values[k];
    }
    return squares;
  }
  SliceSums sums(slices, features);
  sums.ensure_slots(block.slot_end);
  sums.clear();
  for (std::size_t i = 0; i < block.rows(); ++i) sums.add_squares(block.row(i));
  sums.total({});
  for (std::size_t i = 0; i < block.rows(); ++i) squares[i] = sums[i];
  return squares;
}

// Measures the rows that count: the roots of the mean squares of their lengths and, for regression,
// of their targets. The first block will do: it is the same in every run.
void measure(const RowBlock& block, const Options& options, const FeatureMap& features,
             RunSetup& setup) {
  const RowView& view = setup.training;
  const std::vector<double> all_squares = squares_of(block, options, features);
  std::vector<double> single;
  double lengths = 0;
  double fourths = 0;
  double targets = 0;
  double labels = 0;
  double rows = 0;
  for (std::size_t i = 0; i < block.rows(); ++i) {
    const Row row = block.row(i);
    if (!view.wants(row.id) || row.weight == 0) continue;
    if (view.weights && view.weights->at(row.id) == 0) continue;
    const double squares = all_squares[i];
    lengths += squares;
    single.push_back(std::sqrt(squares));
    fourths += squares * squares;
    targets += row.label * row.label;
    labels += row.label;
    ++rows;
  }
  if (rows == 0) return;
  const auto middle = single.begin() + static_cast<std::ptrdiff_t>(single.size() / 2);
  std::nth_element(single.begin(), middle, single.end());
  if (std::isnormal(lengths)) {
    setup.row_length = std::sqrt(lengths / rows);
    // Of a few rows that are far too long nothing is typical.
    constexpr double kFar = 10;
    if (*middle > 0 && setup.row_length > kFar * *middle) setup.row_length = *middle;
    // A step's effect grows with the square of a row's length: a mean in which rows count by that.
    setup.long_rows = std::sqrt(fourths / lengths);
  } else if (std::isnormal(*middle)) {
    setup.row_length = *middle;
  } else if (slices_of(options) == 0) {  // squares that no double can hold
    for (const double value : block.all_values()) {
      setup.row_length = std::max(setup.row_length, std::fabs(value));
    }
  }
  if (options.task != Task::regression) return;
  setup.target_size = std::sqrt(targets / rows);
  setup.target_mean = labels / rows;
  setup.target_spread =
      std::sqrt(std::max(0.0, targets / rows - setup.target_mean * setup.target_mean));
}

// How many rows a pass shows, exactly: plans are made from it. Rows of weight zero do not exist,
// nor do bad ones; both have ids, so that where there are any the rows themselves must be asked.
std::uint64_t count_rows(const RunSetup& setup, const Survey& survey) {
  const RowView& view = setup.training;
  const bool all = view.keep == RowView::Keep::all && !view.weights;
  if (all && !survey.weighted) return survey.rows;
  std::uint64_t rows = 0;
  if (survey.weighted || survey.bad_rows > 0) {
    for_each_window(setup.train, view, [&](const Window& window) { rows += window.rows.size(); });
    return rows;
  }
  for (std::uint64_t id = 0; id < survey.rows; ++id) {
    rows += view.wants(id) && (!view.weights || view.weights->at(id) > 0) ? 1 : 0;
  }
  return rows;
}

// A class whose rows all have weight zero cannot be learned. Mostly the first block has all
// classes.
void check_weighted_classes(const RunSetup& setup, const Survey& survey) {
  std::vector<LabelCount> missing = survey.labels;
  for (std::size_t k = 0; k < survey.blocks && !missing.empty(); ++k) {
    const BlockPtr block = setup.train->block(k);
    for (std::size_t i = 0; i < block->rows() && !missing.empty(); ++i) {
      const Row row = block->row(i);
      const RowWeights* const weights = setup.training.weights.get();
      if (row.weight == 0 || (weights != nullptr && weights->at(row.id) == 0)) continue;
      std::erase_if(missing, [&](const LabelCount& count) { return count.label == row.label; });
    }
  }
  if (missing.empty()) return;
  throw Error(fmt::format("{}: all rows with the label {} have weight zero", setup.train->name(),
                          label_text(survey.label_names, missing.front().label)));
}

std::uint64_t training_rows_of(const RunSetup& setup, const Survey& survey, SideFiles& files) {
  const RowView& view = setup.training;
  const SideFiles::RowChoice choice{view.weights.get(), view.seed, view.holdout, view.folds,
                                    view.fold};
  const auto known = files.training_rows.find(choice);
  if (known != files.training_rows.end()) return known->second;
  return files.training_rows[choice] = count_rows(setup, survey);
}

void hold_out(const Problem& problem, const Options& options, RunSetup& setup) {
  const Survey& survey = *problem.train->survey();
  setup.training.keep = RowView::Keep::training;
  setup.training.holdout = options.holdout;
  setup.training.keys = problem.row_keys;
  setup.training.folds = options.folds;
  setup.training.fold = options.fold;
  setup.training.seed = options.seed;
  std::uint64_t kept = 0;
  const std::uint64_t ids = survey.rows + survey.bad_rows;
  for (std::uint64_t id = 0; id < ids; ++id) kept += setup.training.wants(id) ? 1 : 0;
  if (kept == 0 || kept == ids) {
    const std::string part = options.folds > 0
                                 ? fmt::format("fold {} of {}", options.fold + 1, options.folds)
                                 : fmt::format("{:g}%", 100 * options.holdout);
    throw Error(fmt::format("{}: {} of {} rows is {}: nothing to {}", problem.train->name(), part,
                            survey.rows, kept == 0 ? "all" : "none",
                            kept == 0 ? "learn from" : "validate on"));
  }
  setup.validation = setup.training;
  setup.validation->keep = RowView::Keep::held_out;
  setup.validation->class_weights.clear();  // they are for learning: an error counts rows
  setup.validate = setup.train;
}

}  // namespace

RunSetup set_up(const Problem& problem, const Options& options, SideFiles& files) {
  const Survey* survey = problem.train->survey();
  if (survey == nullptr && !one_look_is_enough(options)) {
    throw UsageError("these options need several passes, but this input can be read only once");
  }
  if (survey != nullptr && survey->rows == 0) throw Error(problem.train->name() + ": no rows");
  const bool holds_out = options.holdout > 0 || options.folds > 0;
  if (holds_out && problem.valid) {
    throw UsageError(options.folds > 0 ? "folds and --valid exclude each other"
                                       : "--holdout and --valid exclude each other");
  }
  if (problem.scales && !options.intercept && problem.scales->kind() == FeatureScale::standard) {
    throw UsageError("--scale standard needs an intercept, which makes up for the means");
  }
  RunSetup setup;
  setup.training.labels = labels_of(problem, options);
  setup.training.weights = weights_of(problem, options, files);
  setup.train = problem.train;
  setup.dimension = options.dim;
  if (survey != nullptr) {
    setup.dimension = std::max(setup.dimension, survey->dimension);
    if (options.balanced_classes) balance(*survey, setup.training);
    if (!options.class_weights.empty()) {
      setup.training.class_weights =
          weights_by_class(options.class_weights, setup.training.labels, *survey);
    }
    // Steps on a matrix never come back to the blocks that it was made from.
    const bool comes_back = options.passes > 1 && !needs_all_rows(options);
    if (comes_back || options.trace || holds_out) {
      setup.train = held_in_memory(problem.train, options.memory);
    }
  }
  const bool weighted = setup.training.weights || (survey != nullptr && survey->weighted);
  if (weighted && survey != nullptr && options.task == Task::classification && !problem.partial) {
    check_weighted_classes(setup, *survey);
  }
  setup.max_nonzeros =
      budget(options, setup.dimension, setup.training.labels.class_labels().size());
  if (problem.features->share()) check_shared_run(problem, options);
  setup.feature_labels = feature_labels_of(options, setup, files);
  if (holds_out) hold_out(problem, options, setup);
  if (survey != nullptr) setup.training_rows = training_rows_of(setup, *survey, files);
  const std::optional<Loss> loss = loss_of(options);
  const bool steps_feed_themselves = loss && !has_bounded_slope(*loss);
  if (survey != nullptr &&
      (find_solver(options.solver).info.measures_rows || steps_feed_themselves)) {
    measure(*setup.train->block(0), options, *problem.features, setup);
  }
  if (const LearnerState* const state = options.from_state; state != nullptr) {
    if (survey != nullptr) setup.dimension = std::max(setup.dimension, state->model.dimension);
    setup.row_length = state->row_length;
    setup.long_rows = state->long_rows;
    setup.target_size = state->target_size;
  }
  if (problem.valid) {
    if (problem.valid->survey()->rows == 0) throw Error(problem.valid->name() + ": no rows");
    setup.validation.emplace();
    setup.validation->labels = setup.training.labels;
    setup.validate = held_in_memory(problem.valid, options.memory);
  }
  if (options.multiclass == Multiclass::softmax && setup.training.labels.class_labels().empty()) {
    throw UsageError("--multiclass softmax needs more than two classes");
  }
  for (const auto& [given, name] : {std::pair{options.calibrate, "--calibrate"},
                                    {!options.threshold_by.empty(), "--threshold-by"}}) {
    if (given && !setup.training.labels.class_labels().empty()) {
      throw UsageError(fmt::format("{} supports only two classes", name));
    }
    if (given && !setup.validation) {
      throw UsageError(
          fmt::format("{} needs held-out rows: add --holdout 10% or --valid FILE", name));
    }
  }
  return setup;
}

}  // namespace thresh
