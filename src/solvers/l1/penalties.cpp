#include "solvers/l1/penalties.hpp"

#include <fmt/format.h>

#include <cmath>

#include "data/read/libsvm.hpp"
#include "data/read/lines.hpp"
#include "thresh/error.hpp"
#include "thresh/names.hpp"

namespace thresh {

std::vector<double> read_penalties(const std::string& path, const Matrix& matrix,
                                   const FeatureMap& features) {
  std::vector<double> factors;
  std::size_t j = 0;
  std::uint64_t feature = 0;
  // Only features that occur are stored. Columns are in the order of the lines.
  for_each_line(path, [&](std::string_view line) {
    const auto factor = parse_finite(line);
    if (!factor || *factor <= 0) {
      throw Error(fmt::format("{}:{}: penalty is not a finite number above 0", path, feature + 1));
    }
    if (j < matrix.columns() && features.id(matrix.slot(j)) == feature) {
      factors.push_back(*factor);
      ++j;
    }
    ++feature;
  });
  if (j < matrix.columns()) {
    throw Error(fmt::format("{}: {} penalties, but feature {} occurs", path, feature,
                            features.id(matrix.slot(matrix.columns() - 1)) + 1));
  }
  return factors;
}

}  // namespace thresh
