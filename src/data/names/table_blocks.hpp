// Blocks of a table in memory.
#pragma once

#include <memory>
#include <string>

#include "data/names/named_source.hpp"
#include "data/table/arrow_table.hpp"

namespace thresh {

// options.vocabulary must be set. What the columns are is known when this returns.
std::unique_ptr<NamedBlocks> table_blocks(std::shared_ptr<const ArrowTable> table,
                                          const std::string& name, const ReadOptions& options);

}  // namespace thresh
