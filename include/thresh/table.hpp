// Tables in memory by the Arrow C stream interface, whose structures are in thresh.h. Columns,
// categories and missing cells count as in a csv file with the same cells, and so the models are
// the same, but the cells are read where they are.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "thresh/fit.hpp"
#include "thresh/rows.hpp"

struct ArrowArrayStream;

namespace thresh {

class ArrowTable;

// What comes beside a table, one number for each row: further columns. Empty: the table has them.
struct TableBeside {
  std::uint64_t rows = 0;  // how many numbers there are
  const double* labels = nullptr;
  const double* weights = nullptr;
  std::vector<std::string> label_names;  // words for labels 0, 1, ...; empty: labels are numbers
};

struct MemoryTable {
  std::shared_ptr<const ArrowTable> cells;
  std::string label, weight;            // columns that came beside the table; or ""
  std::vector<std::string> categories;  // columns whose type says that their values are categories
};

// Reads the stream to its end and releases it; its batches are held as long as the table. Labels
// and weights are copied. Throws UsageError for a column whose cells are neither numbers, words nor
// dates.
MemoryTable arrow_table(ArrowArrayStream& stream, const TableBeside& beside = {});

// As open_problem() and open_rows() for the csv file with the same cells.
Problem table_problem(const MemoryTable& train, const ReadOptions& options = {},
                      const MemoryTable* valid = nullptr);
std::shared_ptr<RowSource> table_rows(const MemoryTable& table, const ReadOptions& options,
                                      std::shared_ptr<FeatureMap> features);

}  // namespace thresh
