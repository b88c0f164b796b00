// l0-sgd against its dense twin, which sorts.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tools/twins.hpp"

namespace thresh::l0_sgd_oracle {
namespace {

Dense twin(const Case& c) {
  return run_batches(c, [&](Vector& w, const Vector& g, double eta, double) {
    for (std::size_t j = 0; j < w.size(); ++j) w[j] -= eta * g[j];
    keep_only(w, *c.options.features);
  });
}

void choose_k(Case& c) {
  c.options.features = *rc::gen::inRange<std::uint64_t>(1, c.data.features + 2);
}

RC_GTEST_PROP(L0Sgd, EqualsItsDenseTwin, ()) {
  Case c = any_case("l0-sgd");
  choose_k(c);
  choose_batch(c);
  expect_twin(c, twin(c), Zeros::rounded);
}

// Values on a grid and single steps make equal magnitudes: the lower index stays.
RC_GTEST_PROP(L0Sgd, EqualsItsDenseTwinWhereMagnitudesTie, ()) {
  Case c = any_grid_case("l0-sgd", {Loss::logistic, Loss::squared, Loss::hinge});
  choose_k(c);
  c.options.steps = 1;
  expect_twin(c, twin(c));
}

}  // namespace
}  // namespace thresh::l0_sgd_oracle
