// Example weights: one number a line, line i for the i-th row of the data.
//
// They are kept in a mapped temporary file, not in memory, because rows may be many and come in any
// order.
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

  // The weight of a row, divided by the mean of the weights above zero: a weight says how much a
  // row counts compared with the others, so doubling all of them changes nothing, and a weight of
  // zero is as good as no row.
  double at(std::uint64_t row) const;
  std::uint64_t rows() const { return rows_; }
  // Throws Error unless there is a weight for each of so many rows, and none left over.
  void check_rows(std::uint64_t rows) const;

 private:
  std::string path_;
  TempFile file_;
  std::uint64_t rows_ = 0;
  double mean_ = 1;
  const double* weights_ = nullptr;
};

}  // namespace thresh
