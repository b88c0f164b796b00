#include "xie/errors.hpp"

#include <fmt/format.h>

#include "diagnose/exponents.hpp"
#include "select/side_by_side.hpp"
#include "xie/error_report.hpp"
#include "xie/tasks.hpp"

namespace thresh::experiments {
namespace {

// What is run: a part of the paper's values, tuned on one shuffle, and three shuffles of the
// paper's ten to test on. smidas has the fewest: each of its steps costs as much as the model is
// large.
const std::string kLambdas = "lambda=1e-4,5e-4,1e-3,1e-2,1e-1";
const std::string kEtas = " eta=0.1,0.3,0.5";
const std::string kFew = "lambda=1e-4,1e-3,1e-2 eta=0.1,0.5";
const std::string kFewest = "lambda=1e-4 eta=0.1,0.5";
const std::vector<XieMethod> kMethods = {
    {"margin-perceptron", "margin-perceptron", kLambdas + kEtas + " tau=1e-3,1e-2,1e-1", true},
    {"truncated-gradient", "truncated-gradient", kFew, true},
    {"scd", "scd", kLambdas + " curvature=column,global", false},
    {"smidas, p = 0.5 ln d", "smidas", kFewest + " p=0.5ln", false},
    {"smidas, p = 2 ln d", "smidas", kFewest + " p=2ln", false},
};
const std::string kShared = " passes=10 intercept=false";
const std::vector<std::uint64_t> kShuffles = {1, 2, 3};
// The others take too long with more features: to keep a budget they look at all of them again and
// again.
constexpr std::uint64_t kMany = 1000000;

std::size_t shuffles_of(const XieMethod& method) {
  return method.shuffled ? kShuffles.size() : 1;
}

std::vector<Candidate> candidates_of(const XieMethod& method, const XieTask& task, bool quick) {
  std::vector<Axis> axes =
      parse_grid(method.grid + kShared + " density=" + task.density, method.solver);
  if (quick) shorten(axes);
  Options base;
  base.solver = method.solver;
  return grid_candidates(base, axes);
}

// The errors of all candidates at the end of their runs. A run that diverged is wrong about
// everything.
Json validate(const DataSet& data, const std::vector<Candidate>& candidates) {
  Json errors = Json::array();
  for (const Candidate& candidate : candidates) {
    Options options = candidate.options;
    judge_as_asked(options);
    const FitResult result = fit(data.problem, options);
    const bool failed = result.status.outcome == Outcome::diverged || !result.last.valid_error;
    errors.push_back(failed ? 1 : *result.last.valid_error);
  }
  return errors;
}

Json test(const DataSet& data, Options options, std::uint64_t seed) {
  judge_as_asked(options);
  options.seed = seed;
  options.trace = TraceAt{TraceAt::Kind::densities, 0};
  Problem problem = data.problem;
  problem.valid = data.test;
  const FitResult result = fit(problem, options);
  Json tested = {{"status", name_of(result.status.outcome)},
                 {"density", Json::array()},
                 {"error", Json::array()}};
  for (const TracePoint& point : result.trace) {
    tested["density"].push_back(static_cast<double>(point.at.nonzeros) /
                                static_cast<double>(data.features));
    tested["error"].push_back(point.valid_error.value_or(1));
  }
  if (result.status.outcome == Outcome::diverged) tested["error"].back() = 1;
  const Exponents exponents = exponents_of(result.model);
  if (exponents.total > 0) {
    tested["exponents"] = {
        {"within", static_cast<double>(exponents.within) / static_cast<double>(exponents.total)},
        {"mean", exponents.mean()},
        {"deviation", exponents.deviation()}};
  }
  return tested;
}

std::vector<XieEntry> entries_of(const Context& context) {
  std::vector<XieEntry> entries;
  for (const XieTask& task : xie_tasks()) {
    if (!context.data.has(task.name)) continue;
    for (const XieMethod& method : kMethods) {
      if (task.features > kMany && method.solver != "margin-perceptron") continue;
      entries.push_back({&task, &method, candidates_of(method, task, context.quick), {}, 0, {}});
    }
  }
  return entries;
}

void tune(const Context& context, std::vector<XieEntry>& entries) {
  std::vector<Job> jobs;
  for (const XieEntry& entry : entries) {
    jobs.push_back(
        {job_name(context,
                  fmt::format("{} tune {} {}{} density={}", entry.task->name, entry.method->solver,
                              entry.method->grid, kShared, entry.task->density)),
         [&] { return validate(context.data.get(entry.task->name), entry.candidates); }});
  }
  const std::vector<Json> results = run_jobs(jobs, context.work);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    for (const Json& error : results[i]) entries[i].errors.push_back(number(error));
    entries[i].chosen = smallest_of(entries[i].errors);
  }
}

void test_all(const Context& context, std::vector<XieEntry>& entries) {
  std::vector<Job> jobs;
  std::vector<XieEntry*> of_job;
  for (XieEntry& entry : entries) {
    const Candidate& chosen = entry.candidates[entry.chosen];
    for (std::size_t k = 0; k < shuffles_of(*entry.method); ++k) {
      of_job.push_back(&entry);
      jobs.push_back({job_name(context, fmt::format("{} test {}{} seed={}", entry.task->name,
                                                    entry.method->solver, as_grid(chosen.settings),
                                                    kShuffles[k])),
                      [&context, &entry, &chosen, seed = kShuffles[k]] {
                        return test(context.data.get(entry.task->name), chosen.options, seed);
                      }});
    }
  }
  const std::vector<Json> results = run_jobs(jobs, context.work);
  for (std::size_t i = 0; i < jobs.size(); ++i) of_job[i]->tested.push_back(results[i]);
}

Json to_json(const std::vector<XieEntry>& entries) {
  Json groups = Json::array();
  for (const XieMethod& method : kMethods) {
    groups.push_back({{"name", method.name},
                      {"solver", method.solver},
                      {"grid", method.grid + kShared},
                      {"shuffles", shuffles_of(method)}});
  }
  Json tasks = Json::array();
  for (const XieEntry& entry : entries) {
    if (entry.method == &kMethods.front()) tasks.push_back(entry.task->name);
  }
  return {{"groups", groups}, {"data", tasks}};
}

}  // namespace

void add_errors(const Context& context, Report& report) {
  std::vector<XieEntry> entries = entries_of(context);
  tune(context, entries);
  test_all(context, entries);
  report.options = to_json(entries);
  add_error_report(entries, report);
}

}  // namespace thresh::experiments
