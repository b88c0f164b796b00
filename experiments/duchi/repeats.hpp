// Repetitions: the best run of each method once more, on other data of the same kind or with
// another seed, which shows how far results are a matter of chance.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace thresh::experiments {

constexpr std::uint64_t kRepetitionsOfBest = 3;  // with the first run

// The data set of a repetition, 1 being the data set itself.
inline std::string repeated_data(const std::string& name, std::uint64_t k) {
  return k == 1 ? name : fmt::format("{}-{}", name, k);
}

}  // namespace thresh::experiments
