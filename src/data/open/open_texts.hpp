// Opens raw texts as rows. How terms become features is learned first, unless it is known.
#pragma once

#include <memory>
#include <string>

#include "thresh/rows.hpp"

namespace thresh {

// Opens texts. Unless options.vocabulary knows how they become rows, they are read twice, and that
// and their labels are learned first. For prediction labels may be missing.
std::shared_ptr<RowSource> open_texts(const std::string& path, const ReadOptions& options,
                                      std::shared_ptr<FeatureMap> features);

}  // namespace thresh
