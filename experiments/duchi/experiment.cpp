// Duchi, Shalev-Shwartz, Singer & Chandra, "Efficient projections onto the l1-ball for learning in
// high dimensions", ICML 2008, section 7: Figures 4-8.

#include "common/experiment.hpp"
#include "duchi/bigrams.hpp"
#include "duchi/digits.hpp"
#include "duchi/optimum.hpp"

namespace thresh::experiments {
namespace {

Report run(const Context& context) {
  Report report;
  add_distances(context, report);
  add_digits(context, report);
  add_bigrams(context, report);
  return report;
}

}  // namespace

Experiment duchi() {
  std::vector<DataSpec> data = optimum_data();
  for (const auto& more : {digits_data(), bigrams_data()}) {
    data.insert(data.end(), more.begin(), more.end());
  }
  return {"duchi", "Efficient projections onto the l1-ball for learning in high dimensions",
          std::move(data), run};
}

}  // namespace thresh::experiments
