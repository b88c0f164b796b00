#include "common/experiment.hpp"

#include <filesystem>

#include "common/plot.hpp"
#include "thresh/files.hpp"

namespace thresh::experiments {
namespace {

// One entry per line, so that diffs of the file show changes of the results.
std::string to_text(const Experiment& experiment, const Report& report) {
  const Json head = {{"kind", "experiment"},
                     {"title", experiment.title},
                     {"version", THRESH_VERSION},
                     {"options", report.options}};
  std::string text = head.dump();
  text.pop_back();
  const auto add = [&](const char* name, const auto& entries) {
    text += std::string(",\n\"") + name + "\": [";
    for (const auto& entry : entries) {
      text += (&entry == &entries.front() ? "\n" : ",\n") + to_json(entry).dump();
    }
    text += "]";
  };
  add("figures", report.figures);
  add("tables", report.tables);
  return text + "}\n";
}

}  // namespace

void write(const Experiment& experiment, const Report& report, const std::string& results,
           const std::string& figures) {
  std::filesystem::create_directories(results);
  std::filesystem::create_directories(figures);
  for (const Figure& figure : report.figures) {
    if (!figure.file.empty())
      write_file(figures + "/" + experiment.name + "-" + figure.file + ".svg", draw(figure));
  }
  for (const Table& table : report.tables) {
    if (!table.file.empty()) write_file(results + "/" + table.file + ".csv", to_csv(table));
  }
  write_file(results + "/results.json", to_text(experiment, report));
}

}  // namespace thresh::experiments
