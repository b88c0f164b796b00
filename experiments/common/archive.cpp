#include "common/archive.hpp"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <array>
#include <memory>

#include "data/read/bytes.hpp"
#include "thresh/error.hpp"

namespace thresh::experiments {
namespace {

using Archive = std::unique_ptr<archive, decltype(&archive_read_free)>;

void check(const Archive& reader, la_ssize_t result, const std::string& path) {
  if (result < ARCHIVE_OK) throw Error(path + ": " + archive_error_string(reader.get()));
}

std::string content_of(const Archive& reader, const std::string& path) {
  std::string content;
  std::array<char, 1 << 16> part;
  for (;;) {
    const la_ssize_t n = archive_read_data(reader.get(), part.data(), part.size());
    check(reader, n, path);
    if (n == 0) return content;
    content.append(part.data(), static_cast<std::size_t>(n));
  }
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
  const Archive reader(archive_read_new(), archive_read_free);
  archive_read_support_filter_all(reader.get());
  archive_read_support_format_tar(reader.get());
  check(reader, archive_read_open_filename(reader.get(), path.c_str(), 1 << 16), path);
  std::vector<ArchivedFile> files;
  archive_entry* entry = nullptr;
  for (;;) {
    const int result = archive_read_next_header(reader.get(), &entry);
    if (result == ARCHIVE_EOF) break;
    check(reader, result, path);
    if (archive_entry_filetype(entry) != AE_IFREG) continue;
    std::string name = archive_entry_pathname(entry);
    files.push_back({std::move(name), content_of(reader, path)});
  }
  std::sort(files.begin(), files.end(),
            [](const ArchivedFile& a, const ArchivedFile& b) { return a.path < b.path; });
  return files;
}

}  // namespace thresh::experiments
