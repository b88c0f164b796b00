#include "files/temp_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>

#include "files/temporary_name.hpp"
#include "thresh/error.hpp"

namespace thresh {

namespace {

std::string temporary_folder() {
  const char* folder = ::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

}  // namespace

TempFile::TempFile() : folder_(temporary_folder()), out_(open()) {}

void TempFile::append(const void* data, std::size_t size) {
  check_write(out_.append(data, size));
  size_ += size;
}

void TempFile::flush() {
  check_write(out_.flush());
}

void TempFile::pread(void* out, std::size_t size, std::uint64_t offset) const {
  char* to = static_cast<char*>(out);
  while (size > 0) {
    const ssize_t got = ::pread(fd(), to, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      throw Error(fmt::format("temporary file in {}: cannot read: {}", folder_,
                              got < 0 ? last_error().message() : "past its end"));
    }
    to += got;
    size -= static_cast<std::size_t>(got);
    offset += static_cast<std::uint64_t>(got);
  }
}

Fd TempFile::open() const {
  if (Fd unnamed = open_unnamed(folder_, O_RDWR, 0600)) return unnamed;
  std::string name = folder_ + "/thresh.XXXXXX";
  Fd fd(::mkostemp(name.data(), O_CLOEXEC));
  if (!fd || ::unlink(name.c_str()) != 0) check_write(last_error());
  return fd;
}

void TempFile::check_write(std::error_code error) const {
  if (!error) return;
  throw Error(fmt::format("temporary file in {}: {} (set TMPDIR to a folder with room)", folder_,
                          error.message()));
}

}  // namespace thresh
