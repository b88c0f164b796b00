// The cells of Arrow columns as text of a csv file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "thresh/thresh.h"

namespace thresh::capi {

// Appends the cell of a row, without quotes; nothing for a missing one.
using WriteCell = std::function<void(const ArrowArray& column, std::int64_t row, std::string& out)>;

// How to write the cells of a column. Throws UsageError for types that are neither numbers, words
// nor dates. The schema must live as long as the result.
WriteCell cell_writer(const ArrowSchema& schema, const std::string& name);

}  // namespace thresh::capi
