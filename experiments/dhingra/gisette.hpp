// A data set after the recipe of GISETTE (Guyon et al. 2003), which could not be had: fours against
// nines of MNIST, described by pixels and products of pixels, and as many probes without meaning.
#pragma once

#include <string>
#include <utility>

#include "common/data.hpp"

namespace thresh::experiments {

// 6,000 rows to train on and 1,000 to test on, half of them nines (+1). Of the 5,000 features, in
// random order, half are informative: the pixels that are set in at least one row in twenty, and
// products of random pairs of them. The others are probes: each has the values of an informative
// feature in an order of rows of its own. All are in [0, 1].
std::pair<Rows, Rows> gisette_recipe(const std::string& folder);

}  // namespace thresh::experiments
