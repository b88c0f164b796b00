// thresh cache DATA -o FILE: parsed rows in a file that is read many times faster than text.

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "common.hpp"
#include "progress.hpp"
#include "read_flags.hpp"
#include "thresh/convert.hpp"

namespace thresh::cli {
namespace {

struct CacheCommand {
  std::string data, output;
  std::uint64_t slices = 0;
  ReadFlags read;
  OutputFlags out;
};

void cache(const CacheCommand& c) {
  check_outputs({{"cache", c.output}}, {{"data", c.data}});
  ReadOptions read = finish(c.read);
  check_text_flags(c.read.text, format_of(c.data, read.format), false);
  ReadMeter meter("caching " + c.data, c.out.quiet);
  read.on_read = [&](std::uint64_t bytes) { meter.add(bytes); };
  const CacheMade made = make_cache(c.data, c.output, read, c.slices);
  meter.clear();
  if (!c.out.quiet) tell_lines(c.data, made.note);
  const Survey& survey = made.survey;
  const std::uint64_t bytes = std::filesystem::file_size(c.output);
  print_result(c.out,
               {{"file", c.output},
                {"rows", survey.rows},
                {"bad_rows", survey.bad_rows},
                {"dimension", survey.dimension},
                {"text_bytes", survey.bytes},
                {"bytes", bytes}},
               fmt::format("{}: {} rows, {} bytes for {} of text\n", c.output,
                           thousands(survey.rows), thousands(bytes), thousands(survey.bytes)));
}

}  // namespace

void add_cache(CLI::App& app) {
  auto c = std::make_shared<CacheCommand>();
  CLI::App& command = *app.add_subcommand("cache", "Write parsed rows to a file");
  add_file(command, "data", c->data, "Rows (see --format), plain, gzip, zstd or xz; - for stdin")
      ->required();
  add_file(command, "-o,--output", c->output, "Output file")->required();
  command.add_flag("--zero-based", c->read.options.zero_based, "Feature indices start at 0");
  command
      .add_option("--slices", c->slices,
                  "Keep the entries of each slice of the features together, so that each rank of "
                  "mpirun reads only its own (64 is usual)")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{65536}));
  add_file_flags(command, c->read);
  add_naming_flags(command, c->read);
  add_text_options(command, c->read.text);
  add_output_flags(command, c->out);
  command.footer(
      "Examples:\n"
      "  thresh cache rcv1.svm.xz -o rcv1.cache\n"
      "  thresh train rcv1.cache --features 500\n"
      "  thresh cache people.csv --label income -o people.cache\n"
      "  thresh cache rcv1.svm --slices 64 -o rcv1.cache && mpirun -n 4 thresh train rcv1.cache "
      "\\\n"
      "    --solver margin-perceptron\n"
      "Every command accepts a cache as its data. Large text that is read more than once is "
      "cached\n"
      "automatically in DATA.thresh-cache; --no-cache prevents that.");
  command.callback([c] { cache(*c); });
}

}  // namespace thresh::cli
