#include "data/read/matrix_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "data/read/dense_matrix_reader.hpp"
#include "data/read/sparse_matrix_reader.hpp"
#include "sparse/feature_map.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

template <class Index>
void check_starts(const MatrixView& matrix) {
  const bool csr = matrix.layout == MatrixView::Layout::csr;
  const std::uint64_t n = csr ? matrix.rows : matrix.columns;
  const auto* const starts = static_cast<const Index*>(matrix.starts);
  if (starts == nullptr) throw UsageError("matrix: starts are missing");
  if (starts[0] != 0) throw UsageError("matrix: starts must begin with 0");
  if (!std::is_sorted(starts, starts + n + 1)) throw UsageError("matrix: starts must not fall");
  if (static_cast<std::uint64_t>(starts[n]) > matrix.entries) {
    throw UsageError(fmt::format("matrix: starts ends with {}, but there are {} entries",
                                 static_cast<std::int64_t>(starts[n]), matrix.entries));
  }
  if (starts[n] > 0 && (matrix.indices == nullptr || matrix.values == nullptr)) {
    throw UsageError("matrix: indices or values are missing");
  }
}

template <class Index, class Value>
std::unique_ptr<MatrixReader> sparse_reader(const MatrixView& matrix, std::uint64_t first_row,
                                            MatrixCheck check) {
  check_starts<Index>(matrix);
  if (matrix.layout == MatrixView::Layout::csr) {
    return std::make_unique<CsrReader<Index, Value>>(matrix, first_row, check);
  }
  return std::make_unique<CscReader<Index, Value>>(matrix, first_row);
}

template <class Value>
std::unique_ptr<MatrixReader> reader_of(const MatrixView& matrix, std::uint64_t first_row,
                                        MatrixCheck check) {
  if (matrix.layout == MatrixView::Layout::dense) {
    if (matrix.values == nullptr && matrix.rows > 0 && matrix.columns > 0) {
      throw UsageError("matrix: values are missing");
    }
    return std::make_unique<DenseReader<Value>>(matrix, first_row);
  }
  if (matrix.index == MatrixView::Index::int32) {
    return sparse_reader<std::int32_t, Value>(matrix, first_row, check);
  }
  return sparse_reader<std::int64_t, Value>(matrix, first_row, check);
}

}  // namespace

std::unique_ptr<MatrixReader> matrix_reader(const MatrixView& matrix, std::uint64_t first_row,
                                            MatrixCheck check) {
  if (matrix.columns > FeatureMap::kMaxIndex) {
    throw UsageError(fmt::format("matrix: {} columns are more than 2^40", matrix.columns));
  }
  return matrix.value == MatrixView::Value::float64 ? reader_of<double>(matrix, first_row, check)
                                                    : reader_of<float>(matrix, first_row, check);
}

}  // namespace thresh
