// thresh compare A B DATA: do two models differ beyond chance, and on which rows?

#include "thresh/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "common.hpp"
#include "progress.hpp"
#include "read_flags.hpp"
#include "thresh/error.hpp"
#include "thresh/files.hpp"
#include "thresh/thresh.hpp"

namespace thresh::cli {
namespace {

struct CompareCommand {
  std::string first, second, data, weights, output;
  std::size_t rows = 5;
  ReadFlags read;
  OutputFlags out;
};

// The rows on which the models differ: for classes the first ones, for numbers those furthest
// apart.
class DifferingRows {
 public:
  DifferingRows(const CompareCommand& c, const Model& model) : c_(c), model_(model) {
    if (c.output.empty()) return;
    file_.emplace(c.output);
    file_->write("row\ttruth\tA\tB\n");
  }

  void add(const ComparedRow& row) {
    if (row.first == row.second) return;
    ++count_;
    if (file_) {
      file_->write(fmt::format("{}\t{}\t{}\t{}\n", row.row, text(row.truth), text(row.first),
                               text(row.second)));
    }
    shown_.push_back(row);
    if (model_.task == Task::regression) {
      std::push_heap(shown_.begin(), shown_.end(), further);  // the nearest first
      if (shown_.size() > c_.rows) std::pop_heap(shown_.begin(), shown_.end(), further);
    }
    if (shown_.size() > c_.rows) shown_.pop_back();
  }
  void finish() {
    if (file_) file_->commit();
    if (model_.task == Task::regression) std::sort(shown_.begin(), shown_.end(), further);
  }

  std::string to_text() const {
    std::string out;
    if (!shown_.empty()) {
      out = fmt::format("{:<11} {}{}\n{:>12} {:>12} {:>12} {:>12}\n", "differ on",
                        thousands(count_) + (count_ == 1 ? " row" : " rows"),
                        count_ > shown_.size() ? fmt::format(", of which {}:", shown_.size()) : ":",
                        "row", "truth", "A", "B");
    }
    for (const ComparedRow& row : shown_) {
      out += fmt::format("{:>12} {:>12} {:>12} {:>12}\n", row.row, text(row.truth), text(row.first),
                         text(row.second));
    }
    return out;
  }
  Json to_json() const {
    Json rows = Json::array();
    for (const ComparedRow& row : shown_) {
      rows.push_back({{"row", row.row},
                      {"truth", label_json(model_, row.truth)},
                      {"a", label_json(model_, row.first)},
                      {"b", label_json(model_, row.second)}});
    }
    return {{"count", count_}, {"rows", rows}};
  }

 private:
  static bool further(const ComparedRow& a, const ComparedRow& b) {
    return std::fabs(a.first - a.second) > std::fabs(b.first - b.second);
  }
  std::string text(double label) const {
    return model_.task == Task::regression ? fmt::format("{:.6g}", label)
                                           : escaped(model_.label_text(label));
  }

  const CompareCommand& c_;
  const Model& model_;
  std::optional<AtomicFile> file_;
  std::uint64_t count_ = 0;
  std::vector<ComparedRow> shown_;
};

Json to_json(const std::optional<PairedScore>& score) {
  if (!score) return nullptr;
  Json json = {{"a", score->first}, {"b", score->second}, {"difference", nullptr}};
  json["difference"] = score->second - score->first;
  json["interval"] = score->difference
                         ? Json::array({score->difference->low, score->difference->high})
                         : Json(nullptr);
  return json;
}

Json to_json(const Comparison& m) {
  Json json = {{"rows", m.rows}, {"bad_rows", m.bad_rows}, {"differ", m.differs()}};
  if (m.error) {
    json["error"] = to_json(m.error);
    json["log_loss"] = to_json(m.log_loss);
    json["only_a_right"] = m.only_first_right;
    json["only_b_right"] = m.only_second_right;
    json["both_wrong"] = m.both_wrong;
    json["p_value"] = or_null(m.p_value);
  } else {
    json["squared_error"] = to_json(m.squared_error);
    json["absolute_error"] = to_json(m.absolute_error);
  }
  return json;
}

using Shown = std::string(double);
std::string plain(double x) {
  return fmt::format("{:.6g}", x);
}

std::string line(const char* name, const PairedScore& score, Shown* shown) {
  std::string text = fmt::format("{:<11} A {}, B {}, B - A {}", name, shown(score.first),
                                 shown(score.second), shown(score.second - score.first));
  if (score.difference) {
    text += fmt::format(" [{}, {}]", shown(score.difference->low), shown(score.difference->high));
  }
  return text + "\n";
}

std::string verdict(const Comparison& m) {
  const PairedScore& score = m.error ? *m.error : *m.absolute_error;
  const std::string chance = m.p_value ? fmt::format(" (p = {:.2g})", *m.p_value) : "";
  if (!m.differs()) return "no difference beyond chance" + chance;
  return fmt::format("{} is better beyond chance{}", score.second < score.first ? "B" : "A",
                     chance);
}

std::string to_text(const Comparison& m) {
  std::string text = fmt::format("{:<11} {}\n", "rows", thousands(m.rows));
  if (m.bad_rows > 0) text += fmt::format("{:<11} {}\n", "", skipped(m.bad_rows));
  if (m.error) {
    text += line("error", *m.error, percent);
    if (m.log_loss) text += line("log-loss", *m.log_loss, plain);
    text += fmt::format("{:<11} only A on {} rows, only B on {}; both wrong on {}\n", "right",
                        thousands(m.only_first_right), thousands(m.only_second_right),
                        thousands(m.both_wrong));
  } else {
    text += line("abs. error", *m.absolute_error, plain);
    text += line("sq. error", *m.squared_error, plain);
  }
  return text + fmt::format("{:<11} 95% intervals of the difference on the same rows\n{:<11} {}\n",
                            "[ ]", "verdict", verdict(m));
}

void run_compare(const CompareCommand& c) {
  if (c.data == "-") throw UsageError("compare reads DATA once for each model: it must be a file");
  check_outputs({{"rows", c.output}}, {{"model", c.first}, {"model", c.second}, {"data", c.data}});
  const Model first = Model::load(c.first), second = Model::load(c.second);
  const Predictor of_first(first), of_second(second);
  ReadMeter meter("comparing on " + c.data, c.out.quiet);
  const auto opened = [&](const Model& model, const Predictor& predictor) {
    ReadOptions read = finish(c.read, model);
    read.once = true;
    if (&model == &first) read.on_read = [&](std::uint64_t bytes) { meter.add(bytes); };
    return open_rows(c.data, read, predictor.features());
  };
  DifferingRows differing(c, first);
  const Comparison m = compare({first, of_first, opened(first, of_first)},
                               {second, of_second, opened(second, of_second)}, c.weights,
                               [&](const ComparedRow& row) { differing.add(row); });
  differing.finish();
  meter.clear();
  Json json = to_json(m);
  json["differing"] = differing.to_json();
  print_result(c.out, json, to_text(m) + differing.to_text());
}

}  // namespace

void add_compare(CLI::App& app) {
  auto c = std::make_shared<CompareCommand>();
  CLI::App& command =
      *app.add_subcommand("compare", "Test whether two models differ beyond chance");
  add_file(command, "a", c->first, "A model file")->required();
  add_file(command, "b", c->second, "Another one")->required();
  add_file(command, "data", c->data, "Labelled rows (see --format)")->required();
  add_file(command, "--weights", c->weights, "Example weights, one per line");
  add_count(command, "--rows", c->rows,
            "Show this many rows on which they differ: the first, for numbers those furthest apart")
      ->capture_default_str();
  add_file(command, "-o,--output", c->output, "Write all of these rows to this file");
  add_file_flags(command, c->read);
  add_output_flags(command, c->out);
  command.footer(
      "Examples:\n"
      "  thresh compare small.thresh large.thresh test.svm\n"
      "  thresh compare old.thresh new.thresh test.csv --rows 20 -o differing.tsv\n"
      "Both models are judged on the same rows, so much smaller differences can be told from\n"
      "chance than by two runs of `thresh eval`. Errors are compared by McNemar's exact test,\n"
      "everything else by the 95% interval of the mean difference. The file has the columns row,\n"
      "truth, A, B, separated by tabs.");
  command.callback([c] { run_compare(*c); });
}

}  // namespace thresh::cli
