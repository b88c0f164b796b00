// thresh cache DATA -o FILE: parsed rows in a file that is read many times faster than text.

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "common.hpp"
#include "data/cache_file.hpp"
#include "data/sources.hpp"
#include "progress.hpp"
#include "thresh/error.hpp"

namespace thresh::cli {
namespace {

struct CacheCommand {
  std::string data, output;
  ReadFlags read;
  OutputFlags out;
};

void cache(const CacheCommand& c) {
  check_outputs({{"cache", c.output}}, {{"data", c.data}});
  const ReadOptions asked = finish(c.read);
  if (format_of(c.data, asked.format) != Format::libsvm) {
    throw UsageError(
        fmt::format("{}: a cache has no names (`thresh convert` to libsvm first)", c.data));
  }
  ReadMeter meter("caching " + c.data, c.out.quiet);
  const auto features = make_feature_map();
  ReadOptions read = asked;
  read.cache = ReadOptions::Cache::none;
  read.once = !is_plain_file(c.data);
  const auto rows = open_rows(c.data, read, features);
  const auto on_block = [&](std::uint64_t bytes) {
    if (stop_requested) throw Interrupted(c.data + ": interrupted");
    meter.add(bytes);
  };
  CacheOrigin origin;
  origin.reading = reading_key(read);
  write_cache(c.output, *rows, *features, on_block, [&] { return origin; });
  meter.clear();
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
  command.add_option("data", c->data, "libsvm text, plain, gzip, zstd or xz; - for stdin")
      ->type_name(kFile)
      ->required();
  command.add_option("-o,--output", c->output, "Where the rows go")->type_name(kFile)->required();
  command.add_flag("--zero-based", c->read.options.zero_based, "Feature indices start at 0");
  add_file_flags(command, c->read);
  add_output_flags(command, c->out);
  command.footer(
      "Examples:\n"
      "  thresh cache rcv1.svm.xz -o rcv1.cache\n"
      "  thresh train rcv1.cache --features 500\n"
      "A cache is data like any other, for every command. Large text that is read several times "
      "is\n"
      "cached in DATA.thresh-cache by itself; --no-cache prevents that.");
  command.callback([c] { cache(*c); });
}

}  // namespace thresh::cli
