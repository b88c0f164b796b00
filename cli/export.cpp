// thresh export MODEL --format F: the model for other programs.

#include "thresh/export.hpp"

#include <fmt/format.h>

#include <optional>

#include "common.hpp"
#include "thresh/error.hpp"

namespace thresh::cli {
namespace {

struct ExportCommand {
  std::string model, format, output = "/dev/stdout";
  std::optional<std::string> prefix;
  OutputFlags out;
};

void run_export(const ExportCommand& c) {
  if (c.prefix && c.format != "c") throw UsageError("--prefix applies only to --format c");
  check_outputs({{"export", c.output}}, {{"model", c.model}});
  const Model model = Model::load(c.model);
  if (c.format == "liblinear") {
    export_liblinear(model, c.output);
  } else if (c.format == "c") {
    export_c(model, c.output, c.prefix.value_or("thresh"));
  } else {
    export_json(model, c.output);
  }
  if (c.output == "/dev/stdout") return;
  print_result(
      c.out, {{"file", c.output}, {"format", c.format}, {"nonzeros", model.nonzeros()}},
      fmt::format("{}: {} model, {} non-zeros\n", c.output, c.format, thousands(model.nonzeros())));
}

}  // namespace

void add_export(CLI::App& app) {
  auto c = std::make_shared<ExportCommand>();
  CLI::App& command = *app.add_subcommand("export", "Write a model in another program's format");
  add_file(command, "model", c->model, "A model file")->required();
  command.add_option("--format", c->format, "liblinear, json, or c: a C99 source")
      ->check(CLI::IsMember({"liblinear", "json", "c"}))
      ->required();
  add_file(command, "-o,--output", c->output, "Output file; default: standard output");
  command.add_option("--prefix", c->prefix, "Prefix of the names in the C source")
      ->default_str("thresh");
  add_output_flags(command, c->out);
  command.footer(
      "Examples:\n"
      "  thresh export news.thresh --format liblinear -o news.model\n"
      "  liblinear-predict test.svm news.model labels.txt\n"
      "  thresh export news.thresh --format json | jq .weights\n"
      "  thresh export news.thresh --format c --prefix news -o news.c");
  command.callback([c] { run_export(*c); });
}

}  // namespace thresh::cli
