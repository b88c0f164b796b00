// Grids that grow until their best value is not at an end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/training.hpp"

namespace thresh::experiments {

// The grid with one more value of an axis, ten times beyond its end, if the best value is at that
// end. Nothing if it is not, or the axis is not a list of at least two numbers.
std::optional<std::string> grid_beyond(const std::string& grid, const std::string& axis,
                                       const std::string& best);

// Runs the plan. While the run of a group with the smallest final objective has a step size at the
// end of those tried, further ones are tried, at most four times. Changes the plan accordingly. A
// quick experiment runs the plan alone.
std::vector<Trained> train_beyond(const Context& context, Plan& plan);

}  // namespace thresh::experiments
