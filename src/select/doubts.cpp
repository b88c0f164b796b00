#include "select/doubts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "select/paired.hpp"

namespace thresh {

std::string grouped(std::uint64_t n) {
  if (n < 1000) return std::to_string(n);
  return grouped(n / 1000) + fmt::format(",{:03}", n % 1000);
}

std::string as_error(double error, Task task) {
  return task == Task::regression ? fmt::format("{:.6g}", error)
                                  : fmt::format("{:.4g}%", 100 * error);
}

namespace {

const SizedResult& lowest_loss(const std::vector<SizedResult>& curve) {
  return *std::min_element(curve.begin(), curve.end(),
                           [](const SizedResult& a, const SizedResult& b) {
                             return *a.last.valid_loss < *b.last.valid_loss;
                           });
}

// If one class is rare, a model that never predicts it may have a low error too.
void doubt_rare_class(const Problem& problem, SizeChoice& choice) {
  const std::vector<LabelCount>& labels = problem.train->survey()->labels;
  if (labels.size() != 2) return;
  const auto [few, many] = std::minmax(labels[0].rows, labels[1].rows);
  const double share = static_cast<double>(few) / static_cast<double>(few + many);
  const SizedResult& best = lowest_loss(choice.curve);
  const TracePoint& chosen = choice.chosen.last;
  constexpr double kRare = 0.2;
  if (share > kRare || *chosen.valid_error + *chosen.valid_error_se < share) return;
  if (*best.last.valid_loss > 0.9 * *chosen.valid_loss) return;
  choice.warnings.push_back(fmt::format(
      "the chosen model is barely better than always predicting the more frequent class ({} of the "
      "rows belong to the other); by validation loss, {} features are better (--features {})",
      as_error(share, Task::classification), grouped(best.last.at.nonzeros), best.budget));
}

void doubt_constant(SizeChoice& choice) {
  const SizedResult& best = lowest_loss(choice.curve);
  std::string doubt = "no model is better than the constant one, which ignores all features";
  if (*best.last.valid_loss < 0.9 * *choice.chosen.last.valid_loss) {
    doubt += fmt::format("; by loss, {} features are better (--by loss)",
                         grouped(best.last.at.nonzeros));
  }
  choice.warnings.push_back(std::move(doubt));
}

// A size that is set is kept, whatever it gains.
void doubt_gain(SizeChoice& choice) {
  if (!choice.constant || !choice.constant->last.row_scores) return;
  if (!choice.chosen.last.row_scores) return;
  const Difference gain =
      difference_of(*choice.constant->last.row_scores, *choice.chosen.last.row_scores,
                    Measure::loss, choice.repeats);
  if (gain.mean > 2 * gain.se) return;
  choice.warnings.emplace_back(
      "on held-out rows, the model is not clearly better than the constant one, which ignores all "
      "features");
}

}  // namespace

void add_doubts(const Problem& problem, const Options& options, SizeChoice& choice) {
  const bool sets_size = options.features || options.density;
  constexpr std::uint64_t kFew = 10;
  if (choice.chosen.last.valid_rows < kFew && !sets_size) {
    choice.warnings.emplace_back(
        "too few held-out rows to choose a size; set it with --features K, or give more rows with "
        "--valid FILE");
  }
  if (choice.chosen.budget == 0) {
    doubt_constant(choice);
  } else if (sets_size) {
    doubt_gain(choice);
  } else if (options.task == Task::classification) {
    doubt_rare_class(problem, choice);
  }
}

}  // namespace thresh
