// thresh convert DATA: the rows in libsvm text, from any format, or with other features.

#include <fmt/format.h>

#include <memory>

#include "common.hpp"
#include "progress.hpp"
#include "read_flags.hpp"
#include "thresh/convert.hpp"
#include "thresh/error.hpp"

namespace thresh::cli {
namespace {

struct ConvertCommand {
  std::string data, output, labels, names;
  Similarity like;
  std::string noise;
  ProbeOptions probes;
  bool wants_probes = false;
  std::uint64_t seed = 1;
  ReadFlags read;
  OutputFlags out;
};

void report(const ConvertCommand& c, const Converted& made) {
  Json json{{"file", c.output}, {"rows", made.rows}, {"features", made.features}};
  if (made.has_names) json["names"] = c.names;
  if (made.has_labels) json["labels"] = c.labels;
  print_result(
      c.out, json,
      fmt::format("{}: {} rows, {} features{}{}\n", c.output, thousands(made.rows),
                  thousands(made.features), made.has_names ? "; their names: " + c.names : "",
                  made.has_labels ? "; names of labels 0, 1, ...: " + c.labels : ""));
}

void report_similarities(const ConvertCommand& c, const Converted& made) {
  print_result(
      c.out,
      {{"file", c.output}, {"labels", c.labels}, {"rows", made.rows}, {"features", made.features}},
      fmt::format("{}: {} rows, {} similarities each; their class labels: {}\n", c.output,
                  thousands(made.rows), thousands(made.features), c.labels));
}

NoiseOptions noise_of(const ConvertCommand& c) {
  const std::size_t colon = c.noise.find(':');
  const std::string kind = colon == std::string::npos ? "" : c.noise.substr(colon + 1);
  const std::string count = c.noise.substr(0, colon);
  const bool digits = !count.empty() && count.size() < 10 &&
                      count.find_first_not_of("0123456789") == std::string::npos;
  if (!digits || (kind != "sparse" && kind != "dense")) {
    throw UsageError("--add-noise " + c.noise + ": write N:sparse or N:dense, e.g. 1000:sparse");
  }
  return {std::stoull(count), kind == "dense", c.seed};
}

// Rows with features that say nothing; false if none are asked for.
bool add_features(const ConvertCommand& c) {
  if (c.noise.empty() && !c.wants_probes) return false;
  check_outputs({{"rows", c.output}}, {{"data", c.data}, {"training rows", c.probes.chosen_on}});
  const ReadOptions read = finish(c.read);
  if (!c.noise.empty()) {
    report(c, add_noise(noise_of(c), c.data, c.output, read));
    return true;
  }
  ProbeOptions probes = c.probes;
  probes.seed = c.seed;
  report(c, add_probes(probes, c.data, c.output, read));
  return true;
}

void run_convert(ConvertCommand& c) {
  if (c.output == "-")
    throw UsageError("-o must be a file name, because other files are written next to it");
  if (add_features(c)) return;
  if (c.names.empty()) c.names = c.output + ".names";
  if (c.labels.empty()) c.labels = c.output + ".labels";
  check_outputs({{"rows", c.output}, {"names", c.names}, {"labels", c.labels}},
                {{"data", c.data}, {"rows to compare with", c.like.support}});
  const ReadOptions read = finish(c.read);
  TextMeter meter(c.out.quiet);
  const bool similar = !c.like.support.empty();
  const Converted made = similar
                             ? convert_by(c.like, c.data, c.output, c.labels, read, meter.told())
                             : convert(c.data, c.output, c.names, c.labels, read, meter.told());
  meter.clear();
  if (similar) return report_similarities(c, made);
  report(c, made);
}

}  // namespace

void add_convert(CLI::App& app) {
  auto c = std::make_shared<ConvertCommand>();
  CLI::App& command = *app.add_subcommand("convert", "Rewrite rows as libsvm text");
  add_file(command, "data", c->data, "Rows (see --format); - for stdin")->required();
  add_file(command, "-o,--output", c->output, "Output file")->required();
  add_file(command, "--kernel-expand", c->like.support,
           "Replace features by similarities to the rows s_i of this file: exp(-|x - s_i|^2 / "
           "width)");
  add_file(command, "--names-out", c->names,
           "Output file for feature names; default: OUTPUT.names");
  command.add_option("--width", c->like.width, "Width of the kernel")->capture_default_str();
  command.add_option("--smallest", c->like.smallest, "Drop similarities below this value")
      ->capture_default_str();
  add_file(command, "--labels", c->labels,
           "Output file for label names, or for the labels of the --kernel-expand rows; default: "
           "OUTPUT.labels");
  CLI::Option* const noise =
      command
          .add_option(
              "--add-noise", c->noise,
              "Add N uninformative features: N:dense (-1 or 1) or N:sparse (1 in about 5% of the "
              "rows)")
          ->excludes("--kernel-expand");
  CLI::Option* const probes =
      command
          .add_option_function<std::uint64_t>(
              "--probes",
              [c](std::uint64_t n) {
                c->wants_probes = true;
                c->probes.informative = n;
              },
              "Make N features (frequent ones and products of pairs of them) and N probes, which "
              "have the same values with the rows shuffled (as in GISETTE)")
          ->excludes("--kernel-expand")
          ->excludes(noise);
  add_file(command, "--probes-of", c->probes.chosen_on,
           "Training rows that --probes was applied to earlier; makes the same features for other "
           "rows")
      ->needs(probes);
  add_count(command, "--seed", c->seed, "Random seed for noise and probes")->capture_default_str();
  add_file_flags(command, c->read);
  add_naming_flags(command, c->read);
  add_output_flags(command, c->out);
  command.footer(
      "Examples:\n"
      "  thresh convert people.csv -o people.svm    (writes people.svm.names as well)\n"
      "  thresh convert mnist.svm --kernel-expand support.svm -o similar.svm\n"
      "  thresh convert magic04.svm --add-noise 1000:sparse -o magic04s.svm\n"
      "  thresh convert digits.svm --probes 2500 -o gisette.svm\n"
      "  thresh convert more.svm --probes 2500 --probes-of digits.svm -o gisette_test.svm\n"
      "  thresh train similar.svm --solver projected-sgd --radius 100 --multiclass softmax \\\n"
      "    --non-negative --feature-labels similar.svm.labels");
  command.callback([c] { run_convert(*c); });
}

}  // namespace thresh::cli
