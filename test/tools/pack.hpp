// Compresses files in memory, for tests to read.
#pragma once

#include <gtest/gtest.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <cstdint>
#include <random>
#include <string>

namespace pack {

inline std::string gzip(const std::string& plain) {
  z_stream state{};
  deflateInit2(&state, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&state, plain.size()), '\0');
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  state.avail_in = static_cast<uInt>(plain.size());
  state.next_out = reinterpret_cast<Bytef*>(packed.data());
  state.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&state, Z_FINISH), Z_STREAM_END);
  packed.resize(state.total_out);
  deflateEnd(&state);
  return packed;
}

inline std::string zstd(const std::string& plain) {
  ZSTD_CCtx* state = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(state, ZSTD_c_checksumFlag, 1);
  std::string packed(ZSTD_compressBound(plain.size()), '\0');
  packed.resize(ZSTD_compress2(state, packed.data(), packed.size(), plain.data(), plain.size()));
  ZSTD_freeCCtx(state);
  return packed;
}

inline std::string xz(const std::string& plain) {
  std::string packed(lzma_stream_buffer_bound(plain.size()), '\0');
  std::size_t size = 0;
  EXPECT_EQ(lzma_easy_buffer_encode(
                1, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const std::uint8_t*>(plain.data()),
                plain.size(), reinterpret_cast<std::uint8_t*>(packed.data()), &size, packed.size()),
            LZMA_OK);
  packed.resize(size);
  return packed;
}

// Half text, half noise, so that both compressed and stored blocks occur.
inline std::string sample(std::size_t size) {
  std::mt19937 random(7);
  std::string text;
  while (text.size() < size / 2) text += "+1 " + std::to_string(random() % 1000) + ":0.5\n";
  while (text.size() < size) text += static_cast<char>(random());
  return text;
}

}  // namespace pack
