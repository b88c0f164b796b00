// Decompresses a stream.

#include <fmt/format.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "data/read/bytes.hpp"

namespace thresh {

namespace {

constexpr std::size_t kChunk = 1 << 18;

// Shared by the three formats: feeds the library, and distinguishes an end from a truncation.
class Decoder : public ByteStream {
 public:
  Decoder(std::string_view format, std::unique_ptr<ByteStream> in, std::string name)
      : format_(format), name_(std::move(name)), in_(std::move(in)), chunk_(kChunk) {}

  std::size_t read(char* out, std::size_t n) final {
    while (n > 0) {
      if (input_.empty()) input_ = {chunk_.data(), in_->read(chunk_.data(), chunk_.size())};
      const bool at_end = input_.empty();
      if (at_end && complete_) break;
      const std::size_t made = decode(input_, out, n);
      if (made > 0) return made;
      if (at_end && !complete_) fail("truncated");
    }
    return 0;
  }

  // A decoder may hold more output, but then its caller only hands over rows a little early.
  bool would_wait() const final { return input_.empty() && in_->would_wait(); }

 protected:
  // Consumes bytes from the front of `input`, which is empty only at its end. Returns how many
  // bytes it wrote to `out`.
  virtual std::size_t decode(std::string_view& input, char* out, std::size_t n) = 0;
  [[noreturn]] void fail(std::string_view what) const {
    throw Error(fmt::format("{}: {} {} data", name_, what, format_));
  }
  [[noreturn]] void fail_for_memory() const { fail("not enough memory for"); }

  bool complete_ = false;  // whether the input may end here

 private:
  std::string_view format_;
  std::string name_;
  std::unique_ptr<ByteStream> in_;
  std::vector<char> chunk_;
  std::string_view input_;  // the rest of the chunk
};

class GzipDecoder final : public Decoder {
 public:
  GzipDecoder(std::unique_ptr<ByteStream> in, std::string name)
      : Decoder("gzip", std::move(in), std::move(name)) {
    constexpr int kGzipOnly = 16;
    if (inflateInit2(&state_, MAX_WBITS + kGzipOnly) != Z_OK) fail_for_memory();
  }
  ~GzipDecoder() override { inflateEnd(&state_); }

 protected:
  std::size_t decode(std::string_view& input, char* out, std::size_t n) override {
    if (complete_) {
      // Files read from a tape or a block device are padded with zeros. gzip itself skips them too.
      input.remove_prefix(std::min(input.find_first_not_of('\0'), input.size()));
      if (input.empty()) return 0;
      inflateReset(&state_);
      complete_ = false;
    }
    const uInt room = static_cast<uInt>(std::min(n, kChunk));  // a uInt is narrower than n
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
    state_.avail_in = static_cast<uInt>(input.size());
    state_.next_out = reinterpret_cast<Bytef*>(out);
    state_.avail_out = room;
    const int status = inflate(&state_, Z_NO_FLUSH);
    input.remove_prefix(input.size() - state_.avail_in);
    if (status == Z_MEM_ERROR) fail_for_memory();
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) fail("corrupt");
    complete_ = status == Z_STREAM_END;
    return room - state_.avail_out;
  }

 private:
  z_stream state_{};
};

class ZstdDecoder final : public Decoder {
 public:
  ZstdDecoder(std::unique_ptr<ByteStream> in, std::string name)
      : Decoder("zstd", std::move(in), std::move(name)), state_(ZSTD_createDCtx(), ZSTD_freeDCtx) {
    constexpr int kLargestWindow = 31;  // what `zstd --ultra --long=31` writes
    if (!state_) fail_for_memory();
    ZSTD_DCtx_setParameter(state_.get(), ZSTD_d_windowLogMax, kLargestWindow);
  }

 protected:
  std::size_t decode(std::string_view& input, char* out, std::size_t n) override {
    ZSTD_inBuffer from{input.data(), input.size(), 0};
    ZSTD_outBuffer to{out, n, 0};
    const std::size_t status = ZSTD_decompressStream(state_.get(), &to, &from);
    if (ZSTD_isError(status) != 0) {
      if (ZSTD_getErrorCode(status) == ZSTD_error_memory_allocation) fail_for_memory();
      fail("corrupt");
    }
    input.remove_prefix(from.pos);
    complete_ = status == 0;
    return to.pos;
  }

 private:
  std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> state_;
};

class XzDecoder final : public Decoder {
 public:
  XzDecoder(std::unique_ptr<ByteStream> in, std::string name)
      : Decoder("xz", std::move(in), std::move(name)) {
    if (lzma_stream_decoder(&state_, UINT64_MAX, LZMA_CONCATENATED) != LZMA_OK) fail_for_memory();
  }
  ~XzDecoder() override { lzma_end(&state_); }

 protected:
  std::size_t decode(std::string_view& input, char* out, std::size_t n) override {
    state_.next_in = reinterpret_cast<const std::uint8_t*>(input.data());
    state_.avail_in = input.size();
    state_.next_out = reinterpret_cast<std::uint8_t*>(out);
    state_.avail_out = n;
    // Only the end of the input tells the library that no further stream follows.
    const lzma_ret status = lzma_code(&state_, input.empty() ? LZMA_FINISH : LZMA_RUN);
    input.remove_prefix(input.size() - state_.avail_in);
    if (status == LZMA_MEM_ERROR) fail_for_memory();
    if (status != LZMA_OK && status != LZMA_STREAM_END && status != LZMA_BUF_ERROR) fail("corrupt");
    complete_ = status == LZMA_STREAM_END;
    return n - state_.avail_out;
  }

 private:
  lzma_stream state_ = LZMA_STREAM_INIT;
};

}  // namespace

std::unique_ptr<ByteStream> make_decoder(Packing packing, std::unique_ptr<ByteStream> in,
                                         std::string name) {
  switch (packing) {
    case Packing::plain:
      break;
    case Packing::gzip:
      return std::make_unique<GzipDecoder>(std::move(in), std::move(name));
    case Packing::zstd:
      return std::make_unique<ZstdDecoder>(std::move(in), std::move(name));
    case Packing::xz:
      return std::make_unique<XzDecoder>(std::move(in), std::move(name));
    case Packing::cache:
      throw Error(name + (name == "<stdin>"
                              ? ": a cache cannot be read from a pipe; give its file name"
                              : ": this is a cache, but text is needed here"));
  }
  return in;
}

}  // namespace thresh
