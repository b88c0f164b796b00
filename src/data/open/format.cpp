#include <algorithm>
#include <filesystem>
#include <string_view>

#include "data/cache/words.hpp"
#include "data/read/bytes.hpp"
#include "thresh/rows.hpp"

namespace thresh {

const char* name_of(Format format) {
  switch (format) {
    case Format::automatic:
      return "auto";
    case Format::libsvm:
      return "libsvm";
    case Format::vw:
      return "vw";
    case Format::csv:
      return "csv";
    case Format::tsv:
      return "tsv";
    case Format::text:
      return "text";
  }
  return "";
}

std::optional<Format> format_named(std::string_view name) {
  for (const Format format : {Format::libsvm, Format::vw, Format::csv, Format::tsv, Format::text}) {
    if (name == name_of(format)) return format;
  }
  return std::nullopt;
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
