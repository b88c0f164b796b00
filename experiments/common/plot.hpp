// Draws a figure as SVG: lines with their names at the right end.
#pragma once

#include <string>

#include "common/figure.hpp"

namespace thresh::experiments {

// Omits points outside the domain of a logarithmic axis, and series without points.
std::string draw(const Figure& figure);

}  // namespace thresh::experiments
