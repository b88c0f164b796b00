// thresh export MODEL --format F: the model for other programs.

#include "thresh/export.hpp"

#include <fmt/format.h>

#include <optional>

#include "common.hpp"
#include "thresh/error.hpp"

namespace thresh::cli {
namespace {

struct ExportCommand {
  std::string model, format, output = "/dev/stdout", header;
  std::optional<std::string> prefix, table;
  OutputFlags out;
};

void run_export(const ExportCommand& c) {
  if (c.prefix && c.format != "c") throw UsageError("--prefix applies only to --format c");
  if (!c.header.empty() && c.format != "c") {
    throw UsageError("--header applies only to --format c");
  }
  if (c.table && c.format != "sql") throw UsageError("--table applies only to --format sql");
  check_outputs({{"export", c.output}, {"header", c.header}}, {{"model", c.model}});
  const Model model = Model::load(c.model);
  if (c.format == "c") {
    export_c(model, c.output, c.prefix.value_or("thresh"), c.header);
  } else if (c.table) {
    export_sql(model, c.output, *c.table);
  } else {
    export_model(model, c.format, c.output);
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
  command
      .add_option(
          "--format", c->format,
          "c, a C99 source; javascript or python, a module; sql, a SELECT; onnx; liblinear; "
          "json, the whole model")
      ->check(CLI::IsMember(export_formats()))
      ->required();
  add_file(command, "-o,--output", c->output, "Output file; default: standard output");
  command.add_option("--prefix", c->prefix, "Prefix of the names in the C source")
      ->default_str("thresh");
  add_file(command, "--header", c->header, "Write a header for the C source, which includes it");
  command.add_option("--table", c->table, "Name of the table in the SQL")->default_str("data");
  add_output_flags(command, c->out);
  command.footer(
      "Examples:\n"
      "  thresh export news.thresh --format liblinear -o news.model\n"
      "  liblinear-predict test.svm news.model labels.txt\n"
      "  thresh export news.thresh --format json | jq .weights\n"
      "  thresh export news.thresh --format c --prefix news -o news.c\n"
      "  thresh export mail.thresh --format python -o mail.py && python3 mail.py < texts\n"
      "  thresh export churn.thresh --format sql --table customers | duckdb shop.db\n"
      "None of these needs thresh to run. C, Python and JavaScript give the same margins as\n"
      "predict, SQL and ONNX up to rounding. docs/deploy.md compares them.");
  command.callback([c] { run_export(*c); });
}

}  // namespace thresh::cli
