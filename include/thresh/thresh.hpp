// Includes the whole library. Most programs need: open_problem() or memory_problem() -> train() ->
// Model -> Scorer.
#pragma once

#include "thresh/certificate.hpp"    // IWYU pragma: export
#include "thresh/checkpoint.hpp"     // IWYU pragma: export
#include "thresh/cluster.hpp"        // IWYU pragma: export
#include "thresh/compare.hpp"        // IWYU pragma: export
#include "thresh/convert.hpp"        // IWYU pragma: export
#include "thresh/diagnose.hpp"       // IWYU pragma: export
#include "thresh/error.hpp"          // IWYU pragma: export
#include "thresh/explain.hpp"        // IWYU pragma: export
#include "thresh/export.hpp"         // IWYU pragma: export
#include "thresh/files.hpp"          // IWYU pragma: export
#include "thresh/fit.hpp"            // IWYU pragma: export
#include "thresh/generate.hpp"       // IWYU pragma: export
#include "thresh/learner_state.hpp"  // IWYU pragma: export
#include "thresh/matrix.hpp"         // IWYU pragma: export
#include "thresh/metrics.hpp"        // IWYU pragma: export
#include "thresh/model.hpp"          // IWYU pragma: export
#include "thresh/names.hpp"          // IWYU pragma: export
#include "thresh/options.hpp"        // IWYU pragma: export
#include "thresh/projection.hpp"     // IWYU pragma: export
#include "thresh/record.hpp"         // IWYU pragma: export
#include "thresh/report.hpp"         // IWYU pragma: export
#include "thresh/rows.hpp"           // IWYU pragma: export
#include "thresh/scorer.hpp"         // IWYU pragma: export
#include "thresh/select.hpp"         // IWYU pragma: export
#include "thresh/table.hpp"          // IWYU pragma: export
#include "thresh/text.hpp"           // IWYU pragma: export
#include "thresh/threads.hpp"        // IWYU pragma: export
#include "thresh/threshold.hpp"      // IWYU pragma: export
#include "thresh/train.hpp"          // IWYU pragma: export
#include "thresh/version.hpp"        // IWYU pragma: export
