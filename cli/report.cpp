// thresh report FILE... -o report.html: results as one page that needs nothing else.

#include "thresh/report.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "common.hpp"
#include "progress.hpp"
#include "read_flags.hpp"
#include "results_json.hpp"
#include "thresh/error.hpp"
#include "thresh/explain.hpp"
#include "thresh/files.hpp"
#include "thresh/thresh.hpp"

namespace thresh::cli {
namespace {

struct ReportCommand {
  std::vector<std::string> files;
  std::string output = "report.html", title;
  bool data = false;
  ReadFlags read;
  OutputFlags out;
};

// Whether the files are a model and rows to judge it on.
bool is_model_and_data(const ReportCommand& c) {
  return c.files.size() == 2 && c.files[1] != "-" && may_be_result(c.files[0]) &&
         !may_be_result(c.files[1]);
}

// Everything about a model and data, in two passes over the rows.
std::string document_of_model(const ReportCommand& c) {
  const std::string &file = c.files[0], &data = c.files[1];
  const Model model = Model::load(file);
  ReadMeter meter("reading " + data, c.out.quiet);
  ReadOptions read = finish(c.read, model);
  read.once = true;
  const Predictor predictor(model);
  ReadOptions first = read;
  first.on_read = [&](std::uint64_t bytes) { meter.add(bytes); };
  const auto metrics = evaluate(model, predictor, open_rows(data, first, predictor.features()));
  const Json evaluation = std::visit(
      [&](const auto& m) {
        if (m.rows == 0) throw Error(data + ": no rows");
        return Json(metrics_record(m, model));
      },
      metrics);
  const Explainer explainer(model);
  FeatureUses uses(model);
  read.labels_optional = true;
  visit_rows(open_rows(data, read, explainer.features()), [&](const RowsRead& now) {
    for (const Row& row : now.rows) uses.add(explainer.explain(row));
    meter.add(now.bytes);
  });
  meter.clear();
  constexpr std::size_t kMost = 1000;
  return report_document(
      {file, data, model, json_text(evaluation, -1), json_text(uses_json(uses, model, kMost), -1)},
      c.title);
}

// Where the data go that were to be a page: a browser must not take them for one.
std::string data_path(const std::string& page) {
  const std::filesystem::path path = page;
  if (path.extension() != ".html" && path.extension() != ".htm") return page;
  return std::filesystem::path(path).replace_extension(".json").string();
}

void check_report_outputs(const ReportCommand& c, const std::string& output) {
  std::vector<NamedFile> inputs;
  for (const std::string& file : c.files) inputs.push_back({"results", file});
  check_outputs({{"report", output}}, inputs);
}

void report(const ReportCommand& c) {
  const bool page = !c.data && has_report_page();
  const std::string output = page || c.data ? c.output : data_path(c.output);
  check_report_outputs(c, output);
  const std::string document =
      is_model_and_data(c) ? document_of_model(c) : report_document(c.files, c.title);
  if (!page && !c.data) {
    say("thresh: this build cannot make HTML pages (they need esbuild and d3-array); the page's "
        "data are in {}, and a full build can make the page from them\n",
        output);
  }
  write_file(output, page ? report_page(document) : document);
  if (output == "/dev/stdout" || c.out.quiet) return;
  const std::size_t sections = Json::parse(document).at("sections").size();
  if (c.out.json) return print_json({{"file", output}, {"page", page}, {"sections", sections}});
  print(fmt::format("{}: {} of {} section{}\n", output, page ? "a page" : "the data", sections,
                    sections == 1 ? "" : "s"));
}

}  // namespace

void add_report(CLI::App& app) {
  auto c = std::make_shared<ReportCommand>();
  CLI::App& command = *app.add_subcommand("report", "Show results as one HTML page");
  add_file(command, "files", c->files,
           "Models, traces, JSON of other commands, experiments; - for stdin. Or a model and "
           "labelled rows: then the page measures and explains it")
      ->required();
  add_file(command, "-o,--output", c->output, "Output file")->capture_default_str();
  command.add_option("--title", c->title, "Title of the page");
  command.add_flag("--data", c->data, "Write only the page's data, as JSON");
  add_file_flags(command, c->read);
  add_output_flags(command, c->out);
  command.footer(
      "Examples:\n"
      "  thresh report news.thresh test.svm -o news.html      (a model and data: everything)\n"
      "  thresh train a.svm --features 500 --valid b.svm --trace a.jsonl --trace-at densities\n"
      "  thresh report a.jsonl a.svm.thresh -o a.html\n"
      "  thresh frontier a.svm --solvers budget,ftrl --json | thresh report - -o sizes.html\n"
      "  thresh report *.jsonl --title \"All solvers on a\"\n"
      "The page needs no network and no other file. File types are detected from the content.");
  command.callback([c] { report(*c); });
}

}  // namespace thresh::cli
