// Preloaded into the program: makes one call of the C library fail.
//
//     THRESH_FAULT=CALL:N:WHAT   the N-th CALL (counted from 1) fails with the error WHAT (EIO,
//     ...),
//                                from the N-th on with WHAT+. "short": all calls from the N-th on
//                                transfer at most 3 bytes.
//     THRESH_FAULT_LOG=FILE      gets "CALL COUNT" lines at the end of the program, and "fault"
//     when
//                                the fault happens
//
// Calls on descriptors 0 to 2 are left alone: a message must be seen, and inputs come from files.

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
}

namespace {

enum Call {
  kRead,
  kPread,
  kWrite,
  kPwrite,
  kOpen,
  kClose,
  kFsync,
  kRename,
  kLink,
  kMmap,
  kFtruncate,
  kThread,
  kMalloc,
  kCalls
};
constexpr const char* kNames[kCalls] = {"read",      "pread",  "write",  "pwrite", "open",
                                        "close",     "fsync",  "rename", "link",   "mmap",
                                        "ftruncate", "thread", "malloc"};
std::atomic<long> counts[kCalls];

struct Plan {
  int call = -1;
  long n = 0;
  int error = 0;
  bool on = false;  // from the n-th on
  bool transfers_little = false;
};

int error_named(const char* name, size_t length) {
  constexpr struct {
    const char* name;
    int value;
  } kErrors[] = {{"ENOSPC", ENOSPC}, {"EIO", EIO},       {"EINTR", EINTR},
                 {"ENOMEM", ENOMEM}, {"EAGAIN", EAGAIN}, {"EOPNOTSUPP", EOPNOTSUPP}};
  for (const auto& error : kErrors) {
    if (strlen(error.name) == length && strncmp(name, error.name, length) == 0) return error.value;
  }
  return 0;
}

Plan read_plan() {
  Plan plan;
  const char* text = getenv("THRESH_FAULT");
  const char* first = text != nullptr ? strchr(text, ':') : nullptr;
  const char* second = first != nullptr ? strchr(first + 1, ':') : nullptr;
  if (second == nullptr) return plan;
  for (int call = 0; call < kCalls; ++call) {
    const size_t length = strlen(kNames[call]);
    if (length == static_cast<size_t>(first - text) && strncmp(text, kNames[call], length) == 0) {
      plan.call = call;
    }
  }
  plan.n = atol(first + 1);
  const char* what = second + 1;
  size_t length = strlen(what);
  plan.on = length > 0 && what[length - 1] == '+';
  plan.transfers_little = strcmp(what, "short") == 0;
  plan.error = error_named(what, plan.on ? length - 1 : length);
  return plan;
}

const Plan& plan() {
  static const Plan made = read_plan();
  return made;
}

void log_text(const char* text, size_t size) {
  const char* path = getenv("THRESH_FAULT_LOG");
  if (path == nullptr) return;
  const long fd = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (fd < 0) return;
  (void)syscall(SYS_write, fd, text, size);
  (void)syscall(SYS_close, fd);
}

// Whether this call must fail; sets errno.
bool fails(Call call) {
  const long count = ++counts[call];
  const Plan& now = plan();
  if (now.call != call || now.error == 0) return false;
  if (now.on ? count < now.n : count != now.n) return false;
  if (count == now.n) log_text("fault\n", 6);
  errno = now.error;
  return true;
}

size_t allowed(Call call, size_t size) {
  const Plan& now = plan();
  if (now.call != call || !now.transfers_little || counts[call] < now.n) return size;
  if (counts[call] == now.n) log_text("fault\n", 6);
  return size < 3 ? size : 3;
}

__attribute__((destructor)) void tell_counts() {
  char text[600];
  int size = 0;
  for (int call = 0; call < kCalls; ++call) {
    size += snprintf(text + size, sizeof text - static_cast<size_t>(size), "%s %ld\n", kNames[call],
                     counts[call].load());
  }
  log_text(text, static_cast<size_t>(size));
}

int open_at(int folder, const char* path, int flags, mode_t mode) {
  if (fails(kOpen)) return -1;
  return static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
}

mode_t mode_of(int flags, va_list list) {
  const bool creates = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  return creates ? static_cast<mode_t>(va_arg(list, int)) : 0;
}

}  // namespace

extern "C" {

ssize_t read(int fd, void* out, size_t size) {
  if (fd > 2 && fails(kRead)) return -1;
  return syscall(SYS_read, fd, out, fd > 2 ? allowed(kRead, size) : size);
}

ssize_t pread(int fd, void* out, size_t size, off_t offset) {
  if (fails(kPread)) return -1;
  return syscall(SYS_pread64, fd, out, allowed(kPread, size), offset);
}
ssize_t pread64(int fd, void* out, size_t size, off64_t offset) {
  return pread(fd, out, size, offset);
}

ssize_t write(int fd, const void* data, size_t size) {
  if (fd > 2 && fails(kWrite)) return -1;
  return syscall(SYS_write, fd, data, fd > 2 ? allowed(kWrite, size) : size);
}

ssize_t pwrite(int fd, const void* data, size_t size, off_t offset) {
  if (fails(kPwrite)) return -1;
  return syscall(SYS_pwrite64, fd, data, allowed(kPwrite, size), offset);
}
ssize_t pwrite64(int fd, const void* data, size_t size, off64_t offset) {
  return pwrite(fd, data, size, offset);
}

int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = mode_of(flags, list);
  va_end(list);
  return open_at(AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = mode_of(flags, list);
  va_end(list);
  return open_at(AT_FDCWD, path, flags, mode);
}
int __open_2(const char* path, int flags) {
  return open_at(AT_FDCWD, path, flags, 0);
}

int close(int fd) {
  const bool failed = fd > 2 && fails(kClose);
  const int error = errno;
  const int result = static_cast<int>(syscall(SYS_close, fd));  // the descriptor is freed anyway
  if (failed) errno = error;
  return failed ? -1 : result;
}

int fsync(int fd) {
  return fails(kFsync) ? -1 : static_cast<int>(syscall(SYS_fsync, fd));
}

int rename(const char* from, const char* to) noexcept {
  if (fails(kRename)) return -1;
  return static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  if (fails(kLink)) return -1;
  return static_cast<int>(syscall(SYS_linkat, from_folder, from, to_folder, to, flags));
}
int link(const char* from, const char* to) noexcept {
  return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

void* mmap(void* at, size_t size, int protection, int flags, int fd, off_t offset) noexcept {
  if (fails(kMmap)) return MAP_FAILED;
  return reinterpret_cast<void*>(syscall(SYS_mmap, at, size, protection, flags, fd, offset));
}
void* mmap64(void* at, size_t size, int protection, int flags, int fd, off64_t offset) noexcept {
  return mmap(at, size, protection, flags, fd, offset);
}

int ftruncate(int fd, off_t size) noexcept {
  return fails(kFtruncate) ? -1 : static_cast<int>(syscall(SYS_ftruncate, fd, size));
}

int pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*start)(void*),
                   void* argument) noexcept {
  if (fails(kThread)) return errno;
  static const auto real =
      reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  return real(thread, how, start, argument);
}

void* malloc(size_t size) noexcept {
  return fails(kMalloc) ? nullptr : __libc_malloc(size);
}
void* calloc(size_t count, size_t size) noexcept {
  return fails(kMalloc) ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) noexcept {
  return fails(kMalloc) ? nullptr : __libc_realloc(old, size);
}

}  // extern "C"
