// Parses tables: csv and tsv.
#pragma once

#include <memory>
#include <string>

#include "data/read/named_rows.hpp"

namespace thresh {

// `reading` and `texts` come from a file read earlier, see Vocabulary, or are empty.
std::unique_ptr<NamedParser> make_table_parser(const std::string& file, const ReadOptions& options,
                                               Format format, const Record& reading,
                                               const ColumnTexts& texts = {});

}  // namespace thresh
