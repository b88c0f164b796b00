#include "train/screened.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "cluster/words.hpp"
#include "data/feed/feature_scales.hpp"
#include "data/read/narrowed_rows.hpp"
#include "solvers/catalog.hpp"
#include "sparse/feature_map.hpp"
#include "thresh/error.hpp"
#include "thresh/threads.hpp"
#include "train/record.hpp"
#include "train/result_archive.hpp"
#include "train/run.hpp"

namespace thresh {
namespace {

// Features that are left, unless a size asks for more. So many fit everywhere, and the smaller
// sizes of a search find all that they need among them.
constexpr std::uint64_t kLeastScreened = 20'000;

Comm* comm_of(const Problem& problem) {
  return problem.features->share() ? problem.features->share()->comm : nullptr;
}

// How many features the screening leaves of each class.
std::uint64_t features_left(const Options& options, std::uint64_t dimension) {
  std::uint64_t most = std::max(kLeastScreened, options.features.value_or(0));
  for (const std::uint64_t budget : options.budgets) most = std::max(most, budget);
  const double share = options.density.value_or(0) * static_cast<double>(dimension);
  return std::max(most, static_cast<std::uint64_t>(std::ceil(share)));
}

Options screening_options(const Options& options, std::uint64_t features) {
  Options first = options;
  first.solver_options = {{"slices", options.solver_options.at("slices")}};
  first.features = features;
  first.density.reset();
  first.budgets.clear();
  first.betas.clear();
  first.keep.clear();
  first.polish = first.score_rows = first.calibrate = first.shared_budget = false;
  first.threshold_by.clear();
  first.trace.reset();
  first.multiclass = Multiclass::one_vs_rest;
  first.ranks = nullptr;
  return first;
}

void check(const Options& options, const Problem& problem) {
  const auto refuse = [](bool condition, const std::string& what) {
    if (condition)
      throw UsageError("--slices: a search or a fit by budget does not support " + what);
  };
  refuse(options.checkpoint != nullptr, "--checkpoint yet (give --features K and --beta B)");
  refuse(options.certify, "--certify: nothing is proved of the features that the screening drops");
  refuse(problem.pairs != nullptr, "--interactions yet");
}

// Of features that may be gone, only those with numbers can be kept.
void check_drops(const Options& options) {
  const auto refuse = [](bool condition, const std::string& what) {
    if (condition) {
      throw UsageError(fmt::format(
          "--slices: {} does not apply to more than {} features, of which a screening drops some",
          what, kLeastScreened));
    }
  };
  refuse(!options.keep_names.empty(), "--keep with names");
  refuse(!options.signs.empty(), "--signs");
  refuse(options.solver_options.contains("groups"), "--groups");
}

// Every row has an entry of a centred feature, which narrowed rows do not hold.
void check_centres(const Problem& problem) {
  if (problem.scales && !problem.scales->centres().empty()) {
    throw UsageError("--scale standard does not work with --slices where most rows have a feature");
  }
}

// Only of interest is how far the screening is.
class ScreeningObserver : public Observer {
 public:
  explicit ScreeningObserver(Observer* observer) : observer_(observer) {}
  bool wants_progress(const Progress& progress) const override {
    return observer_ != nullptr && observer_->wants_progress(progress);
  }
  void on_progress(const Progress& progress) override {
    if (observer_ != nullptr) observer_->on_progress(progress);
  }

 private:
  Observer* observer_;
};

// The ids of the best features, ascending.
std::vector<std::uint64_t> best_features(const Problem& problem, const Options& options,
                                         std::uint64_t features, Observer* observer) {
  const Options first = screening_options(options, features);
  const Problem wanted = scaled_for_solver(problem, first);
  ScreeningObserver watcher(observer);
  SideFiles files;
  Run run(wanted, first, watcher, files);
  Message mine;
  for (const std::uint64_t id : run.select()) put_word(id, mine);
  std::vector<Message> all = {mine};
  if (Comm* const comm = comm_of(problem)) comm->exchange(mine, all);
  std::vector<std::uint64_t> ids;
  for (const Message& each : all) {
    for (std::size_t at = 0; at + kWordBytes <= each.size(); at += kWordBytes) {
      ids.push_back(word_at<std::uint64_t>(each.data() + at));
    }
  }
  for (const std::uint64_t index : options.keep)
    ids.push_back(index - (problem.zero_based ? 0 : 1));
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

std::shared_ptr<const FeatureScales> narrowed_scales(const Problem& problem,
                                                     const std::vector<std::uint64_t>& ids) {
  if (!problem.scales) return nullptr;
  std::vector<Message> all(1);
  for (const std::uint64_t id : ids) {
    const std::uint32_t slot = problem.features->slot(id);
    put_word(slot == FeatureMap::kUnknown ? 0.0 : problem.scales->at(slot), all[0]);
  }
  if (Comm* const comm = comm_of(problem)) comm->exchange(Message(all[0]), all);
  ZeroedArray<double> by_slot;
  by_slot.ensure(ids.size());
  for (std::size_t place = 0; place < ids.size(); ++place) {
    for (const Message& each : all) {
      by_slot[place] += word_at<double>(each.data() + place * kWordBytes);  // of one rank
    }
  }
  return std::make_shared<const FeatureScales>(problem.scales->kind(), std::move(by_slot),
                                               std::vector<FeatureScales::Centre>());
}

}  // namespace

bool needs_screening(const Options& options) {
  if (slices_of(options) == 0) return false;
  if (!find_solver(options.solver).info.many_sizes) return false;
  const auto has = [&](const char* name) { return options.solver_options.contains(name); };
  return has("ridge") || has("prune") || has("fewest-errors") || has("contrast") || has("groups") ||
         !options.budgets.empty() || !options.betas.empty() || options.polish ||
         options.score_rows || options.shared_budget || options.multiclass == Multiclass::softmax ||
         !options.keep.empty() || !options.keep_names.empty() || !options.signs.empty();
}

Screened screen(const Problem& problem, const Options& options, std::size_t wanted_by,
                Observer* observer) {
  const ThreadLimit limit(options.threads);
  check_options(options);
  check(options, problem);
  check_centres(problem);
  Screened found{problem, options};
  found.options.solver_options.erase("slices");
  const std::uint64_t dimension = std::max(options.dim, problem.train->survey()->dimension);
  const std::uint64_t features = features_left(options, dimension);
  std::vector<std::uint64_t> ids;
  if (dimension <= features) {
    ids.resize(dimension);
    std::iota(ids.begin(), ids.end(), std::uint64_t{0});
    found.problem.features = make_feature_map(dimension);
  } else {
    check_drops(options);
    ids = best_features(problem, options, features, observer);
    found.problem.features = std::make_shared<FeatureMap>(0, 0);
    found.problem.features->preload(ids);
    found.problem.features->freeze();
    found.problem.never_scale = true;  // rows with the best features only may look like a table
  }
  const auto narrowed = [&](const std::shared_ptr<RowSource>& rows) {
    return rows ? narrowed_rows(rows, *problem.features, ids, wanted_by, options.stop) : nullptr;
  };
  found.problem.scales = narrowed_scales(problem, ids);
  found.problem.train = narrowed(problem.train);
  found.problem.valid = narrowed(problem.valid);
  return found;
}

void record_slices(const Options& options, FitResult& result) {
  const Value slices = static_cast<double>(slices_of(options));
  const auto record = [&](Model& model) { model.options["slices"] = slices; };
  record(result.model);
  for (Recorded& each : result.recorded) record(each.model);
  for (auto* all : {&result.polished, &result.pruned, &result.by_errors, &result.contrasted}) {
    for (std::optional<Polished>& each : *all) {
      if (each) record(each->model);
    }
  }
}

FitResult from_first_rank(Comm& ranks, const std::function<FitResult()>& fit) {
  ranks.be_patient();
  FitResult result;
  std::string bytes;
  if (ranks.rank() == 0) {
    result = fit();
    Archive a;
    a(result);
    bytes = a.take();
  }
  const Message told = ranks.from_first(std::as_bytes(std::span(bytes)));
  if (ranks.rank() == 0) return result;
  Archive a(std::string_view(reinterpret_cast<const char*>(told.data()), told.size()));
  a(result);
  return result;
}

FitResult fit_screened(const Problem& problem, const Options& options, Observer* observer) {
  const Screened here = screen(problem, options, 0, observer);
  const auto fit_here = [&] {
    FitResult result = fit(here.problem, here.options, nullptr, observer);
    record_slices(options, result);
    return result;
  };
  Comm* const comm = comm_of(problem);
  return comm == nullptr ? fit_here() : from_first_rank(*comm, fit_here);
}

}  // namespace thresh
