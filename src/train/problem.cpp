// The small parts of the public interface around fit().

#include <fmt/format.h>

#include "data/bytes.hpp"
#include "data/feature_map.hpp"
#include "data/feature_scales.hpp"
#include "data/vocabulary.hpp"
#include "solvers/catalog.hpp"
#include "thresh/error.hpp"
#include "thresh/fit.hpp"

namespace thresh {

double Progress::density() const {
  return dimension == 0 ? 0 : static_cast<double>(nonzeros) / static_cast<double>(dimension);
}

const char* name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::converged:
      return "converged";
    case Outcome::budget_reached:
      return "budget reached";
    case Outcome::passes_spent:
      return "passes spent";
    case Outcome::steps_spent:
      return "steps spent";
    case Outcome::stopped:
      return "stopped";
    case Outcome::diverged:
      return "diverged";
  }
  return "";
}

bool one_look_is_enough(const Options& options) {
  const bool once = options.order == Order::sequential && options.passes == 1 && !options.steps &&
                    !options.trace && options.holdout == 0 && options.folds == 0;
  const bool classes_known = options.task == Task::regression || options.positive.has_value();
  const bool dimension_known = !options.density || options.dim > 0;
  return once && classes_known && dimension_known && !options.balanced_classes &&
         !needs_all_rows(options) && !find_solver(options.solver).info.measures_rows;
}

namespace {

void scale_features(const ReadOptions& options, Problem& problem) {
  if (problem.train->survey() == nullptr) {
    throw UsageError(
        fmt::format("--scale {} needs a look at all rows before the first is learned "
                    "from, and these come only once",
                    name_of(options.scale)));
  }
  const auto told = [&](std::uint64_t bytes) {
    if (options.stop != nullptr && *options.stop) {
      throw Interrupted(problem.train->name() + ": interrupted");
    }
    if (options.on_read) options.on_read(bytes);
  };
  problem.scales = std::make_shared<const FeatureScales>(options.scale, *problem.train, told);
  problem.train = scaled_rows(problem.train, problem.scales);
  if (problem.valid) problem.valid = scaled_rows(problem.valid, problem.scales);
}

}  // namespace

Problem open_problem(const std::string& train, const std::string& valid,
                     const ReadOptions& options) {
  Problem problem;
  problem.features = make_feature_map(options.dim);
  problem.format = format_of(train, options.format);
  ReadOptions read = options;
  read.format = problem.format;
  if (problem.format != Format::libsvm && !read.vocabulary) {
    read.vocabulary = std::make_shared<Vocabulary>(options.hash_bits);
  }
  if (problem.format == Format::libsvm) {
    read.vocabulary = nullptr;
  } else {
    read.once = false;  // names are learned first
  }
  problem.vocabulary = read.vocabulary;
  problem.train = open_rows(train, read, problem.features);
  if (problem.vocabulary) problem.vocabulary->freeze();
  if (!valid.empty()) {
    ReadOptions again = read;
    again.once = false;  // every trace point reads it anew
    problem.valid = open_rows(valid, again, problem.features);
  }
  if (options.scale != FeatureScale::none) scale_features(options, problem);
  problem.zero_based = options.zero_based;
  problem.normalize_l2 = options.normalize_l2;
  return problem;
}

}  // namespace thresh
