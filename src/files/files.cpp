#include "thresh/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "files/fd.hpp"
#include "files/temporary_name.hpp"
#include "thresh/error.hpp"

namespace thresh {

namespace {

std::error_code sync(int fd) {
  // EINVAL: the file system does not support syncing. No write was lost.
  int result = 0;
  do result = ::fsync(fd);
  while (result != 0 && errno == EINTR);
  return result == 0 || errno == EINVAL ? std::error_code{} : last_error();
}

// A rename is durable only after its folder is synced.
std::error_code sync_folder_of(const std::string& path) {
  const Fd fd(::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd) return sync(fd.get());
  // A folder may be writable but not readable. The file is in place anyway.
  return errno == EACCES ? std::error_code{} : last_error();
}

Fd duplicate(int inherited) {
  return Fd(::fcntl(inherited, F_DUPFD_CLOEXEC, 0));
}

// Gives a new file the permissions of the one that it replaces.
std::error_code copy_mode(const struct stat& old, int fd) {
  struct stat fresh {};
  const bool same = ::fstat(fd, &fresh) == 0 && fresh.st_mode == old.st_mode;
  return same || ::fchmod(fd, old.st_mode & 07777) == 0 ? std::error_code{} : last_error();
}

std::error_code write_error(bool failed) {
  return failed ? last_error() : std::error_code{};
}

[[noreturn]] void cannot_write(const std::string& path, std::error_code error) {
  throw Error(fmt::format("{}: cannot write: {}", path, error.message()));
}

}  // namespace

struct AtomicFile::Opened {
  std::string path;
};

// In two steps: once the first is done, the destructor removes what the second leaves on an error.
AtomicFile::AtomicFile(Opened opened)
    : path_(std::move(opened.path)), out_(std::make_unique<WriteBuffer>()) {}

AtomicFile::AtomicFile(std::string path) : AtomicFile(Opened{std::move(path)}) {
  out_->open(open());
}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  finish();
}

void AtomicFile::write(std::string_view bytes) {
  check(out_->append(bytes.data(), bytes.size()));
}

void AtomicFile::hand_over() {
  if (!replaces()) check(out_->flush());
}

void AtomicFile::commit() {
  prepare();
  publish();
  finish();
  if (replaces()) check(sync_folder_of(target_));
}

void AtomicFile::commit_together(const std::vector<AtomicFile*>& files) {
  for (AtomicFile* file : files) file->prepare();
  for (AtomicFile* file : files) file->save_old();
  try {
    for (AtomicFile* file : files) file->publish();
  } catch (...) {
    for (AtomicFile* file : files) file->undo();
    throw;
  }
  for (AtomicFile* file : files) file->finish();
  for (AtomicFile* file : files) {
    if (file->replaces()) file->check(sync_folder_of(file->target_));
  }
}

void AtomicFile::prepare() {
  check(out_->flush());
  if (!replaces()) return check(out_->close());
  check(sync(out_->fd()));
  remove_leftovers(target_);
  if (!temporary_.empty()) return;
  temporary_ = link_beside(out_->fd(), target_);
  check(write_error(temporary_.empty()));
}

void AtomicFile::save_old() {
  if (!replaces()) return;
  old_ = second_name(target_);
  // Without hard links there is no way back, which matters only if a rename fails.
  const bool none = errno == ENOENT || errno == EPERM || errno == EOPNOTSUPP || errno == EMLINK;
  check(write_error(old_.empty() && !none));
}

// Synced and locked until it has its name, so an error of close() would be none of ours.
void AtomicFile::publish() {
  if (!replaces()) return;
  check(write_error(::rename(temporary_.c_str(), target_.c_str()) != 0));
  temporary_.clear();
  published_ = true;
  (void)out_->close();
}

void AtomicFile::undo() noexcept {
  if (!published_) return;
  if (old_.empty()) {
    ::unlink(target_.c_str());
  } else if (::rename(old_.c_str(), target_.c_str()) == 0) {
    old_.clear();
  }
}

void AtomicFile::finish() noexcept {
  if (!old_.empty()) ::unlink(old_.c_str());
  old_.clear();
}

Fd AtomicFile::open() {
  if (const int inherited = inherited_descriptor(path_); inherited >= 0) {
    Fd fd = duplicate(inherited);
    check(write_error(!fd));
    return fd;
  }
  struct stat info {};
  const bool exists = ::stat(path_.c_str(), &info) == 0;
  if (!exists && (errno != ENOENT || path_.empty())) check(last_error());
  if (exists && S_ISDIR(info.st_mode)) throw Error(fmt::format("{}: is a directory", path_));
  if (!exists) return open_temporary();
  if (S_ISREG(info.st_mode)) {
    Fd fd = open_temporary();
    check(copy_mode(info, fd.get()));
    return fd;
  }
  Fd fd(::open(path_.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC));
  check(write_error(!fd));
  return fd;
}

Fd AtomicFile::open_temporary() {
  target_ = follow_links(path_);
  if (Fd unnamed = open_unnamed(folder_of(target_), O_WRONLY, 0666)) return unnamed;
  Beside made = create_beside(target_);
  check(write_error(!made.fd));
  temporary_ = std::move(made.name);
  return std::move(made.fd);
}

void AtomicFile::check(std::error_code error) const {
  if (error) cannot_write(path_, error);
}

void check_writable(const std::string& path) {
  struct stat info {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  const bool replaced = !exists || S_ISREG(info.st_mode) || S_ISDIR(info.st_mode);
  if (replaced && inherited_descriptor(path) < 0) AtomicFile probe(path);
}

void write_file(const std::string& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

LogFile::LogFile(std::string path, Start start)
    : path_(std::move(path)), out_(std::make_unique<WriteBuffer>()) {
  if (const int inherited = inherited_descriptor(path_); inherited >= 0) {
    out_->open(duplicate(inherited));
  } else {
    struct stat info {};
    const bool regular = ::stat(path_.c_str(), &info) != 0 || S_ISREG(info.st_mode);
    if (start == Start::empty && regular) {
      replace();
      return;
    }
    out_->open(Fd(::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)));
  }
  check(write_error(out_->fd() < 0));
}

// The new file has another inode, so that the old one can come back.
void LogFile::replace() {
  const std::string target = follow_links(path_);
  remove_leftovers(target);
  struct stat info {};
  const bool exists = ::stat(target.c_str(), &info) == 0;
  Beside made = create_beside(target);
  check(write_error(!made.fd));
  try {
    if (exists) check(copy_mode(info, made.fd.get()));
    if (exists) old_ = second_name(target);
    check(write_error(::rename(made.name.c_str(), target.c_str()) != 0));
  } catch (...) {
    ::unlink(made.name.c_str());
    if (!old_.empty()) ::unlink(old_.c_str());
    throw;
  }
  out_->open(std::move(made.fd));
  target_ = target;
}

LogFile::~LogFile() {
  if (target_.empty()) return;
  if (old_.empty()) {
    ::unlink(target_.c_str());
  } else {
    ::rename(old_.c_str(), target_.c_str());
  }
}

void LogFile::write(const std::string& text) {
  check(out_->append(text.data(), text.size()));
}

void LogFile::flush() {
  check(out_->flush());
}

void LogFile::keep() {
  flush();
  if (!old_.empty()) ::unlink(old_.c_str());
  target_.clear();
}

void LogFile::check(std::error_code error) const {
  if (error) cannot_write(path_, error);
}

}  // namespace thresh
