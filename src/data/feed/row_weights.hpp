// Example weights: one number per line, line i for the i-th row of the data.
//
// They are stored in a mapped temporary file, not in memory, because there may be many rows,
// visited in any order.
#pragma once

#include <cstdint>
#include <string>

#include "files/temp_file.hpp"

namespace thresh {

class RowWeights {
 public:
  explicit RowWeights(const std::string& path);
  ~RowWeights();
  RowWeights(const RowWeights&) = delete;
  RowWeights& operator=(const RowWeights&) = delete;

  // The weight of a row, divided by the mean of the weights above zero. Weights are relative, so
  // doubling all of them changes nothing. Rows of weight zero are ignored.
  double at(std::uint64_t row) const;
  std::uint64_t rows() const { return rows_; }
  // Throws Error unless there is exactly one weight for each of this many rows.
  void check_rows(std::uint64_t rows) const;

 private:
  std::string path_;
  TempFile file_;
  std::uint64_t rows_ = 0;
  double mean_ = 1;
  const double* weights_ = nullptr;
};

}  // namespace thresh
