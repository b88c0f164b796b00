#include "diagnose/label_noise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "data/feed/feeder.hpp"
#include "data/read/memory_rows.hpp"
#include "sparse/feature_map.hpp"
#include "sparse/random.hpp"
#include "thresh/fit.hpp"

namespace thresh {
namespace {

// Limits that bound the cost for data of any size.
constexpr std::uint64_t kRows = 50000;
constexpr std::uint64_t kEntries = 5000000;  // times the classes
constexpr std::size_t kClasses = 100;
constexpr std::size_t kNamed = 1000;  // rows to list, the most certainly wrong ones
constexpr std::uint64_t kFewest = 3 * LabelNoise::kFolds;  // rows of a class

struct Sample {
  std::vector<std::size_t> starts{0};
  std::vector<std::uint64_t> indices;
  std::vector<double> values, labels;
  std::vector<std::uint64_t> ids;

  std::shared_ptr<RowSource> rows(const std::shared_ptr<FeatureMap>& features) const {
    return memory_rows(starts, indices, values, labels, features);
  }
};

// Selects every `step`-th row by number. Divides features by their largest magnitude.
Sample draw(RowSource& source, const FeatureMap& features, const Overview& overview,
            std::uint64_t step, const Watch& watch) {
  Sample sample;
  const auto nothing = [](const RowBlock&) { return 0; };
  each_block(source, watch, nothing, [&](const RowBlock& block, int) {
    for (std::size_t i = 0; i < block.rows(); ++i) {
      const Row row = block.row(i);
      if (mix(row.id + 1) % step != 0) continue;
      for (std::size_t k = 0; k < row.size; ++k) {
        const double value = row.values[k] / overview.columns[row.slots[k]].largest;
        if (value == 0) continue;                             // lost in rounding beside the largest
        sample.indices.push_back(features.id(row.slots[k]));  // ascending, unlike slots
        sample.values.push_back(value);
      }
      sample.starts.push_back(sample.values.size());
      sample.labels.push_back(row.label);
      sample.ids.push_back(row.id);
    }
  });
  return sample;
}

Options quick_options(std::uint64_t fold, const std::atomic<bool>* stop) {
  Options options;
  options.solver = "ftrl";
  options.loss = Loss::logistic;
  options.lambda = 0;
  options.solver_options = {{"l2", "1"}};
  options.passes = LabelNoise::kPasses;
  options.folds = LabelNoise::kFolds;
  options.fold = fold;
  options.stop = stop;
  return options;
}

// Probabilities of each row by the model that has not seen it; classes by ascending label.
std::vector<double> unseen_probabilities(const Problem& problem, const Sample& sample,
                                         std::size_t classes, SelectObserver& observer,
                                         const std::atomic<bool>* stop) {
  std::vector<Options> candidates;
  for (std::uint64_t f = 0; f < LabelNoise::kFolds; ++f) {
    candidates.push_back(quick_options(f, stop));
  }
  const std::vector<FitResult> results = fit_all(problem, candidates, observer);
  std::vector<double> probabilities(sample.labels.size() * classes);
  for (std::uint64_t f = 0; f < LabelNoise::kFolds; ++f) {
    const Model& model = results[f].model;
    const Predictor predictor(model);
    RowView unseen;
    unseen.labels = LabelMap::regression();  // unchanged
    unseen.folds = LabelNoise::kFolds;
    unseen.fold = f;
    unseen.seed = candidates[f].seed;
    unseen.keep = RowView::Keep::held_out;
    std::vector<double> margins(classes);
    for_each_window(sample.rows(predictor.features()), unseen, [&](const Window& window) {
      for (const Row& row : window.rows) {
        double* const out = probabilities.data() + row.id * classes;
        if (classes == 2) {
          out[1] = *model.probability(predictor.margin(row));
          out[0] = 1 - out[1];
        } else {
          predictor.margins(row, margins);
          const auto of_row = *model.probabilities(margins);
          std::copy(of_row.begin(), of_row.end(), out);
        }
      }
    });
  }
  return probabilities;
}

std::string obstacle_of(const Survey& survey) {
  if (survey.more_labels || survey.labels.size() > kClasses) {
    return fmt::format("more than {} different labels", kClasses);
  }
  if (survey.labels.size() < 2) return "there is only one class";
  for (const LabelCount& count : survey.labels) {
    if (count.rows < kFewest) return fmt::format("a class has fewer than {} rows", kFewest);
  }
  return "";
}

}  // namespace

LabelNoise confident_learning(const std::vector<double>& probabilities,
                              const std::vector<std::size_t>& labels, std::size_t classes) {
  const auto p = [&](std::size_t i, std::size_t k) { return probabilities[i * classes + k]; };
  LabelNoise found;
  found.rows = labels.size();
  std::vector<double> rows(classes), thresholds(classes);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    ++rows[labels[i]];
    thresholds[labels[i]] += p(i, labels[i]);
  }
  for (std::size_t k = 0; k < classes; ++k) thresholds[k] /= rows[k];
  std::vector<double> counted(classes), off_diagonal(classes);
  std::vector<std::pair<double, std::uint64_t>> suspects;  // by the difference of probabilities
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    std::size_t confident = classes, best = 0;
    for (std::size_t k = 0; k < classes; ++k) {
      if (p(i, k) > p(i, best)) best = k;
      if (p(i, k) < thresholds[k]) continue;
      if (confident == classes || p(i, k) > p(i, confident)) confident = k;
    }
    wrong += best != labels[i];
    if (confident == classes) continue;
    ++counted[labels[i]];
    if (confident == labels[i]) continue;
    ++off_diagonal[labels[i]];
    suspects.emplace_back(p(i, labels[i]) - p(i, confident), i);
  }
  double noise = 0;
  for (std::size_t j = 0; j < classes; ++j) {
    if (counted[j] > 0) noise += rows[j] * off_diagonal[j] / counted[j];
  }
  found.share = noise / static_cast<double>(labels.size());
  found.error = static_cast<double>(wrong) / static_cast<double>(labels.size());
  found.suspects = suspects.size();
  const std::size_t named = std::min(kNamed, suspects.size());
  std::partial_sort(suspects.begin(), suspects.begin() + static_cast<std::ptrdiff_t>(named),
                    suspects.end());
  for (std::size_t i = 0; i < named; ++i) found.first.push_back(suspects[i].second);
  return found;
}

LabelNoise estimate_label_noise(RowSource& source, const FeatureMap& features,
                                const Overview& overview, SelectObserver& observer,
                                const Watch& watch) {
  const Survey& survey = *source.survey();
  LabelNoise found;
  found.obstacle = obstacle_of(survey);
  if (!found.obstacle.empty()) return found;
  const std::size_t classes = survey.labels.size();
  const std::uint64_t by_rows = (overview.rows + kRows - 1) / kRows;
  const std::uint64_t by_entries = (overview.entries * classes + kEntries - 1) / kEntries;
  const std::uint64_t step = std::max({by_rows, by_entries, std::uint64_t{1}});
  const Sample sample = draw(source, features, overview, step, watch);
  Problem problem;
  problem.features = make_feature_map();
  problem.train = sample.rows(problem.features);
  found.obstacle = obstacle_of(*problem.train->survey());
  if (problem.train->survey()->labels.size() < classes) found.obstacle = "a class is too rare";
  if (!found.obstacle.empty()) return found;
  LabelMap map = LabelMap::from_survey(survey, std::nullopt);
  std::vector<std::size_t> labels;
  for (const double label : sample.labels) {
    const double target = map.target(label);
    labels.push_back(static_cast<std::size_t>(classes == 2 ? (target > 0 ? 1 : 0) : target));
  }
  found = confident_learning(unseen_probabilities(problem, sample, classes, observer, watch.stop),
                             labels, classes);
  for (std::uint64_t& row : found.first) row = sample.ids[row];
  return found;
}

}  // namespace thresh
