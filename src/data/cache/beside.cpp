// The cache beside large data: when it is written, and when it may be used.

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <optional>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "data/cache/source.hpp"
#include "data/cache/words.hpp"
#include "data/read/bytes.hpp"
#include "data/read/sources.hpp"
#include "sparse/parallel.hpp"
#include "thresh/rows.hpp"

namespace thresh {
namespace {

// The sizes that are worth a cache. Compressed text is several times longer when unpacked.
constexpr std::uint64_t kLargePlain = std::uint64_t{64} << 20;
constexpr std::uint64_t kLargeCompressed = std::uint64_t{16} << 20;

// Checksum of 4 MB in evenly spaced pieces from first to last, or of all of a shorter file.
std::uint64_t sample(int fd, std::uint64_t bytes, const std::string& path) {
  constexpr std::uint64_t kPiece = 4096;
  constexpr std::uint64_t kPieces = 1024;
  const std::uint64_t pieces = std::min(kPieces, (bytes + kPiece - 1) / kPiece);
  std::vector<char> text(pieces * kPiece);
  std::size_t size = 0;
  for (std::uint64_t i = 0; i < pieces; ++i) {
    const std::uint64_t last = bytes > kPiece ? bytes - kPiece : 0;
    const std::uint64_t offset = bytes <= kPiece * kPieces ? i * kPiece : last / (pieces - 1) * i;
    const std::uint64_t from = i + 1 == pieces ? std::max(last, offset) : offset;
    size += read_at(fd, from, {text.data() + size, kPiece}, path);
  }
  return XXH3_64bits(text.data(), size);
}

// None if it is not a regular file or cannot be opened; reading it reports why.
std::optional<CacheOrigin> origin_of(const std::string& path, std::uint64_t reading) {
  struct stat info {};
  if (path == "-" || ::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd || ::fstat(fd.get(), &info) != 0) return {};
  const auto bytes = static_cast<std::uint64_t>(info.st_size);
  const auto modified = static_cast<std::uint64_t>(info.st_mtim.tv_sec) * 1'000'000'000 +
                        static_cast<std::uint64_t>(info.st_mtim.tv_nsec);
  return CacheOrigin{bytes, modified, sample(fd.get(), bytes, path), reading};
}

class CacheBeside {
 public:
  CacheBeside(const std::string& path, Format format, const ReadOptions& options,
              const CacheOrigin& origin)
      : path_(path),
        name_(path + ".thresh-cache"),
        format_(format),
        options_(options),
        origin_(origin),
        words_known_(format != Format::libsvm && options.vocabulary &&
                     options.vocabulary->labels.settled()) {
    const bool large = origin.bytes >= (is_plain_file(path) ? kLargePlain : kLargeCompressed);
    makes_ = !options.once && !words_known_ &&
             (options.cache == ReadOptions::Cache::always ||
              (options.cache == ReadOptions::Cache::large && large));
  }

  bool makes() const { return makes_; }

  // The existing cache, if it is complete and made from the data as they are now.
  std::shared_ptr<const CacheFile> find() const {
    struct stat info {};
    if (::stat(name_.c_str(), &info) != 0) return nullptr;
    try {
      auto file = std::make_shared<const CacheFile>(name_);
      if (!fits(file)) return nullptr;
      file->names();
      check_blocks(*file);
      return file;
    } catch (const Interrupted&) {
      throw;
    } catch (const Error& error) {
      note(fmt::format("{}; {}", error.what(),
                       makes_ ? "rebuilding it" : "reading " + path_ + " instead"));
      return nullptr;
    }
  }

  // Returns whether it could be written. Throws an error of the rows.
  bool make() const {
    ReadOptions read = options_;
    read.format = format_;
    const auto unchanged = [&] {
      if (origin_of(path_, origin_.reading) != origin_) throw_changed(path_);
      return origin_;
    };
    try {
      cache_rows(path_, name_, read, asked_of(options_, format_), unchanged);
      return true;
    } catch (const CacheNotWritten& error) {
      note(fmt::format("{}; continuing without a cache", error.what()));
      return false;
    }
  }

 private:
  // Known words determine how data are read. A row that is bad for learning may be good with them,
  // and so may an empty line if texts are predicted. The cache has neither, and no names of rows.
  bool fits(const std::shared_ptr<const CacheFile>& file) const {
    if (format_ == Format::text && options_.labels_optional) return false;
    if (options_.labels_optional && rows_have_names()) return false;
    CacheOrigin origin = file->origin();
    if (words_known_) origin.reading = origin_.reading;
    if (origin != origin_) return false;
    const CachedWords words(file);
    if (words.format() != format_) return false;
    return !words_known_ || (words.version() == THRESH_VERSION && file->survey().bad_rows == 0 &&
                             words.misfit(*options_.vocabulary).empty());
  }

  bool rows_have_names() const {
    const auto& words = options_.vocabulary;
    return format_ == Format::vw || !options_.table.id.empty() ||
           (words && words->reading.has("id"));
  }

  void note(const std::string& line) const {
    if (options_.on_note) options_.on_note(line);
  }

  // Checks all blocks now, while another cache can still be made.
  void check_blocks(const CacheFile& file) const {
    const auto check = [&](std::size_t k) { return file.block(k).head().source_bytes; };
    parallel_in_order(file.survey().blocks, check, [&](std::size_t, std::uint64_t bytes) {
      check_stop(options_.stop, path_);
      if (options_.on_read) options_.on_read(bytes);
    });
  }

  std::string path_;
  std::string name_;
  Format format_;
  const ReadOptions& options_;
  CacheOrigin origin_;
  bool words_known_;
  bool makes_ = false;
};

}  // namespace

std::shared_ptr<RowSource> open_cache_beside(const std::string& path, Format format,
                                             const ReadOptions& options,
                                             std::shared_ptr<FeatureMap> features) {
  if (options.cache == ReadOptions::Cache::none) return nullptr;
  const std::optional<CacheOrigin> origin = origin_of(path, reading_key(options, format));
  if (!origin) return nullptr;
  const CacheBeside beside(path, format, options, *origin);
  std::shared_ptr<const CacheFile> file = beside.find();
  if (!file && beside.makes() && beside.make()) file = beside.find();
  // The text reader must refuse an index above --dim, because it knows the line.
  if (!file || (options.dim != 0 && file->survey().dimension > options.dim)) return nullptr;
  if (format != Format::libsvm) {
    return open_named_cache(path, file, CachedWords(file), options, std::move(features));
  }
  return std::make_shared<CachedSource>(path, std::move(file), options, std::move(features));
}

}  // namespace thresh
