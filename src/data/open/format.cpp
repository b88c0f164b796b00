#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "data/cache/words.hpp"
#include "data/read/bytes.hpp"
#include "thresh/rows.hpp"

namespace thresh {

namespace {
constexpr std::array kFormats = {"auto", "libsvm", "vw", "csv", "tsv", "text"};  // as Format counts
}

const char* name_of(Format format) {
  return kFormats.at(static_cast<std::size_t>(format));
}

std::optional<Format> format_named(std::string_view name) {
  const auto found = std::find(kFormats.begin() + 1, kFormats.end(), name);
  if (found == kFormats.end()) return std::nullopt;
  return static_cast<Format>(found - kFormats.begin());
}

Format format_of(const std::string& path, Format asked) {
  if (asked != Format::automatic) return asked;
  if (is_cache_file(path)) return CachedWords(std::make_shared<const CacheFile>(path)).format();
  std::error_code ignored;  // opening the path reports what is wrong with it
  if (std::filesystem::is_directory(path, ignored)) return Format::text;
  std::filesystem::path name(path);
  for (const char* packed : {".gz", ".xz", ".zst"}) {
    if (name.extension() == packed) {
      name.replace_extension();
      break;
    }
  }
  for (const Format format : {Format::vw, Format::csv, Format::tsv}) {
    if (name.extension() == std::string(".") + name_of(format)) return format;
  }
  return Format::libsvm;
}

}  // namespace thresh
