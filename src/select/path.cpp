// One model for each value of an option.

#include <fmt/format.h>

#include "select/side_by_side.hpp"
#include "solvers/catalog.hpp"
#include "thresh/error.hpp"
#include "thresh/select.hpp"

namespace thresh {
namespace {

std::vector<Options> options_of(const std::vector<Candidate>& candidates) {
  std::vector<Options> options;
  for (const Candidate& candidate : candidates) {
    options.push_back(candidate.options);
    hold_out_by_options(options.back());
  }
  return options;
}

double number_of(const Candidate& candidate) {
  const auto& [name, value] = candidate.settings.front();
  return to_number(name, value);
}

bool falls(const std::vector<Candidate>& candidates) {
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    if (number_of(candidates[i]) >= number_of(candidates[i - 1])) return false;
  }
  return true;
}

std::vector<FitResult> descend(const Problem& problem, const std::string& over,
                               const std::vector<Candidate>& candidates, SelectObserver& observer) {
  Options options = candidates.back().options;
  for (const Candidate& candidate : candidates) {
    options.lambdas.push_back(number_of(candidate));
  }
  options.lambdas.pop_back();
  FitResult last = std::move(fit_all(problem, {options}, observer).front());
  if (last.status.outcome == Outcome::diverged) return {candidates.size(), last};
  std::vector<FitResult> results;
  for (Recorded& recorded : last.recorded) {
    FitResult& result = results.emplace_back();
    result.model = std::move(recorded.model);
    result.last = recorded.last;
    result.status = {Outcome::converged, "on the way"};
  }
  last.recorded.clear();
  const std::string ended = last.status.reason;
  if (last.status.outcome == Outcome::converged) results.push_back(std::move(last));
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i].model.options[over] = number_of(candidates[i]);
  }
  if (results.size() < candidates.size()) {
    const std::string missing =
        fmt::format("{} {} and below: not reached ({})", over,
                    candidates[results.size()].settings.front().second, ended);
    if (results.empty()) throw Error(missing);
    results.back().warnings.push_back(missing);
  }
  return results;
}

}  // namespace

std::vector<FitResult> learn_path(const Problem& problem, const std::string& over,
                                  const std::vector<Candidate>& candidates,
                                  SelectObserver& observer) {
  if (candidates.empty()) return {};
  const bool of_lambda = over == "lambda" || over == "lambda-ratio";
  const SolverInfo& info = solver_named(candidates.front().options.solver);
  const bool in_one = of_lambda && info.lambdas && falls(candidates);
  if (in_one) return descend(problem, over, candidates, observer);
  return fit_all(problem, options_of(candidates), observer);
}

}  // namespace thresh
