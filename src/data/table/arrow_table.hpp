// A table in memory by the Arrow C stream interface. Its batches are held, and its cells are read
// where they are. Blocks have the rows that they would have if the table were read from a csv file.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/table/arrow_cells.hpp"
#include "data/table/cell.hpp"
#include "thresh/table.hpp"

namespace thresh {

// Releases a structure of the interface, unless it was never filled in or handed on.
template <class T>
struct ArrowReleased : T {
  ArrowReleased() : T{} {}
  ArrowReleased(const ArrowReleased&) = delete;
  ArrowReleased& operator=(const ArrowReleased&) = delete;
  ~ArrowReleased() {
    if (this->release != nullptr) this->release(this);
  }
};

class ArrowTable {
 public:
  // Reads the stream to its end and releases it. Throws Error and UsageError.
  ArrowTable(ArrowArrayStream& stream, const TableBeside& beside);

  std::uint64_t rows() const { return starts_.back(); }
  // Of all columns, with those beside the table at the end; "" for a column without a name.
  const std::vector<std::string>& names() const { return names_; }
  const std::string& label() const { return label_; }
  const std::string& weight() const { return weight_; }
  const std::vector<std::string>& categories() const { return categories_; }
  // The first row of each block, and the end.
  const std::vector<std::uint64_t>& blocks() const { return blocks_; }

  class Cells;  // of one row, for one thread
  class LineLengths;

 private:
  struct Column {
    ArrowCells cells;
    std::size_t place = 0;  // among the children of a batch
  };
  void add_column(const ArrowSchema& column, std::size_t place);
  void add_beside(const TableBeside& beside);
  bool is_beside(std::size_t column) const { return column >= columns_.size(); }
  std::string beside_text(std::size_t column, std::uint64_t row) const;
  void cut_blocks();
  std::uint64_t widest_row() const;
  std::uint64_t header_bytes() const;

  ArrowReleased<ArrowSchema> schema_;
  std::vector<std::unique_ptr<ArrowReleased<ArrowArray>>> batches_;
  std::vector<std::uint64_t> starts_{0};  // the first row of each batch, and the end
  std::vector<Column> columns_;
  std::vector<std::string> names_, categories_;
  std::string label_, weight_;
  std::vector<double> labels_, weights_;  // beside the table; empty: none
  std::vector<std::string> label_names_;
  std::vector<std::uint64_t> blocks_{0};
};

class ArrowTable::Cells final : public RowCells {
 public:
  // Both must live as long.
  Cells(const ArrowTable& table, const CellReader& reader);
  void move_to(std::uint64_t row);
  std::size_t size() const override { return table_.names_.size(); }
  std::string_view text(std::size_t column) override;
  Cell cell(std::size_t column) override;
  // How long a line of a csv file the row is, without its end; an upper bound if not `exact`.
  std::uint64_t line_bytes(bool exact);

 private:
  double number(std::size_t column) const;
  bool has_number(std::size_t column) const;
  const ArrowArray& array(const Column& column) const;

  const ArrowTable& table_;
  const CellReader& reader_;
  std::uint64_t row_ = 0;
  std::size_t batch_ = 0;   // of the row
  std::int64_t place_ = 0;  // in the batch
  std::vector<std::string> texts_;
};

// The word for a label: that of its number if labels have names. Throws UsageError.
std::string label_text(double label, const std::vector<std::string>& names);

}  // namespace thresh
