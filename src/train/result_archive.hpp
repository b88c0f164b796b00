// The results of a run as bytes, see sparse/archive.hpp.
#pragma once

#include "sparse/archive.hpp"
#include "thresh/fit.hpp"

namespace thresh {

void archive(Archive& a, Progress& progress);
void archive(Archive& a, TracePoint& point);
void archive(Archive& a, Divergence& divergence);
void archive(Archive& a, FitResult& result);

}  // namespace thresh
