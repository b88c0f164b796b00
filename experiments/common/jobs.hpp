// Jobs with saved results, so that an interrupted experiment resumes where it stopped.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "common/figure.hpp"

namespace thresh::experiments {

struct Job {
  std::string name;  // includes everything that the result depends on
  std::function<Json()> work;
};

// The results of all jobs, in order. Jobs with the same name run once. Each result is written to
// its own file in `folder` and read from there the next time; returned results are always as parsed
// from a file. Uses all cores and reports progress on standard error. Runs at most `threads` jobs
// at a time; 0: one per core.
std::vector<Json> run_jobs(const std::vector<Job>& jobs, const std::string& folder,
                           std::size_t threads = 0);

// A number of a result. null, which files have for a number that is not finite, gives NaN.
double number(const Json& value);
// The index of the smallest value. NaN counts as the largest. `values` must not be empty.
std::size_t smallest_of(const std::vector<double>& values);

}  // namespace thresh::experiments
