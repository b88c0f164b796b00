#include "thresh/certified_frontier.hpp"

#include <algorithm>

#include "thresh/certificate.hpp"
#include "thresh/error.hpp"
#include "thresh/threads.hpp"

namespace thresh {
namespace {

// That of the model with the lowest loss on held-out rows, among those with nothing but a ridge.
std::string ridge_of(const Options& options, const Frontier& frontier) {
  const auto set = options.solver_options.find("ridge");
  if (set != options.solver_options.end()) return set->second;
  std::string ridge = "1";
  std::optional<double> lowest;
  for (const SizedResult& tried : frontier.tried) {
    const bool only = tried.settings.size() == 1 && tried.settings.front().first == "ridge";
    if (!only || !tried.last.valid_loss || (lowest && *tried.last.valid_loss >= *lowest)) continue;
    lowest = tried.last.valid_loss;
    ridge = tried.settings.front().second;
  }
  return ridge;
}

}  // namespace

CertifiedFrontier certify_frontier(const Problem& problem, const Options& options,
                                   const Frontier& frontier,
                                   const std::function<void(std::size_t)>& told) {
  const ThreadLimit limit(options.threads);
  Options all = for_all_rows(options);
  all.certify = true;
  all.density.reset();
  all.solver_options.erase("beta");
  all.solver_options["ridge"] = ridge_of(options, frontier);
  check_certifiable(all);
  check_certifiable(all, *problem.train);
  Problem rows = problem;  // fitting and certifying read them often
  rows.train = retained(problem.train, options.memory);
  CertifiedFrontier found;
  for (std::size_t i = 0; i < frontier.points.size(); ++i) {
    if (told) told(i);
    const std::uint64_t budget = frontier.points[i].budget;
    if (budget == 0) continue;
    all.features = budget;
    FitResult result = fit(rows, all);
    if (result.status.outcome == Outcome::stopped || (all.stop != nullptr && *all.stop)) {
      throw Interrupted(problem.train->name() + ": interrupted");
    }
    add_warnings(found.warnings, result.warnings);
    TrainingFacts facts;
    facts.weights_file = options.weights_file;
    facts.dual_point = result.dual_point;
    facts.on_warning = [&](const std::string& warning) { add_warnings(found.warnings, {warning}); };
    facts.stop = all.stop;
    const BudgetBound bound = budget_bound(certify(result.model, rows, facts));
    found.ridge = bound.ridge;
    found.without_features = bound.without_features;
    // A smaller model is one of this size, too.
    const double last = found.sizes.empty() ? bound.objective : found.sizes.back().objective;
    found.sizes.push_back({budget, std::min(bound.objective, last), bound.bound});
  }
  // What bounds models of more features bounds those of fewer.
  for (std::size_t i = found.sizes.size(); i-- > 1;) {
    found.sizes[i - 1].bound = std::max(found.sizes[i - 1].bound, found.sizes[i].bound);
  }
  return found;
}

}  // namespace thresh
