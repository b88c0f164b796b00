// thresh convert DATA: rows with other features.

#include <fmt/format.h>

#include <memory>

#include "common.hpp"
#include "data/feeder.hpp"
#include "data/kernel_expand.hpp"
#include "files/atomic_file.hpp"
#include "progress.hpp"
#include "thresh/error.hpp"

namespace thresh::cli {
namespace {

struct ConvertCommand {
  std::string data, output, support, labels;
  double width = 25;
  double smallest = 1e-6;
  ReadFlags read;
  OutputFlags out;
};

void write_labels(const KernelExpansion& expansion, const std::string& path) {
  AtomicFile file(path);
  for (const double label : expansion.labels()) file.write(fmt::format("{}\n", label));
  file.commit();
}

void convert(const ConvertCommand& c) {
  if (c.output == "-") throw UsageError("-o must be a file: its labels go beside it");
  if (!(c.width > 0)) throw UsageError("--width must be above 0");
  ReadMeter meter("converting " + c.data, c.out.quiet);
  const auto features = make_feature_map();
  ReadOptions read = finish(c.read);
  read.once = true;
  const KernelExpansion expansion(open_rows(c.support, read, features), c.width, c.smallest);
  AtomicFile file(c.output);
  std::uint64_t rows = 0;
  const auto source = open_rows(c.data, read, features);
  for_each_window(source, RowView{}, [&](const Window& window) {
    file.write(expansion.expand(window.rows));
    rows += window.rows.size();
    meter.add(window.source_bytes);
  });
  file.commit();
  meter.clear();
  const std::string labels = c.labels.empty() ? c.output + ".labels" : c.labels;
  write_labels(expansion, labels);
  if (c.out.json) {
    print_json({{"file", c.output},
                {"labels", labels},
                {"rows", rows},
                {"features", expansion.labels().size()}});
  } else if (!c.out.quiet) {
    print(fmt::format("{}: {} rows, {} similarities each; the classes they speak for: {}\n",
                      c.output, thousands(rows), thousands(expansion.labels().size()), labels));
  }
}

}  // namespace

void add_convert(CLI::App& app) {
  auto c = std::make_shared<ConvertCommand>();
  CLI::App& command = *app.add_subcommand("convert", "Rewrite rows with other features");
  command.add_option("data", c->data, "libsvm text; - for stdin")->required();
  command.add_option("-o,--output", c->output, "Where the rows go")->required();
  command
      .add_option(
          "--kernel-expand", c->support,
          "Feature i becomes the similarity exp(-|x - s_i|^2 / width) to row i of this file")
      ->required();
  command.add_option("--width", c->width, "Width of the kernel")->capture_default_str();
  command.add_option("--smallest", c->smallest, "Leave out smaller similarities")
      ->capture_default_str();
  command.add_option("--labels", c->labels,
                     "Where the labels of the file's rows go; default: OUTPUT.labels");
  add_tolerance_flags(command, c->read);
  add_output_flags(command, c->out);
  command.footer(
      "Examples:\n"
      "  thresh convert mnist.svm --kernel-expand support.svm -o similar.svm\n"
      "  thresh train similar.svm --solver projected-sgd --radius 100 --multiclass softmax \\\n"
      "    --non-negative --feature-labels similar.svm.labels");
  command.callback([c] { convert(*c); });
}

}  // namespace thresh::cli
