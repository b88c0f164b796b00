#include "certify/row_set_text.hpp"

#include <charconv>

#include "thresh/certificate.hpp"

namespace thresh {

std::string row_set_text(const std::vector<std::uint64_t>& ids) {
  std::string text;
  std::uint64_t end = 0;  // one past the previous id
  for (const std::uint64_t id : ids) {
    if (!text.empty()) text += ' ';
    text += std::to_string(id + 1 - end);
    end = id + 1;
  }
  return text;
}

std::vector<std::uint64_t> parse_row_set(std::string_view text, std::uint64_t end) {
  std::vector<std::uint64_t> ids;
  std::uint64_t number = 0;
  const char* p = text.data();
  const char* const stop = p + text.size();
  while (p < stop) {
    std::uint64_t step = 0;
    const auto [behind, problem] = std::from_chars(p, stop, step);
    const bool separated = behind == stop || (*behind == ' ' && behind + 1 < stop);
    if (problem != std::errc() || !separated || step == 0 || step > end - number) {
      throw CertificateError("the row numbers of the certificate are damaged");
    }
    number += step;
    ids.push_back(number - 1);
    p = behind == stop ? stop : behind + 1;
  }
  return ids;
}

}  // namespace thresh
