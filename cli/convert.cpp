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

void run_convert(ConvertCommand& c) {
  if (c.output == "-") throw UsageError("-o must be a file: its labels go beside it");
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
  add_file_flags(command, c->read);
  add_naming_flags(command, c->read);
  add_output_flags(command, c->out);
  command.footer(
      "Examples:\n"
      "  thresh convert people.csv -o people.svm    (writes people.svm.names as well)\n"
      "  thresh convert mnist.svm --kernel-expand support.svm -o similar.svm\n"
      "  thresh train similar.svm --solver projected-sgd --radius 100 --multiclass softmax \\\n"
      "    --non-negative --feature-labels similar.svm.labels");
  command.callback([c] { run_convert(*c); });
}

}  // namespace thresh::cli
