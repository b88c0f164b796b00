// What Figures 4 to 6 show of a run: how far it is from the optimum, and when it gets near.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/training.hpp"

namespace thresh::experiments {

struct Optimum {
  double objective, loss, radius;
  std::uint64_t nonzeros;
};

// Its distance from the optimum, f - f*, as a curve.
Series distance(const Trained& run, const Optimum& optimum, const std::string& x);

// The same in numbers: at the end, and the accesses until it is for the first time at most 1e-2 and
// 1e-4, infinite if it never is.
struct Distance {
  double end, to_1e2, to_1e4;
};
Distance distance_of(const Trained& run, const Optimum& optimum);

// The first of the repetitions of a run, and the distances of all.
struct Distances {
  Trained first;
  std::vector<Distance> all;
};

Table distance_table();
std::vector<Json> distance_row(const std::string& problem, const Trained& run,
                               const Optimum& optimum);
Table distance_spread_table();
std::vector<Json> distance_spread_row(const std::string& problem, const Distances& distances);

}  // namespace thresh::experiments
