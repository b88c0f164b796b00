#include "data/feed/row_weights.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cmath>
#include <cstring>

#include "data/read/cutter.hpp"
#include "data/read/number.hpp"
#include "data/read/sources.hpp"

namespace thresh {
namespace {

double parse_weight(const char* begin, const char* end, const std::string& where) {
  const char* p = skip_space(begin, end);
  double weight = 0;
  if (!parse_number(p, end, weight) || !is_blank_line(p, end)) {
    throw Error(fmt::format("{}: weight is not a number", where));
  }
  if (!std::isfinite(weight) || weight < 0) {
    throw Error(fmt::format("{}: weight is not a finite number >= 0", where));
  }
  return weight;
}

}  // namespace

RowWeights::RowWeights(const std::string& path) : path_(input_name(path)) {
  double sum = 0;
  std::uint64_t counting = 0;  // rows with a weight above zero
  BlockCutter cutter(open_bytes(path), path_);
  TextBlock block;
  while (cutter.next(block)) {
    std::uint64_t line = block.first_line;
    const char* p = block.text.data();
    for (const char* const end = p + block.text.size(); p < end; ++line) {
      const char* stop = static_cast<const char*>(std::memchr(p, '\n', end - p));
      if (!is_blank_line(p, stop)) {
        const double weight = parse_weight(p, stop, fmt::format("{}:{}", path_, line));
        file_.append(&weight, sizeof weight);
        sum += weight;
        counting += weight > 0 ? 1 : 0;
        ++rows_;
      }
      p = stop + 1;
    }
  }
  if (!(sum > 0)) throw Error(fmt::format("{}: no weight is above zero", path_));
  mean_ = sum / static_cast<double>(counting);
  if (!std::isnormal(mean_)) {
    throw Error(fmt::format("{}: the weights are too {} to be compared with their mean", path_,
                            mean_ > 1 ? "large" : "small"));
  }
  file_.flush();
  void* map = mmap(nullptr, rows_ * sizeof(double), PROT_READ, MAP_SHARED, file_.fd(), 0);
  if (map == MAP_FAILED) throw Error(fmt::format("{}: {}", path_, std::strerror(errno)));
  weights_ = static_cast<const double*>(map);
}

RowWeights::~RowWeights() {
  if (weights_ != nullptr) munmap(const_cast<double*>(weights_), rows_ * sizeof(double));
}

void RowWeights::check_rows(std::uint64_t rows) const {
  if (rows != rows_) throw Error(fmt::format("{}: {} weights for {} rows", path_, rows_, rows));
}

double RowWeights::at(std::uint64_t row) const {
  if (row >= rows_) {
    throw Error(fmt::format("{}: {} weights, but the data has more rows", path_, rows_));
  }
  return weights_[row] / mean_;
}

}  // namespace thresh
