// thresh convert DATA: the rows in libsvm text, from any format, or with other features.

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "common.hpp"
#include "data/feed/feeder.hpp"
#include "data/feed/kernel_expand.hpp"
#include "data/names/vocabulary.hpp"
#include "data/read/utf8.hpp"
#include "files/atomic_file.hpp"
#include "progress.hpp"
#include "sparse/feature_map.hpp"
#include "thresh/error.hpp"
#include "thresh/fit.hpp"

namespace thresh::cli {
namespace {

struct ConvertCommand {
  std::string data, output, support, labels, names;
  double width = 25;
  double smallest = 1e-6;
  ReadFlags read;
  OutputFlags out;
};

std::string names_path(const ConvertCommand& c) {
  return c.names.empty() ? c.output + ".names" : c.names;
}

std::string labels_path(const ConvertCommand& c) {
  return c.labels.empty() ? c.output + ".labels" : c.labels;
}

void write_labels(const KernelExpansion& expansion, const std::string& path) {
  AtomicFile file(path);
  for (const double label : expansion.labels()) file.write(fmt::format("{}\n", label));
  file.commit();
}

void append_row(const Row& row, const FeatureMap& features, std::string& text) {
  text += fmt::format("{}", row.label);
  for (std::size_t i = 0; i < row.size; ++i) {
    text += fmt::format(" {}:{}", features.id(row.slots[i]) + 1, row.values[i]);
  }
  text += '\n';
}

// A line a feature: those that hashing has left out are empty.
void write_names(const Vocabulary& vocabulary, const std::string& path) {
  std::vector<std::pair<std::uint64_t, std::string>> names;
  vocabulary.for_each(
      [&](std::uint64_t id, std::string_view name) { names.emplace_back(id, escaped(name)); });
  std::sort(names.begin(), names.end());
  AtomicFile file(path);
  std::uint64_t line = 0;
  for (const auto& [id, name] : names) {
    for (; line < id; ++line) file.write("\n");
    file.write(name + "\n");
    ++line;
  }
  for (; line < vocabulary.id_end(); ++line) file.write("\n");
  file.commit();
}

void write_words(const std::vector<std::string>& words, const std::string& path) {
  AtomicFile file(path);
  for (const std::string& word : words) file.write(word + "\n");
  file.commit();
}

// The same rows in libsvm text, and what the numbers in it stand for.
void convert_format(const ConvertCommand& c) {
  ReadMeter meter("converting " + c.data, c.out.quiet);
  ReadOptions read = finish(c.read);
  read.on_read = [&](std::uint64_t bytes) { meter.add(bytes); };
  const Problem problem = open_problem(c.data, "", read);
  const Survey& survey = *problem.train->survey();
  if (survey.weighted) throw Error(c.data + ": libsvm text has no place for importance weights");
  AtomicFile file(c.output);
  std::uint64_t rows = 0;
  std::string text;
  meter.clear();
  ReadMeter writing("writing " + c.output, c.out.quiet);
  for_each_window(metered(problem.train, writing), RowView{}, [&](const Window& window) {
    text.clear();
    for (const Row& row : window.rows) append_row(row, *problem.features, text);
    file.write(text);
    rows += window.rows.size();
  });
  file.commit();
  writing.clear();
  const std::string names = names_path(c);
  const std::string labels = labels_path(c);
  if (problem.vocabulary) write_names(*problem.vocabulary, names);
  if (!survey.label_names.empty()) write_words(survey.label_names, labels);
  if (c.out.json) {
    Json json{{"file", c.output}, {"rows", rows}, {"features", survey.dimension}};
    if (problem.vocabulary) json["names"] = names;
    if (!survey.label_names.empty()) json["labels"] = labels;
    return print_json(json);
  }
  if (c.out.quiet) return;
  print(fmt::format("{}: {} rows, {} features{}{}\n", c.output, thousands(rows),
                    thousands(survey.dimension),
                    problem.vocabulary ? "; their names: " + names : "",
                    survey.label_names.empty() ? "" : "; what label 0, 1, ... is: " + labels));
}

void convert(const ConvertCommand& c) {
  if (c.output == "-") throw UsageError("-o must be a file: its labels go beside it");
  check_outputs({{"rows", c.output}, {"names", names_path(c)}, {"labels", labels_path(c)}},
                {{"data", c.data}, {"rows to compare with", c.support}});
  if (c.support.empty()) return convert_format(c);
  if (!(c.width > 0)) throw UsageError("--width must be above 0");
  ReadMeter meter("converting " + c.data, c.out.quiet);
  const auto features = make_feature_map();
  ReadOptions read = finish(c.read);
  read.once = true;
  read.vocabulary =
      std::make_shared<Vocabulary>(read.hash_bits);  // a name means one feature in both
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
  const std::string labels = labels_path(c);
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
  CLI::App& command = *app.add_subcommand("convert", "Rewrite rows as libsvm text");
  command.add_option("data", c->data, "Rows (see --format); - for stdin")
      ->type_name(kFile)
      ->required();
  command.add_option("-o,--output", c->output, "Where the rows go")->type_name(kFile)->required();
  command
      .add_option(
          "--kernel-expand", c->support,
          "Feature i becomes the similarity exp(-|x - s_i|^2 / width) to row i of this file")
      ->type_name(kFile);
  command.add_option("--names-out", c->names, "Where names of features go; default: OUTPUT.names")
      ->type_name(kFile);
  command.add_option("--width", c->width, "Width of the kernel")->capture_default_str();
  command.add_option("--smallest", c->smallest, "Leave out smaller similarities")
      ->capture_default_str();
  command
      .add_option("--labels", c->labels,
                  "Where labels go, of that file's rows or as words; default: OUTPUT.labels")
      ->type_name(kFile);
  add_file_flags(command, c->read);
  add_naming_flags(command, c->read);
  add_output_flags(command, c->out);
  command.footer(
      "Examples:\n"
      "  thresh convert people.csv -o people.svm    (writes people.svm.names as well)\n"
      "  thresh convert mnist.svm --kernel-expand support.svm -o similar.svm\n"
      "  thresh train similar.svm --solver projected-sgd --radius 100 --multiclass softmax \\\n"
      "    --non-negative --feature-labels similar.svm.labels");
  command.callback([c] { convert(*c); });
}

}  // namespace thresh::cli
