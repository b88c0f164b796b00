#include "solvers/ball_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/read/bytes.hpp"
#include "thresh/error.hpp"
#include "thresh/names.hpp"

namespace thresh {
namespace {

constexpr double kLeast = 1e-100;
constexpr double kMost = 1e100;

}  // namespace

BallWeights::BallWeights(const SolverSetup& setup)
    : features_(*setup.features), given_(!setup.word("ball-weights").empty()) {
  if (!given_) return;
  const std::string path = setup.word("ball-weights");
  const double first = setup.zero_based ? 0 : 1;
  std::uint64_t number = 0;
  for_each_line(path, [&](std::string_view line) {
    ++number;
    const auto require = [&](bool holds, const char* what) {
      if (!holds) throw Error(fmt::format("{}:{}: {}", path, number, what));
    };
    const std::size_t blank = line.find_first_of(" \t");
    require(blank != std::string_view::npos, "expected a feature and its weight");
    const std::size_t at = std::min(line.size(), line.find_first_not_of(" \t", blank));
    const double index = parse_finite(line.substr(0, blank)).value_or(-1);
    const double weight = parse_finite(line.substr(at)).value_or(-1);
    require(index >= first && index == std::floor(index) && index < 0x1p53, "not a feature number");
    require(weight >= 0, "the weight of a ball is not a finite number of at least 0");
    require(weight == 0 || (weight >= kLeast && weight <= kMost),
            "the weight of a ball must be 0 or between 1e-100 and 1e100");
    require(weights_.emplace(static_cast<std::uint64_t>(index - first), weight).second,
            "this feature has a weight already");
  });
}

OptionInfo ball_weights_option() {
  OptionInfo option{OptionInfo::Kind::file, "ball-weights", "",
                    "a file with lines `index a`: the ball is sum a_j |w_j| <= z; a is 1 for other "
                    "features; a weight with a = 0 is unbounded"};
  option.recorded = false;
  return option;
}

}  // namespace thresh
