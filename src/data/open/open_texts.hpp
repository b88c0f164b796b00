// Opens raw texts as rows. Learns first how terms become features, unless that is known.
#pragma once

#include <memory>
#include <string>

#include "thresh/rows.hpp"

namespace thresh {

// If options.vocabulary does not know how texts become rows, they are read twice: the first pass
// learns terms and labels. For prediction, labels may be missing.
std::shared_ptr<RowSource> open_texts(const std::string& path, const ReadOptions& options,
                                      std::shared_ptr<FeatureMap> features);

}  // namespace thresh
