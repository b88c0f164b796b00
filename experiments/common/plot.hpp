// A figure as an SVG drawing: lines with their names at the right end.
#pragma once

#include <string>

#include "common/figure.hpp"

namespace thresh::experiments {

// Points that a logarithmic axis has no place for are left out, and series without points.
std::string draw(const Figure& figure);

}  // namespace thresh::experiments
