#include "common/archive.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "data/read/bytes.hpp"
#include "thresh/error.hpp"

namespace thresh::experiments {
namespace {

// The POSIX header: what is where in the block of 512 bytes that precedes each file.
constexpr std::size_t kBlock = 512;
constexpr std::size_t kNameSize = 100, kSizeAt = 124, kSizeSize = 11, kKindAt = 156, kMagicAt = 257;

std::string_view field(std::string_view header, std::size_t at, std::size_t size) {
  const std::string_view text = header.substr(at, size);
  return text.substr(0, text.find('\0'));
}

std::size_t content_size(std::string_view header, const std::string& path) {
  const std::string_view digits = field(header, kSizeAt, kSizeSize);
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size, 8);
  if (error != std::errc() || field(header, kMagicAt, 5) != "ustar") {
    throw Error(path + ": not a tar archive");
  }
  return size;
}

}  // namespace

std::string read_bytes(const std::string& path) {
  const auto bytes = open_bytes(path);
  std::string text;
  std::array<char, 1 << 16> part;
  while (const std::size_t n = bytes->read(part.data(), part.size())) text.append(part.data(), n);
  return text;
}

std::vector<ArchivedFile> read_archive(const std::string& path) {
  const std::string bytes = read_bytes(path);
  std::vector<ArchivedFile> files;
  for (std::size_t at = 0; at + kBlock <= bytes.size() && bytes[at] != '\0';) {
    const std::string_view header = std::string_view(bytes).substr(at, kBlock);
    const std::size_t size = content_size(header, path);
    at += kBlock;
    if (size > bytes.size() - at) throw Error(path + ": the archive ends within a file");
    if (header[kKindAt] == '0') {
      files.push_back({std::string(field(header, 0, kNameSize)), bytes.substr(at, size)});
    }
    at += (size + kBlock - 1) / kBlock * kBlock;
  }
  std::sort(files.begin(), files.end(),
            [](const ArchivedFile& a, const ArchivedFile& b) { return a.path < b.path; });
  return files;
}

}  // namespace thresh::experiments
