#include "files/temporary_name.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <memory>

namespace thresh {

namespace {

namespace fs = std::filesystem;

constexpr mode_t kMode = 0666;  // the umask takes its part

std::string next_name(const std::string& target) {
  static std::atomic<unsigned> counter{0};
  return fmt::format("{}.tmp.{}.{}", target, ::getpid(), counter++);
}

std::string place_of(int fd) {
  return fmt::format("/proc/self/fd/{}", fd);
}

// Tries names until one is free. A killed process with the same id (as in a container) may have
// left a file with the first one.
template <class Make>
std::string with_new_name(const std::string& target, const Make& make) {
  for (;;) {
    std::string name = next_name(target);
    if (make(name)) return name;
    if (errno != EEXIST) return "";
  }
}

bool is_temporary_of(std::string_view name, const std::string& target_name) {
  const std::string start = target_name + ".tmp.";
  if (!name.starts_with(start)) return false;
  name.remove_prefix(start.size());
  const std::size_t dot = name.find('.');
  const auto number = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  return dot != std::string_view::npos && number(name.substr(0, dot)) &&
         number(name.substr(dot + 1));
}

void remove_if_abandoned(const std::string& path) {
  const Fd fd(::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat info {};
  if (!fd || ::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) return;
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) ::unlink(path.c_str());
}

}  // namespace

int inherited_descriptor(std::string_view path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  constexpr std::string_view folder = "/dev/fd/";
  if (!path.starts_with(folder)) return -1;
  path.remove_prefix(folder.size());
  int fd = -1;
  const auto [end, error] = std::from_chars(path.data(), path.data() + path.size(), fd);
  return error == std::errc{} && end == path.data() + path.size() ? fd : -1;
}

std::string follow_links(const std::string& path) {
  constexpr int kMaxLinks = 40;  // the kernel's limit
  fs::path target = path;
  std::error_code ignored;  // opening the path will report what is wrong with it
  for (int links = 0; links < kMaxLinks && fs::is_symlink(target, ignored); ++links) {
    target = target.parent_path() / fs::read_symlink(target, ignored);
  }
  return target.string();
}

std::string folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

Fd open_unnamed(const std::string& folder, int access, unsigned mode) {
  Fd fd(::open(folder.c_str(), O_TMPFILE | access | O_CLOEXEC, mode));
  // Without /proc there would be no way to give it a name.
  return fd && ::access(place_of(fd.get()).c_str(), F_OK) == 0 ? std::move(fd) : Fd();
}

Beside create_beside(const std::string& target) {
  for (;;) {
    Beside made;
    made.name = with_new_name(target, [&](const std::string& name) {
      made.fd = Fd(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode));
      return static_cast<bool>(made.fd);
    });
    if (!made.fd) return made;
    // Some file systems have no locks; there nothing is removed either.
    (void)::flock(made.fd.get(), LOCK_EX);
    struct stat info {};
    // Another process may have taken it for a leftover before it was locked.
    if (::fstat(made.fd.get(), &info) != 0 || info.st_nlink > 0) return made;
  }
}

std::string link_beside(int unnamed, const std::string& target) {
  (void)::flock(unnamed, LOCK_EX);
  return with_new_name(target, [&](const std::string& name) {
    return ::linkat(AT_FDCWD, place_of(unnamed).c_str(), AT_FDCWD, name.c_str(),
                    AT_SYMLINK_FOLLOW) == 0;
  });
}

std::string second_name(const std::string& target) {
  return with_new_name(
      target, [&](const std::string& name) { return ::link(target.c_str(), name.c_str()) == 0; });
}

void remove_leftovers(const std::string& target) {
  const std::string name = fs::path(target).filename().string();
  const std::string folder = folder_of(target);
  // Not fs::directory_iterator, which ends the program when memory runs out. A folder that is
  // writable but not readable is left alone.
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), ::closedir);
  if (!open) return;
  while (const dirent* const entry = ::readdir(open.get())) {
    if (is_temporary_of(entry->d_name, name)) remove_if_abandoned(folder + "/" + entry->d_name);
  }
}

}  // namespace thresh
