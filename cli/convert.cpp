// thresh convert DATA: the rows in libsvm text, from any format, or with other features.

#include <fmt/format.h>

#include <memory>

#include "common.hpp"
#include "progress.hpp"
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
                  made.has_labels ? "; what label 0, 1, ... is: " + c.labels : ""));
}

void report_similarities(const ConvertCommand& c, const Converted& made) {
  print_result(
      c.out,
      {{"file", c.output}, {"labels", c.labels}, {"rows", made.rows}, {"features", made.features}},
      fmt::format("{}: {} rows, {} similarities each; the classes they speak for: {}\n", c.output,
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
  if (c.output == "-") throw UsageError("-o must be a file: its labels go beside it");
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
  add_file(command, "-o,--output", c->output, "Where the rows go")->required();
  add_file(command, "--kernel-expand", c->like.support,
           "Feature i becomes the similarity exp(-|x - s_i|^2 / width) to row i of this file");
  add_file(command, "--names-out", c->names, "Where names of features go; default: OUTPUT.names");
  command.add_option("--width", c->like.width, "Width of the kernel")->capture_default_str();
  command.add_option("--smallest", c->like.smallest, "Leave out smaller similarities")
      ->capture_default_str();
  add_file(command, "--labels", c->labels,
           "Where labels go, of that file's rows or as words; default: OUTPUT.labels");
  CLI::Option* const noise =
      command
          .add_option("--add-noise", c->noise,
                      "Add N features without information: N:dense (-1 or 1) or N:sparse (1 in one "
                      "row of twenty)")
          ->excludes("--kernel-expand");
  CLI::Option* const probes =
      command
          .add_option_function<std::uint64_t>(
              "--probes",
              [c](std::uint64_t n) {
                c->wants_probes = true;
                c->probes.informative = n;
              },
              "N features, the frequent ones and products of pairs of them, and N probes: their "
              "values in another order of rows (as GISETTE was made)")
          ->excludes("--kernel-expand")
          ->excludes(noise);
  add_file(command, "--probes-of", c->probes.chosen_on,
           "Training rows that --probes was applied to before: the same features for other rows")
      ->needs(probes);
  add_count(command, "--seed", c->seed, "Decides noise and probes")->capture_default_str();
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
