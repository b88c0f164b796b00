// Reads rows from a MatrixView, of any layout and type.
#pragma once

#include <cstdint>
#include <memory>

#include "thresh/matrix.hpp"

namespace thresh {

// When the entries of a csr matrix are checked: all at once, or those of a block when it is made,
// which is cheaper for rows that are read once.
enum class MatrixCheck { at_once, by_block };

class MatrixReader {
 public:
  virtual ~MatrixReader() = default;
  // Entries of a row as they count for the end of a block, see BlockRule.
  virtual std::uint64_t entries(std::uint64_t row) const = 0;
  // Appends the entries of rows first .. last - 1 to `starts`, `slots` and `values`.
  virtual void append(std::uint64_t first, std::uint64_t last, bool normalize_l2,
                      FeatureMap& features, RowBlock& block) const = 0;
  // The same for an empty block that refers to the arrays as far as they are as a block has them,
  // at least to the values.
  virtual bool lend(std::uint64_t first, std::uint64_t last, bool normalize_l2,
                    const FeatureMap& features, RowBlock& block) const {
    static_cast<void>(first), static_cast<void>(last), static_cast<void>(normalize_l2);
    static_cast<void>(features), static_cast<void>(block);
    return false;
  }
};

// Checks the arrays. `first_row` is added to the numbers of rows in messages. Throws UsageError.
std::unique_ptr<MatrixReader> matrix_reader(const MatrixView& matrix, std::uint64_t first_row = 0,
                                            MatrixCheck check = MatrixCheck::at_once);

}  // namespace thresh
