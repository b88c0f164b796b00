// What most programs need: open_rows() -> fit() -> Model. Beside it there are select.hpp (frontier,
// tune, cross-validation), text.hpp (raw text) and projection.hpp.
#pragma once

#include "thresh/error.hpp"    // IWYU pragma: export
#include "thresh/fit.hpp"      // IWYU pragma: export
#include "thresh/metrics.hpp"  // IWYU pragma: export
#include "thresh/model.hpp"    // IWYU pragma: export
#include "thresh/options.hpp"  // IWYU pragma: export
#include "thresh/rows.hpp"     // IWYU pragma: export
