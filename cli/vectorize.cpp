// thresh vectorize TEXT: raw text as rows of weighted terms.
//
// Labels that are words become 0, 1, 2, ... in the sorted order of the words, as they do in a
// model.

#include <fmt/format.h>

#include <memory>

#include "common.hpp"
#include "progress.hpp"
#include "read_flags.hpp"
#include "thresh/convert.hpp"
#include "thresh/error.hpp"

namespace thresh::cli {
namespace {

struct VectorizeCommand {
  std::string data, output, on_bad_row = "stop";
  TextFiles files;
  std::vector<std::string> also;
  unsigned hash_bits = 0;
  TextFlags text;
  OutputFlags out;
};

// TEST=test.svm
std::pair<std::string, std::string> parse_also(const std::string& text) {
  const std::size_t split = text.rfind('=');
  if (split == std::string::npos || split == 0 || split + 1 == text.size()) {
    throw UsageError(fmt::format("--also {}: write TEXT=OUTPUT", text));
  }
  return {text.substr(0, split), text.substr(split + 1)};
}

void report(const VectorizeCommand& c, const TextFiles& files, const Vectorized& made) {
  Json json{{"features", made.features}, {"labels", made.labels}};
  json["files"] = Json::array();
  std::string text;
  for (std::size_t i = 0; i < made.files.size(); ++i) {
    const Vectorized::File& file = made.files[i];
    const std::string& path = files.rows[i].second;
    json["files"].push_back({{"file", path},
                             {"rows", file.rows},
                             {"nonzeros", file.nonzeros},
                             {"bad_rows", file.bad_rows}});
    text += fmt::format("{}: {} rows, {} non-zeros", path, thousands(file.rows),
                        thousands(file.nonzeros));
    if (file.bad_rows > 0) text += ", " + skipped(file.bad_rows);
    text += '\n';
  }
  text += fmt::format("{} features\n", thousands(made.features));
  for (std::size_t i = 0; i < made.labels.size(); ++i) {
    text += fmt::format("{}{} {}", i == 0 ? "labels: " : ", ", i, made.labels[i]);
  }
  print_result(c.out, json, text + (made.labels.empty() ? "" : "\n"));
}

void run_vectorize(const VectorizeCommand& c) {
  ReadOptions read;
  read.text = finish(c.text);
  read.hash_bits = c.hash_bits;
  read.skip_bad_rows = c.on_bad_row == "skip";
  read.stop = &stop_requested;
  TextFiles files = c.files;
  files.rows.emplace_back(c.data, c.output);
  std::vector<NamedFile> inputs = {{"text", c.data}, {"stop words", c.text.stop_words}};
  std::vector<NamedFile> outputs = {{"rows", c.output},
                                    {"names", files.names},
                                    {"vocabulary", files.terms},
                                    {"labels", files.labels}};
  for (const std::string& text : c.also) {
    files.rows.push_back(parse_also(text));
    inputs.push_back({"text", files.rows.back().first});
    outputs.push_back({"rows", files.rows.back().second});
  }
  check_outputs(outputs, inputs);
  TextMeter meter(c.out.quiet);
  const Vectorized made = vectorize(files, read, meter.told());
  meter.clear();
  report(c, files, made);
}

}  // namespace

void add_vectorize(CLI::App& app) {
  auto c = std::make_shared<VectorizeCommand>();
  CLI::App& command = *app.add_subcommand("vectorize", "Turn raw text into rows");
  add_file(command, "data", c->data,
           "Lines LABEL<TAB>TEXT, plain or compressed, - for stdin; or a folder of texts")
      ->required();
  add_file(command, "-o,--output", c->output, "Output file")->required();
  command.add_option("--also", c->also,
                     "Other texts with the same features: TEXT=OUTPUT; may be repeated");
  add_file(command, "--names", c->files.names, "Write the terms, line i for feature i");
  add_file(command, "--vocabulary", c->files.terms,
           "Write each feature's number, its document count and the term");
  add_file(command, "--labels", c->files.labels,
           "Write the names of labels 0, 1, 2, ..., one per line");
  command
      .add_option("--hash-bits", c->hash_bits,
                  "Hash terms into 2^B features; memory does not grow with the number of terms")
      ->check(CLI::Range(1U, 30U));
  add_choice(command, "--on-bad-row", c->on_bad_row, {"stop", "skip"},
             "On a bad line: stop, or skip it");
  add_text_options(command, c->text);
  add_output_flags(command, c->out);
  command.footer(
      "Examples:\n"
      "  thresh vectorize 20news-train -o train.svm --also 20news-test=test.svm --names terms.txt\n"
      "  thresh vectorize sms.tsv.xz -o sms.svm --ngrams 1:2 --min-df 2 --stop-words english\n"
      "In a folder, each file is a text, and the name of its parent folder is the label.");
  command.callback([c] { run_vectorize(*c); });
}

}  // namespace thresh::cli
