#include "xie/errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "common/tuned.hpp"
#include "diagnose/exponents.hpp"
#include "select/side_by_side.hpp"
#include "xie/error_report.hpp"
#include "xie/tasks.hpp"

namespace thresh::experiments {
namespace {

// What is run: the paper's values. It stops every method where its model reaches the density bound
// (section 4.4). What learning on would give, the default of thresh, is run beside it. The task of
// many features has the combinations that its time allows. smidas, each of whose steps costs as
// much as its model is large, has fewer seeds and combinations.
const std::string kLambdas = "lambda=1e-4,5e-4,1e-3,1e-2,1e-1";
const std::string kEtas = " eta=0.1:0.5:0.1";
const std::string kTaus = " tau=1e-3,1e-2,1e-1";
const std::string kSomeEtas = " eta=0.1,0.3,0.5";
const std::string kFew = "lambda=1e-4,1e-3 eta=0.1,0.5";
const std::string kPlain = " threshold=plain p=";    // eq. 9: by lambda
const std::string kScaled = " threshold=scaled p=";  // by eta lambda, as in the paper it comes from
const std::vector<XieMethod> kMethods = {
    {"margin-perceptron", "margin-perceptron", "", kLambdas + kEtas + kTaus,
     kLambdas + kSomeEtas + kTaus, true},
    {"truncated-gradient", "truncated-gradient", "stop", kLambdas + kEtas, kLambdas + kEtas, true},
    {"truncated-gradient", "truncated-gradient", "continue", kLambdas + kEtas, kFew, true},
    {"scd, global", "scd", "stop", kLambdas + " curvature=global", kLambdas + " curvature=global",
     false},
    {"scd, global", "scd", "continue", kLambdas + " curvature=global",
     kLambdas + " curvature=global", false},
    {"scd, column", "scd", "stop", kLambdas + " curvature=column", kLambdas + " curvature=column",
     false},
    {"scd, column", "scd", "continue", kLambdas + " curvature=column",
     kLambdas + " curvature=column", false},
    {"smidas, p = 0.5 ln d", "smidas", "stop", kFew + kPlain + "0.5ln",
     "lambda=1e-4 eta=0.1,0.5" + kPlain + "0.5ln", false, true},
    {"smidas, p = 2 ln d", "smidas", "stop", kFew + kPlain + "2ln", "", false, true},
    {"smidas, scaled, p = 0.5 ln d", "smidas", "stop", kFew + kScaled + "0.5ln",
     kFew + kScaled + "0.5ln", false, true},
    {"smidas, scaled, p = 2 ln d", "smidas", "stop", kFew + kScaled + "2ln", "", false, true},
};
const std::string kShared = " passes=10 intercept=false";
constexpr std::uint64_t kShuffles = 10, kSlowShuffles = 3, kFewShuffles = 2;
constexpr std::uint64_t kMany = 1000000;

bool has_many_features(const XieTask& task) {
  return task.features > kMany;
}

// "": it is not run.
std::string grid_of(const XieMethod& method, const XieTask& task) {
  return has_many_features(task) ? method.grid_of_many : method.grid;
}

// For the names of jobs.
std::string bound_of(const XieMethod& method) {
  return method.at_budget.empty() ? "" : " at-budget=" + method.at_budget;
}

// The seeds of the runs are 1 to this. As in the paper, methods that draw their own order are tuned
// with one. A single candidate is not tuned.
std::uint64_t test_seeds(const Context& context, const XieEntry& entry) {
  if (context.quick || has_many_features(*entry.task)) return kFewShuffles;
  return entry.method->slow ? kSlowShuffles : kShuffles;
}
std::uint64_t tuning_seeds(const Context& context, const XieEntry& entry) {
  if (entry.candidates.size() == 1) return 0;
  return entry.method->shuffled ? test_seeds(context, entry) : 1;
}

std::vector<Candidate> candidates_of(const XieMethod& method, const XieTask& task, bool quick) {
  std::vector<Axis> axes =
      parse_grid(grid_of(method, task) + kShared + " density=" + task.density, method.solver);
  if (quick) shorten(axes);
  Options base;
  base.solver = method.solver;
  if (!method.at_budget.empty()) {
    base.at_budget = method.at_budget == "stop" ? AtBudget::stop : AtBudget::proceed;
  }
  return grid_candidates(base, axes);
}

// The error of a candidate at the end of its run. A run that diverged is wrong about everything.
Json validate(const DataSet& data, Options options, std::uint64_t seed) {
  hold_out_by_options(options);
  options.seed = seed;
  const FitResult result = fit(data.problem, options);
  const bool failed = result.status.outcome == Outcome::diverged || !result.last.valid_error;
  return failed ? 1 : *result.last.valid_error;
}

Json test(const DataSet& data, Options options, std::uint64_t seed) {
  hold_out_by_options(options);
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
      if (grid_of(method, task).empty() || !context.has_solver(method.solver)) continue;
      entries.push_back({&task, &method, candidates_of(method, task, context.quick), {}, 0, {}});
    }
  }
  return entries;
}

// Takes the combination that an earlier run has chosen; false if it tuned nothing here.
bool take_saved(const Context& context, XieEntry& entry) {
  const CellsOfRow cells = {{"task", entry.task->name},
                            {"solver", entry.method->name},
                            {"at the bound", bound_word(*entry.method)}};
  const Json chosen = saved_cell(context.saved, cells, "chosen");
  const Json error = saved_cell(context.saved, cells, "validation error");
  if (chosen.is_null() || error.is_null()) return false;
  for (std::size_t i = 0; i < entry.candidates.size(); ++i) {
    if (Json(as_words(entry.candidates[i].settings)) != chosen) continue;
    entry.chosen = i;
    entry.errors.assign(entry.candidates.size(), error.get<double>());
    return true;
  }
  return false;
}

// The combination with the least validation error, in the mean over the shuffles.
void tune(const Context& context, std::span<XieEntry> all) {
  std::vector<XieEntry*> entries;
  for (XieEntry& entry : all) {
    if (!take_saved(context, entry)) entries.push_back(&entry);
  }
  std::vector<Job> jobs;
  for (const XieEntry* pointer : entries) {
    const XieEntry& entry = *pointer;
    for (const Candidate& candidate : entry.candidates) {
      for (std::uint64_t seed = 1; seed <= tuning_seeds(context, entry); ++seed) {
        jobs.push_back(
            {job_name(context,
                      fmt::format("{} tune {}{}{} seed={}", entry.task->name, entry.method->solver,
                                  as_grid(candidate.settings), bound_of(*entry.method), seed)),
             [&context, &entry, &candidate, seed] {
               return validate(context.data.get(entry.task->name), candidate.options, seed);
             }});
      }
    }
  }
  const std::vector<Json> results = run_jobs(jobs, context.work);
  auto result = results.begin();
  for (XieEntry* entry : entries) {
    const std::uint64_t shuffles = tuning_seeds(context, *entry);
    for (std::size_t i = 0; i < entry->candidates.size(); ++i) {
      std::vector<double> errors;
      for (std::uint64_t k = 0; k < shuffles; ++k) errors.push_back(number(*result++));
      entry->errors.push_back(shuffles == 0 ? 0 : spread_of(errors).mean);
    }
    entry->chosen = smallest_of(entry->errors);
  }
}

void test_all(const Context& context, std::span<XieEntry> entries) {
  std::vector<Job> jobs;
  std::vector<XieEntry*> of_job;
  for (XieEntry& entry : entries) {
    const Candidate& chosen = entry.candidates[entry.chosen];
    for (std::uint64_t seed = 1; seed <= test_seeds(context, entry); ++seed) {
      of_job.push_back(&entry);
      jobs.push_back({job_name(context, fmt::format("{} test {}{}{} seed={}", entry.task->name,
                                                    entry.method->solver, as_grid(chosen.settings),
                                                    bound_of(*entry.method), seed)),
                      [&context, &entry, &chosen, seed] {
                        return test(context.data.get(entry.task->name), chosen.options, seed);
                      }});
    }
  }
  const std::vector<Json> results = run_jobs(jobs, context.work);
  for (std::size_t i = 0; i < jobs.size(); ++i) of_job[i]->tested.push_back(results[i]);
}

// Tasks that an earlier run has done count, too.
bool is_done(const Context& context, const std::vector<XieEntry>& entries,
             const std::string& task) {
  if (!context.saved.is_null()) {
    const Json& saved = context.saved.at("options").at("data");
    if (std::ranges::find(saved, Json(task)) != saved.end()) return true;
  }
  return std::ranges::any_of(entries, [&](const XieEntry& one) { return one.task->name == task; });
}

Json to_json(const Context& context, const std::vector<XieEntry>& entries) {
  Json groups = Json::array();
  for (const XieMethod& method : kMethods) {
    groups.push_back({{"name", method.name},
                      {"solver", method.solver},
                      {"at the bound", bound_word(method)},
                      {"grid", method.grid + kShared},
                      {"grid of many features", method.grid_of_many},
                      {"seeds of tuning", method.shuffled ? kShuffles : 1},
                      {"seeds of tests", method.slow ? kSlowShuffles : kShuffles}});
  }
  Json tasks = Json::array();
  for (const XieTask& task : xie_tasks()) {
    if (is_done(context, entries, task.name)) tasks.push_back(task.name);
  }
  return {{"groups", groups}, {"data", tasks}};
}

}  // namespace

std::vector<std::string> xie_solvers() {
  std::vector<std::string> solvers;
  for (const XieMethod& method : kMethods) solvers.push_back(method.solver);
  return solvers;
}

void add_errors(const Context& context, Report& report) {
  std::vector<XieEntry> entries = entries_of(context);
  const auto slow = std::stable_partition(
      entries.begin(), entries.end(), [](const XieEntry& entry) { return !entry.method->slow; });
  for (const std::span<XieEntry> part :
       {std::span(entries.begin(), slow), std::span(slow, entries.end())}) {
    tune(context, part);
    test_all(context, part);
  }
  std::stable_sort(entries.begin(), entries.end(), [](const XieEntry& a, const XieEntry& b) {
    return a.task < b.task;  // both are in the list of tasks
  });
  report.options = to_json(context, entries);
  add_error_report(entries, report);
}

}  // namespace thresh::experiments
