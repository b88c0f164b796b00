// One block of rows as stored in a cache: packed, but each row can be read alone.
//
// A head with the counts and codes, then the arrays without gaps:
//
//     sizes          entries of each row                            IntCode
//     index bytes    size of each row's indices                     IntCode
//     id gaps        id - first id - place in the block             IntCode
//     line gaps      the same for lines                             IntCode
//     tables         of labels, of values, of weights               doubles
//     labels         one per row                                    NumberCode
//     indices        row by row, counted from 0                     see codec.hpp; in a wide
//                                                                   block five plain bytes each
//     values         one per entry                                  NumberCode
//     weights        of the rows, one per row                       NumberCode; none if all are 1
//     padding        zeros, to a multiple of eight
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/cache/codec.hpp"
#include "sparse/feature_map.hpp"
#include "thresh/rows.hpp"

namespace thresh {

// Why a block is bad. The caller adds its number.
struct BadBlock {
  std::string reason;
};

// Packs the rows of a block, whose features are numbered by `features`.
Bytes pack_block(const RowBlock& block, const FeatureMap& features);

struct BlockHead {
  std::uint64_t rows = 0, entries = 0, dimension = 0, source_bytes = 0, bad_rows = 0;
  std::uint64_t id_end = 0;  // one past the largest index, counted from 0
  std::uint64_t first_id = 0, first_line = 0;
  std::uint64_t index_bytes = 0;  // of all rows
  std::uint64_t wide = 0;         // 1: indices are five bytes each
  IntCode sizes, row_index_bytes, id_gaps, line_gaps;
  NumberCode labels, values;
  NumberCode weights;  // since version 2
};
// The size of the head in version 1.
inline constexpr std::size_t kFirstBlockHead = sizeof(BlockHead) - sizeof(NumberCode);

class PackedBlock {
 public:
  // Views `bytes`; kPackPadding more bytes after them must be readable. Throws BadBlock if the
  // arrays do not fit together. check() checks their content.
  explicit PackedBlock(std::span<const unsigned char> bytes,
                       std::size_t head_bytes = sizeof(BlockHead));
  // Throws BadBlock unless a parser could have made every row. One call is enough.
  void check() const;

  const BlockHead& head() const { return head_; }
  std::size_t rows() const { return labels_.size(); }
  std::size_t size(std::size_t row) const { return starts_[row + 1] - starts_[row]; }
  double label(std::size_t row) const { return labels_[row]; }
  double weight(std::size_t row) const { return weights_.empty() ? 1 : weights_[row]; }
  std::uint64_t id(std::size_t row) const {
    return head_.first_id + row + unpack_int(head_.id_gaps, at_.id_gaps, row);
  }
  std::uint64_t line(std::size_t row) const;

  // Calls take(id, value) for each entry of a row, in the order of ids.
  template <class Take>
  void for_each(std::size_t row, const Take& take) const {
    const auto [ids, values] = entries_of(row);
    for (std::size_t i = 0; i < size(row); ++i) take(ids[i], values[i]);
  }
  // Prefetches a row.
  void prefetch(std::size_t row) const;
  // Writes a row's slots and values and returns how many: fewer than size() if the map does not
  // know some. Both need room for kUnpackRoom more than size().
  std::size_t unpack(std::size_t row, FeatureMap& features, bool normalize, std::uint32_t* slots,
                     double* values) const;

 private:
  struct Arrays {
    const unsigned char *sizes, *row_index_bytes, *id_gaps, *line_gaps, *label_table, *value_table,
        *weight_table, *labels, *indices, *values, *weights;
  };
  void lay_out(std::size_t bytes);
  void find_rows();
  void check_row(std::size_t row, std::vector<std::uint64_t>& ids,
                 std::vector<double>& values) const;
  std::uint64_t wide_id(std::size_t entry) const;
  void unpack_ids(std::size_t row, std::uint64_t* ids) const;
  // Valid until the next call on this thread.
  std::pair<const std::uint64_t*, const double*> entries_of(std::size_t row) const;

  BlockHead head_;
  Arrays at_{};
  std::vector<std::size_t> starts_;    // of rows, in entries
  std::vector<std::size_t> index_at_;  // of rows, in bytes from at_.indices
  std::vector<double> labels_;
  std::vector<double> weights_;  // empty: all one
};

}  // namespace thresh
