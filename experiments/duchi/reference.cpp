#include "duchi/reference.hpp"

#include <fmt/format.h>

#include "duchi/interior_point.hpp"

namespace thresh::experiments {
namespace {

constexpr double kShare = 1e-6;  // of the objective that the duality gap may be at the end

DenseProblem dense(const DataSet& data, const ReferenceProblem& reference) {
  DenseProblem problem;
  problem.squared = reference.regression;
  problem.lambda = std::stod(reference.lambda);
  const auto rows = static_cast<Eigen::Index>(data.rows);
  problem.rows = Eigen::MatrixXd::Zero(rows, static_cast<Eigen::Index>(data.features));
  problem.labels.resize(rows);
  Eigen::Index i = 0;
  for (std::size_t k = 0; const BlockPtr block = data.problem.train->block(k); ++k) {
    for (std::size_t r = 0; r < block->rows(); ++r, ++i) {
      const Row row = block->row(r);
      for (std::size_t e = 0; e < row.size; ++e) problem.rows(i, row.slots[e]) = row.values[e];
      problem.labels[i] = row.label;
    }
  }
  return problem;
}

Json run(const DataSet& data, const ReferenceProblem& reference) {
  const InteriorRun result = interior_point(dense(data, reference), kShare);
  const double least = 1e-6 * result.weights.lpNorm<Eigen::Infinity>();
  Json curves;
  for (const InteriorPoint& point : result.points) {
    curves["accesses"].push_back(point.accesses);
    curves["seconds"].push_back(point.seconds);
    curves["objective"].push_back(point.objective);
    curves["nonzeros"].push_back((result.weights.array().abs() > least).count());
  }
  return curves;
}

}  // namespace

std::vector<Trained> interior_points(const Context& context,
                                     const std::vector<ReferenceProblem>& problems) {
  std::vector<Job> jobs;
  for (const ReferenceProblem& problem : problems) {
    jobs.push_back({job_name(context, fmt::format("{} interior point lambda={} gap={}",
                                                  problem.data, problem.lambda, kShare)),
                    [&] { return run(context.data.get(problem.data), problem); }});
  }
  const std::vector<Json> results = run_jobs(jobs, context.work);
  std::vector<Trained> runs;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    Trained one;
    one.name = "interior point";
    one.data = problems[i].data;
    one.solver = kInteriorPoint;
    for (const auto& [name, values] : results[i].items()) {
      for (const Json& value : values) one.curves[name].push_back(number(value));
    }
    runs.push_back(std::move(one));
  }
  return runs;
}

}  // namespace thresh::experiments
