// thresh cache DATA -o FILE: parsed rows in a file that is read many times faster than text.

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "common.hpp"
#include "data/cache/words.hpp"
#include "data/read/sources.hpp"
#include "progress.hpp"
#include "thresh/error.hpp"

namespace thresh::cli {
namespace {

struct CacheCommand {
  std::string data, output;
  ReadFlags read;
  OutputFlags out;
};

// How the rows were or will be read. A cache of a cache says what the first one did.
struct Reading {
  std::uint64_t key;
  std::string asked;
};
Reading reading_of(const std::string& data, const ReadOptions& options, Format format) {
  if (!is_cache_file(data)) return {reading_key(options, format), asked_of(options, format)};
  const auto file = std::make_shared<const CacheFile>(data);
  return {file->origin().reading, CachedWords(file).asked()};
}

void cache(const CacheCommand& c) {
  check_outputs({{"cache", c.output}}, {{"data", c.data}});
  ReadOptions read = finish(c.read);
  const Format format = format_of(c.data, read.format);
  check_text_flags(c.read.text, format);
  ReadMeter meter("caching " + c.data, c.out.quiet);
  const auto features = make_feature_map();
  read.cache = ReadOptions::Cache::none;
  read.vocabulary = std::make_shared<Vocabulary>(read.hash_bits);
  const bool has_names = format != Format::libsvm;
  read.once = has_names || !is_plain_file(c.data);
  // Such data are parsed before they are packed, unless a cache has them.
  const bool parsed_first = has_names && !is_cache_file(c.data);
  if (parsed_first) read.on_read = [&](std::uint64_t bytes) { meter.add(bytes); };
  const auto rows = open_rows(c.data, read, features);
  const auto on_block = [&](std::uint64_t bytes) {
    if (stop_requested) throw Interrupted(c.data + ": interrupted");
    if (!parsed_first) meter.add(bytes);
  };
  const Reading reading = reading_of(c.data, read, format);
  CacheOrigin origin;
  origin.reading = reading.key;
  const CacheWords words = words_of(read.vocabulary.get(), format, reading.asked);
  write_cache(
      c.output, *rows, *features, on_block, [&] { return origin; }, words);
  meter.clear();
  if (!c.out.quiet && !read.vocabulary->note.empty()) {
    say("{}: {}\n", c.data, read.vocabulary->note);
  }
  const CacheFile file(c.output);
  const Survey& survey = file.survey();
  const std::uint64_t bytes = std::filesystem::file_size(c.output);
  if (c.out.json) {
    print_json({{"file", c.output},
                {"rows", survey.rows},
                {"bad_rows", survey.bad_rows},
                {"dimension", survey.dimension},
                {"text_bytes", survey.bytes},
                {"bytes", bytes}});
  } else if (!c.out.quiet) {
    print(fmt::format("{}: {} rows, {} bytes for {} of text\n", c.output, thousands(survey.rows),
                      thousands(bytes), thousands(survey.bytes)));
  }
}

}  // namespace

void add_cache(CLI::App& app) {
  auto c = std::make_shared<CacheCommand>();
  CLI::App& command = *app.add_subcommand("cache", "Write parsed rows to a file");
  command.add_option("data", c->data, "Rows (see --format), plain, gzip, zstd or xz; - for stdin")
      ->type_name(kFile)
      ->required();
  command.add_option("-o,--output", c->output, "Where the rows go")->type_name(kFile)->required();
  command.add_flag("--zero-based", c->read.options.zero_based, "Feature indices start at 0");
  add_file_flags(command, c->read);
  add_naming_flags(command, c->read);
  add_text_options(command, c->read.text);
  add_output_flags(command, c->out);
  command.footer(
      "Examples:\n"
      "  thresh cache rcv1.svm.xz -o rcv1.cache\n"
      "  thresh train rcv1.cache --features 500\n"
      "  thresh cache people.csv --label income -o people.cache\n"
      "A cache is data like any other, for every command. Large text that is read several times "
      "is\n"
      "cached in DATA.thresh-cache by itself; --no-cache prevents that.");
  command.callback([c] { cache(*c); });
}

}  // namespace thresh::cli
