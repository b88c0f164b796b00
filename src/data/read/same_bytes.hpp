// For a file that is read twice: the second time its bytes must be those of the first.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "data/read/bytes.hpp"

namespace thresh {

// What was read.
struct BytesSeen {
  std::uint64_t bytes = 0;
  std::uint64_t hash = 0;
};

// The bytes of `in`; at their end `seen` is set.
std::unique_ptr<ByteStream> noted_bytes(std::unique_ptr<ByteStream> in,
                                        std::shared_ptr<BytesSeen> seen);

// The bytes of `in`, which must begin with those that were seen, or the end throws that the file
// `name` changed. What a growing file has had since then is left out.
std::unique_ptr<ByteStream> same_bytes(std::unique_ptr<ByteStream> in, const BytesSeen& seen,
                                       std::string name);

}  // namespace thresh
