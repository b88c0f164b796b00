// open_rows(): chooses the reader of a path.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "data/cache/source.hpp"
#include "data/cache/words.hpp"
#include "data/names/named_source.hpp"
#include "data/open/open_texts.hpp"
#include "data/read/sources.hpp"
#include "text/document_rows.hpp"
#include "text/learn.hpp"
#include "text/text_format.hpp"
#include "thresh/error.hpp"
#include "thresh/threads.hpp"

namespace thresh {
namespace {

constexpr std::array kFormats = {"auto", "libsvm", "vw", "csv", "tsv", "text"};  // as Format counts

// Learns the terms of documents by options.text, and what labels there are.
void learn_texts(const Documents& documents, const ReadOptions& options, Vocabulary& vocabulary) {
  Survey survey;
  LearnHooks hooks;
  hooks.on_document = [&](const Document& document) {
    try {
      survey.count_label(vocabulary.labels.code(document.label));
    } catch (const Error& error) {
      if (options.skip_bad_rows) return;  // the second pass counts it
      throw Error(fmt::format("{}: {}", documents.place_of(document), error.what()));
    }
  };
  if (vocabulary.hash_bits() > 0) {
    hooks.on_hashed = [&](std::string_view term) { vocabulary.id(term); };
  }
  hooks.on_read = options.on_read;
  TextOptions how = options.text;
  how.hash_bits = vocabulary.hash_bits();
  vocabulary.text = learn_terms(documents, how, hooks);
  vocabulary.reading = to_json(*vocabulary.text).get<Record>();
  if (vocabulary.labels.settled()) return;
  try {
    vocabulary.labels.settle(survey);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", documents.name(), error.what()));
  }
}

// Whether the first line is two cells, which may be a label and a text.
bool starts_with_two_cells(const std::string& path) {
  char head[4096];
  std::size_t size = 0;
  const std::unique_ptr<ByteStream> bytes = open_bytes(path);
  while (const std::size_t got = bytes->read(head + size, sizeof head - size)) size += got;
  const std::string_view text(head, size);
  const std::string_view line = text.substr(0, text.find('\n'));
  return std::count(line.begin(), line.end(), '\t') == 1;
}

// Labelled texts often come as .tsv, but a file of that name is read as a table.
std::shared_ptr<RowSource> open_table(const std::string& path, Format format,
                                      const ReadOptions& options,
                                      std::shared_ptr<FeatureMap> features) {
  try {
    return open_named_rows(path, format, options, std::move(features));
  } catch (const Interrupted&) {
    throw;
  } catch (const Error& error) {
    if (format != Format::tsv || !starts_with_two_cells(path)) throw;
    throw Error(fmt::format("{} (if the lines are a label, a tab and a text: --format text)",
                            error.what()));
  }
}

}  // namespace

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

std::shared_ptr<RowSource> open_texts(const std::string& path, const ReadOptions& options,
                                      std::shared_ptr<FeatureMap> features) {
  ReadOptions read = options;
  if (!read.vocabulary) read.vocabulary = std::make_shared<Vocabulary>(options.hash_bits);
  const bool learns = read.vocabulary->text == nullptr;
  const bool labels_known = read.vocabulary->labels.settled();
  DocumentOptions how;
  how.labels_optional = read.labels_optional;
  how.skip_bad = read.skip_bad_rows;
  how.as_they_come = pace_of(read) == Pace::as_they_come;
  how.again = learns;
  how.stop = read.stop;
  const auto documents = std::make_shared<Documents>(path, how);
  if (learns) learn_texts(*documents, read, *read.vocabulary);
  if (learns) read.on_read = nullptr;  // progress was already reported
  const auto label_of = [words = read.vocabulary, any = read.labels_optional](
                            std::string_view label) { return any ? 0 : words->labels.code(label); };
  auto rows = document_rows(documents, read.vocabulary->text, label_of, read, std::move(features));
  if (read.once && (learns || labels_known || read.labels_optional)) return rows;
  // Making rows again costs more than reading them from a temporary file.
  auto spooled = std::make_shared<SpooledSource>(*rows);
  spooled->name_labels(read.vocabulary->labels.words());
  return spooled;
}

std::shared_ptr<RowSource> open_rows(const std::string& path, const ReadOptions& options,
                                     std::shared_ptr<FeatureMap> features) {
  const ThreadLimit limit(options.threads);
  const TableOptions& table = options.table;
  const bool uncached = !(table.group.empty() && table.time.empty() && table.texts.empty());
  if (is_cache_file(path) && uncached) {
    throw UsageError(
        "a cache does not hold groups and times, nor text columns: give the table itself");
  }
  if (is_cache_file(path)) return open_cache(path, options, std::move(features));
  const Format format = format_of(path, options.format);
  check_read_options(options, format);
  if (auto cached = uncached ? nullptr : open_cache_beside(path, format, options, features)) {
    return cached;
  }
  if (format == Format::text) return open_texts(path, options, std::move(features));
  if (format != Format::libsvm) return open_table(path, format, options, std::move(features));
  if (!options.once && is_plain_file(path)) {
    return std::make_shared<TextSource>(path, options, std::move(features));
  }
  auto stream = std::make_shared<StreamSource>(path, options, std::move(features));
  if (options.once) return stream;
  return std::make_shared<SpooledSource>(*stream);
}

}  // namespace thresh
