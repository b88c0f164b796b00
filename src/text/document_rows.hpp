// Turns documents into rows.
#pragma once

#include <functional>
#include <memory>

#include "text/documents.hpp"
#include "text/vectorizer.hpp"
#include "thresh/rows.hpp"

namespace thresh {

// Rows of documents, read once from start to end. Blocks end where those of the same rows in a
// libsvm file would, so the order of learning is the same, too. `label_of` may throw Error with the
// reason for a bad label. Of `options`, only the stop flag, the progress and the handling of bad
// rows matter.
std::shared_ptr<RowSource> document_rows(std::shared_ptr<const Documents> documents,
                                         std::shared_ptr<const TextVectorizer> vectorizer,
                                         std::function<double(std::string_view label)> label_of,
                                         const ReadOptions& options,
                                         std::shared_ptr<FeatureMap> features);

}  // namespace thresh
