#include "data/read/same_bytes.hpp"

#include <algorithm>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace thresh {
namespace {

// Hashes what passes. XXH3's state wants more alignment than a member of a class has.
class HashedBytes : public ByteStream {
 public:
  explicit HashedBytes(std::unique_ptr<ByteStream> in)
      : in_(std::move(in)), state_(XXH3_createState()) {
    XXH3_64bits_reset(state_.get());
  }
  bool would_wait() const override { return in_->would_wait(); }

 protected:
  std::size_t pass(char* out, std::size_t n) {
    const std::size_t got = in_->read(out, n);
    XXH3_64bits_update(state_.get(), out, got);
    bytes_ += got;
    return got;
  }
  std::uint64_t bytes() const { return bytes_; }
  BytesSeen seen() const { return {bytes_, XXH3_64bits_digest(state_.get())}; }

 private:
  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  std::unique_ptr<ByteStream> in_;
  std::unique_ptr<XXH3_state_t, Free> state_;
  std::uint64_t bytes_ = 0;
};

class NotedBytes final : public HashedBytes {
 public:
  NotedBytes(std::unique_ptr<ByteStream> in, std::shared_ptr<BytesSeen> noted)
      : HashedBytes(std::move(in)), noted_(std::move(noted)) {}
  std::size_t read(char* out, std::size_t n) override {
    const std::size_t got = pass(out, n);
    if (got == 0) *noted_ = seen();
    return got;
  }

 private:
  std::shared_ptr<BytesSeen> noted_;
};

class SameBytes final : public HashedBytes {
 public:
  SameBytes(std::unique_ptr<ByteStream> in, const BytesSeen& before, std::string name)
      : HashedBytes(std::move(in)), before_(before), name_(std::move(name)) {}
  std::size_t read(char* out, std::size_t n) override {
    n = static_cast<std::size_t>(std::min<std::uint64_t>(n, before_.bytes - bytes()));
    if (const std::size_t got = n > 0 ? pass(out, n) : 0) return got;
    if (bytes() < before_.bytes || seen().hash != before_.hash) throw_changed(name_);
    return 0;
  }

 private:
  BytesSeen before_;
  std::string name_;
};

}  // namespace

std::unique_ptr<ByteStream> noted_bytes(std::unique_ptr<ByteStream> in,
                                        std::shared_ptr<BytesSeen> seen) {
  return std::make_unique<NotedBytes>(std::move(in), std::move(seen));
}

std::unique_ptr<ByteStream> same_bytes(std::unique_ptr<ByteStream> in, const BytesSeen& seen,
                                       std::string name) {
  return std::make_unique<SameBytes>(std::move(in), seen, std::move(name));
}

}  // namespace thresh
