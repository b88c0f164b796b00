// Turns a compressed stream into the plain one.
#pragma once

#include <memory>
#include <string>

#include "data/read/bytes.hpp"

namespace thresh {

enum class Packing { plain, gzip, zstd, xz, cache };

// Decodes `in`, which may be several compressed files in a row. `name` is for messages.
std::unique_ptr<ByteStream> make_decoder(Packing packing, std::unique_ptr<ByteStream> in,
                                         std::string name);

}  // namespace thresh
