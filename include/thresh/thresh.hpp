// Everything: open_rows() -> fit() -> Model.
#pragma once

#include "thresh/error.hpp"    // IWYU pragma: export
#include "thresh/fit.hpp"      // IWYU pragma: export
#include "thresh/metrics.hpp"  // IWYU pragma: export
#include "thresh/model.hpp"    // IWYU pragma: export
#include "thresh/options.hpp"  // IWYU pragma: export
#include "thresh/rows.hpp"     // IWYU pragma: export
