// What most programs need: open_problem() or memory_problem() -> train() -> Model -> Scorer. Beside
// it there are text.hpp (raw text) and projection.hpp.
#pragma once

#include "thresh/error.hpp"    // IWYU pragma: export
#include "thresh/fit.hpp"      // IWYU pragma: export
#include "thresh/metrics.hpp"  // IWYU pragma: export
#include "thresh/model.hpp"    // IWYU pragma: export
#include "thresh/options.hpp"  // IWYU pragma: export
#include "thresh/rows.hpp"     // IWYU pragma: export
#include "thresh/scorer.hpp"   // IWYU pragma: export
#include "thresh/select.hpp"   // IWYU pragma: export
#include "thresh/threads.hpp"  // IWYU pragma: export
#include "thresh/train.hpp"    // IWYU pragma: export
#include "thresh/version.hpp"  // IWYU pragma: export
