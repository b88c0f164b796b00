// Results of parts of a plan: what a run has left out is taken from the results of an earlier one.
#pragma once

#include "common/experiment.hpp"

namespace thresh::experiments {

// Adds to the report the saved figures, tables and options that it lacks. A table with keys keeps
// the saved rows whose keys it lacks. With `series`, a figure keeps the saved lines that it lacks.
// What is added has no file: it is on disk already.
void add_saved(const Json& saved, bool series, Report& report);

}  // namespace thresh::experiments
