// Any bytes as a file of weights and as a file of names.
//
// Weights are finite and not negative, or an Error is thrown. The twin of the names splits the text
// at its line feeds.
#include <cmath>

#include "data/feed/row_weights.hpp"
#include "data/read/bytes.hpp"
#include "memory_file.hpp"
#include "thresh/error.hpp"
#include "thresh/names.hpp"
#include "thresh/rows.hpp"

namespace {

using namespace thresh;

void check_weights(const std::string& path) {
  try {
    const RowWeights weights(path);
    for (std::uint64_t i = 0; i < weights.rows(); ++i) {
      require(weights.at(i) >= 0 && std::isfinite(weights.at(i)), "weights are finite and >= 0");
    }
  } catch (const Error&) {
  }
}

std::vector<std::string> lines_of(std::string text) {
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    if (end < text.size() && line.ends_with('\r')) line.pop_back();
    lines.push_back(line);
    at = end + 1;
  }
  return lines;
}

void check_names(const std::string& path, const std::string& text) {
  try {
    std::vector<std::string> lines;
    for_each_line(path, [&](std::string_view line) { lines.emplace_back(line); });
    // A compressed text has other lines.
    if (is_plain_file(path)) require(lines == lines_of(text), "the lines of the text");
    require(count_names(path) == lines.size(), "a name a line");
  } catch (const Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file(data, size);
  check_weights(file.path());
  check_names(file.path(), {reinterpret_cast<const char*>(data), size});
  return 0;
}
