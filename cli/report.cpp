// thresh report FILE... -o report.html: results as one page that needs nothing else.

#include "report/report.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "common.hpp"
#include "files/atomic_file.hpp"

namespace thresh::cli {
namespace {

struct ReportCommand {
  std::vector<std::string> files;
  std::string output = "report.html", title;
  bool data = false;
  OutputFlags out;
};

void write_file(const std::string& path, const std::string& text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

void report(const ReportCommand& c) {
  const Json document = report_document(c.files, c.title);
  const bool page = !c.data && has_report_page();
  std::string output = c.output;
  if (!page && !c.data) {
    output = std::filesystem::path(output).replace_extension(".json").string();
    fmt::print(stderr,
               "thresh: built without Node.js, so there is no page; the data are in {} (a build "
               "with it makes the page from that file)\n",
               output);
  }
  write_file(output, page ? report_page(document) : document_text(document));
  if (output == "/dev/stdout" || c.out.quiet) return;
  const std::size_t sections = document["sections"].size();
  if (c.out.json) return print_json({{"file", output}, {"page", page}, {"sections", sections}});
  print(fmt::format("{}: {} of {} section{}\n", output, page ? "a page" : "the data", sections,
                    sections == 1 ? "" : "s"));
}

}  // namespace

void add_report(CLI::App& app) {
  auto c = std::make_shared<ReportCommand>();
  CLI::App& command = *app.add_subcommand("report", "Show results as one HTML page");
  command
      .add_option("files", c->files,
                  "Models, traces, JSON of other commands, experiments; - for stdin")
      ->required();
  command.add_option("-o,--output", c->output, "Where the page goes")->capture_default_str();
  command.add_option("--title", c->title, "Of the page");
  command.add_flag("--data", c->data, "Write the data of the page alone, as JSON");
  add_output_flags(command, c->out);
  command.footer(
      "Examples:\n"
      "  thresh train a.svm --features 500 --valid b.svm --trace a.jsonl --trace-at densities\n"
      "  thresh report a.jsonl a.svm.thresh -o a.html\n"
      "  thresh frontier a.svm --solvers budget,ftrl --json | thresh report - -o sizes.html\n"
      "  thresh report *.jsonl --title \"All solvers on a\"\n"
      "The page needs no network and no other file. What a file is, its content tells.");
  command.callback([c] { report(*c); });
}

}  // namespace thresh::cli
