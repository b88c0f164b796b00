// thresh report FILE... -o report.html: results as one page that needs nothing else.

#include "thresh/report.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "common.hpp"
#include "thresh/files.hpp"

namespace thresh::cli {
namespace {

struct ReportCommand {
  std::vector<std::string> files;
  std::string output = "report.html", title;
  bool data = false;
  OutputFlags out;
};

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
  const std::string document = report_document(c.files, c.title);
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
           "Models, traces, JSON of other commands, experiments; - for stdin")
      ->required();
  add_file(command, "-o,--output", c->output, "Output file")->capture_default_str();
  command.add_option("--title", c->title, "Title of the page");
  command.add_flag("--data", c->data, "Write only the page's data, as JSON");
  add_output_flags(command, c->out);
  command.footer(
      "Examples:\n"
      "  thresh train a.svm --features 500 --valid b.svm --trace a.jsonl --trace-at densities\n"
      "  thresh report a.jsonl a.svm.thresh -o a.html\n"
      "  thresh frontier a.svm --solvers budget,ftrl --json | thresh report - -o sizes.html\n"
      "  thresh report *.jsonl --title \"All solvers on a\"\n"
      "The page needs no network and no other file. File types are detected from the content.");
  command.callback([c] { report(*c); });
}

}  // namespace thresh::cli
