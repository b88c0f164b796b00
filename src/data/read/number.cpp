#include "data/read/number.hpp"

#include "thresh/names.hpp"

namespace thresh {

std::optional<double> parse_finite(std::string_view text) {
  const std::string ended = std::string(text) + "\n";
  const char* p = ended.data();
  const char* const end = p + text.size();
  double value = 0;
  const bool whole = parse_number(p, end, value) && p == end;
  return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace thresh
