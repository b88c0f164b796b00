// The checkpoint file: a head, the parts by name, and a checksum of all that at its end.

#include "thresh/checkpoint.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "files/fd.hpp"
#include "sparse/archive.hpp"
#include "thresh/error.hpp"
#include "thresh/files.hpp"
#include "thresh/version.hpp"

namespace thresh {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "thresh checkpoint 1\n";

class Hash {
 public:
  Hash() { XXH3_64bits_reset(&state_); }
  void add(std::string_view bytes) { XXH3_64bits_update(&state_, bytes.data(), bytes.size()); }
  std::uint64_t value() const { return XXH3_64bits_digest(&state_); }

 private:
  XXH3_state_t state_;
};

// Calls take(bytes) with the content of a file, a piece at a time.
template <class Take>
void read_pieces(const std::string& path, const Take& take) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) throw Error(fmt::format("{}: {}", path, last_error().message()));
  std::string piece(std::size_t{1} << 20, '\0');
  for (;;) {
    const ssize_t got = ::read(fd.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error(fmt::format("{}: {}", path, last_error().message()));
    if (got == 0) return;
    take(std::string_view(piece.data(), static_cast<std::size_t>(got)));
  }
}

// The regular files of a folder, or the file itself; sorted. Empty for anything else.
std::vector<std::string> files_at(const std::string& path) {
  std::error_code none;
  if (fs::is_regular_file(path, none)) return {path};
  std::vector<std::string> files;
  if (!fs::is_directory(path, none)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(path, none)) {
    if (entry.is_regular_file(none)) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

struct Measures {
  std::uint64_t size = 0, time = 0;
};

// The total size, and the latest time of writing.
Measures measure(const std::vector<std::string>& files) {
  Measures all;
  for (const std::string& path : files) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) {
      throw Error(fmt::format("{}: {}", path, last_error().message()));
    }
    all.size += static_cast<std::uint64_t>(info.st_size);
    all.time = std::max(all.time, static_cast<std::uint64_t>(info.st_mtim.tv_sec) * 1'000'000'000 +
                                      static_cast<std::uint64_t>(info.st_mtim.tv_nsec));
  }
  return all;
}

std::uint64_t hash_of(const std::vector<std::string>& files) {
  Hash hash;
  for (const std::string& path : files) {
    if (files.size() > 1) hash.add(path);
    read_pieces(path, [&](std::string_view bytes) { hash.add(bytes); });
  }
  return hash.value();
}

// Tests end the process right after a given write, as if it had been killed there.
void die_after(std::uint64_t writes) {
  const char* const wanted = ::getenv("THRESH_TEST_DIE_AFTER_CHECKPOINT");
  if (wanted != nullptr && std::to_string(writes) == wanted) ::kill(::getpid(), SIGKILL);
}

}  // namespace

Checkpoint::Checkpoint(std::string path, double seconds, std::vector<std::string> command)
    : path_(std::move(path)), seconds_(seconds), command_(std::move(command)) {
  std::error_code none;
  if (!fs::exists(path_, none)) return;
  if (!load(path_)->finished()) {
    throw Error(
        fmt::format("{}: this run is not finished: continue it with `thresh resume {}`, or "
                    "delete the file",
                    path_, path_));
  }
}

std::unique_ptr<Checkpoint> Checkpoint::load(const std::string& path) {
  std::unique_ptr<Checkpoint> made(new Checkpoint(path));
  std::string bytes;
  read_pieces(path, [&](std::string_view piece) {
    bytes += piece;
    if (bytes.substr(0, kMagic.size()) != kMagic.substr(0, bytes.size())) {
      throw Error(path + ": not a checkpoint of this version of thresh");
    }
  });
  made->read(bytes);
  made->continues_ = true;
  return made;
}

std::unique_ptr<Checkpoint> Checkpoint::follow(const std::string& path, const std::string& bytes) {
  std::unique_ptr<Checkpoint> made(new Checkpoint(path));
  made->follows_ = true;
  if (bytes.empty()) return made;
  made->read(bytes);
  made->continues_ = true;
  return made;
}

bool Checkpoint::is_one(const std::string& path) {
  constexpr std::string_view kBegins = "thresh checkpoint ";
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) throw Error(fmt::format("{}: {}", path, last_error().message()));
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) return false;  // reads only once
  std::string bytes(kBegins.size(), '\0');
  for (std::size_t size = 0; size < bytes.size();) {
    const ssize_t got = ::read(fd.get(), bytes.data() + size, bytes.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error(fmt::format("{}: {}", path, last_error().message()));
    if (got == 0) return false;
    size += static_cast<std::size_t>(got);
  }
  return bytes == kBegins;
}

template <class Archive>
void Checkpoint::archive_head(Archive& a) {
  std::string made_by = version();
  a(made_by, command_, inputs_, finished_);
  if (made_by != version()) {
    throw Error(fmt::format("{}: a checkpoint of thresh {}; continue it with that version", path_,
                            made_by));
  }
}

void Checkpoint::read(const std::string& bytes) {
  std::uint64_t sum = 0;
  const std::string_view all(bytes);
  if (!all.starts_with(kMagic)) throw Error(path_ + ": not a checkpoint of this version of thresh");
  const bool whole = all.size() >= kMagic.size() + sizeof(sum);
  const std::string_view content = all.substr(0, whole ? all.size() - sizeof(sum) : 0);
  if (whole) std::memcpy(&sum, all.data() + content.size(), sizeof(sum));
  Hash hash;
  hash.add(content);
  if (!whole || hash.value() != sum) throw Error(path_ + ": the checkpoint is damaged");
  std::string head;
  try {
    Archive parts(content.substr(kMagic.size()));
    parts(head, parts_);
    parts.end();
  } catch (const Error&) {
    throw Error(path_ + ": the checkpoint is damaged");
  }
  Archive a(head);
  archive_head(a);
}

void Checkpoint::watch(const std::string& input) {
  if (follows_) return;
  const std::vector<std::string> files = files_at(input);
  if (files.empty()) return;
  const Measures now = measure(files);
  for (Input& known : inputs_) {
    if (known.path != input) continue;
    if (!continues_) return;
    const bool same = known.size == now.size &&
                      (known.hash ? *known.hash == hash_of(files) : known.time == now.time);
    if (!same) throw Error(input + ": has changed since the checkpoint was written");
    known.time = now.time;
    return;
  }
  inputs_.push_back({input, now.size, now.time, std::nullopt});
}

// Once there is something to lose: reading all data again takes a while.
void Checkpoint::hash_inputs() {
  for (Input& input : inputs_) {
    const std::vector<std::string> files = files_at(input.path);
    if (!input.hash) input.hash = hash_of(files);
    const Measures now = measure(files);
    if (now.size != input.size || now.time != input.time) {
      throw Error(input.path + ": has changed while it was read");
    }
  }
}

void Checkpoint::begin() {
  const std::lock_guard lock(mutex_);
  write();
}

void Checkpoint::finish(std::vector<Change> left) {
  const std::lock_guard lock(mutex_);
  parts_.clear();
  for (auto& [part, content] : left) {
    if (content) parts_[part] = std::move(*content);
  }
  finished_ = true;
  write();
}

std::uint64_t Checkpoint::next_call() {
  const std::lock_guard lock(mutex_);
  return calls_++;
}

std::optional<std::string> Checkpoint::find(const std::string& part) const {
  const std::lock_guard lock(mutex_);
  const auto found = parts_.find(part);
  return found == parts_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> Checkpoint::parts_that_begin(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> found;
  for (auto at = parts_.lower_bound(name); at != parts_.end() && at->first.starts_with(name);
       ++at) {
    found.push_back(at->first);
  }
  return found;
}

bool Checkpoint::due(const std::string& part) const {
  const std::lock_guard lock(mutex_);
  const auto found = written_.find(part);
  const Clock::time_point last = found == written_.end() ? started_ : found->second;
  return std::chrono::duration<double>(Clock::now() - last).count() >= seconds_;
}

void Checkpoint::update(std::vector<Change> changes, bool now) {
  if (follows_) return;
  const std::lock_guard lock(mutex_);
  for (auto& [part, content] : changes) {
    if (content) {
      parts_[part] = std::move(*content);
    } else {
      parts_.erase(part);
    }
  }
  if (!now) return;
  hash_inputs();
  write();
  // The clock begins after the write: a slow disk must not take all the time.
  for (const auto& change : changes) written_[change.first] = Clock::now();
}

template <class Put>
void Checkpoint::put_content(const Put& put_bytes) {
  Archive to_head;
  archive_head(to_head);
  std::string head = to_head.take();
  Hash hash;
  const auto put = [&](std::string_view bytes) {
    hash.add(bytes);
    put_bytes(bytes);
  };
  const auto put_text = [&](const std::string& text) {
    Archive length;
    std::uint64_t bytes = text.size();
    length(bytes);
    put(length.take());
    put(text);
  };
  put(kMagic);
  put_text(head);
  Archive count;
  std::uint64_t parts = parts_.size();
  count(parts);
  put(count.take());
  for (const auto& [name, content] : parts_) {
    put_text(name);
    put_text(content);
  }
  Archive sum;
  std::uint64_t value = hash.value();
  sum(value);
  put_bytes(sum.take());
}

std::string Checkpoint::bytes() {
  const std::lock_guard lock(mutex_);
  std::string all;
  put_content([&](std::string_view bytes) { all += bytes; });
  return all;
}

void Checkpoint::write() {
  if (follows_) return;
  AtomicFile file(path_);
  put_content([&](std::string_view bytes) { file.write(bytes); });
  file.commit();
  die_after(++writes_);
}

}  // namespace thresh
