#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "thresh/error.hpp"
#include "thresh/files.hpp"

namespace thresh {

LogFile::LogFile(std::string path, Start start)
    : path_(std::move(path)), file_(std::fopen(path_.c_str(), start == Start::empty ? "w" : "a")) {
  if (!file_) fail();
}

void LogFile::write(const std::string& text) {
  if (std::fputs(text.c_str(), file_.get()) < 0) fail();
}

void LogFile::flush() {
  if (std::fflush(file_.get()) != 0) fail();
}

void LogFile::fail() const {
  throw Error(fmt::format("{}: cannot write: {}", path_, std::strerror(errno)));
}

}  // namespace thresh
