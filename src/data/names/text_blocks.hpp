// Blocks of a file with named features, as lines of text.
#pragma once

#include <memory>
#include <string>

#include "data/names/named_source.hpp"

namespace thresh {

// options.vocabulary must be set. A format that needs a survey has read the file once when this
// returns.
std::unique_ptr<NamedBlocks> text_blocks(const std::string& path, const std::string& name,
                                         Format format, const ReadOptions& options);

}  // namespace thresh
