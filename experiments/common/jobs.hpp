// Pieces of work whose results are kept: an experiment that was interrupted goes on where it was.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "common/figure.hpp"

namespace thresh::experiments {

struct Job {
  std::string name;  // says all that its result depends on
  std::function<Json()> work;
};

// The results of all jobs, in their order; jobs of one name are done once. Each result is written
// to a file of its own in `folder` as soon as it is there, and taken from there the next time: what
// is returned is always as a file has it. On all cores, with progress on standard error; at most
// `threads` jobs at a time, 0: as many as there are cores.
std::vector<Json> run_jobs(const std::vector<Job>& jobs, const std::string& folder,
                           std::size_t threads = 0);

// A number of a result. Files have null for one that is not finite: it is NaN.
double number(const Json& value);
// Where the smallest is; NaN is larger than all others. There must be one.
std::size_t smallest_of(const std::vector<double>& values);

}  // namespace thresh::experiments
