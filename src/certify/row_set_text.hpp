// A compression set as text: the first row number, then the differences, "3 1 1 40" for rows 3, 4,
// 5 and 45. Numbers count from 1, ids from 0.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace thresh {

std::string row_set_text(const std::vector<std::uint64_t>& ids);
// Throws CertificateError unless these are ascending ids below `end`.
std::vector<std::uint64_t> parse_row_set(std::string_view text, std::uint64_t end);

}  // namespace thresh
