#include <fmt/format.h>

#include <cmath>

#include "data/generate/chunks.hpp"
#include "sparse/random.hpp"
#include "thresh/error.hpp"

namespace thresh {

Generated generate_single_step(const SingleStepOptions& options, const Sink& rows_out) {
  const double norm = options.norm;
  if (!(norm >= 2 && norm <= 1000)) throw UsageError("--norm must be between 2 and 1000");
  if (options.rows == 0) throw UsageError("a data set needs at least one row");
  Generated made;
  made.rows = options.rows;
  made.features = options.features > 0 ? options.features
                                       : static_cast<uint64_t>(std::ceil(100 * (norm * norm - 1)));
  made.nonzeros = made.rows * made.features;
  Random random(options.seed);
  Chunks rows(rows_out);
  for (uint64_t i = 0; i < made.rows; ++i) {
    const bool positive = random.below(2) == 1;
    made.positives += positive ? 1 : 0;
    fmt::format_to(rows.out(), "{}", positive ? "+1" : "-1");
    for (uint64_t j = 1; j <= made.features; ++j) {
      const bool agrees = random.uniform() < 0.5 + 0.5 / norm;
      fmt::format_to(rows.out(), " {}:{}", j, agrees == positive ? "1" : "-1");
    }
    rows.end_line();
  }
  rows.finish();
  for (uint64_t j = 1; j <= made.features; ++j) {
    made.truth.emplace_back(j, norm / static_cast<double>(made.features));
  }
  return made;
}

}  // namespace thresh
