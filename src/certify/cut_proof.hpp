// A smaller proof: less is proved, and checked sooner.
#pragma once

#include <cstddef>

#include "thresh/fit.hpp"

namespace thresh {

// Leaves away the nodes below those with the highest bounds, so that at most this many nodes have
// dual points (at least one).
Proof cut_proof(const Proof& proof, std::size_t points);

}  // namespace thresh
