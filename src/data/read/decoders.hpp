// Decompresses a stream.
#pragma once

#include <memory>
#include <string>

#include "data/read/bytes.hpp"

namespace thresh {

enum class Packing { plain, gzip, zstd, xz, cache };

// Decodes `in`, which may be several concatenated compressed files. `name` is for messages.
std::unique_ptr<ByteStream> make_decoder(Packing packing, std::unique_ptr<ByteStream> in,
                                         std::string name);

}  // namespace thresh
