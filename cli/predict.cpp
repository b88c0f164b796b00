// thresh predict MODEL DATA: one line a row, in the order of the file.

#include <fmt/format.h>

#include <memory>

#include "common.hpp"
#include "progress.hpp"
#include "thresh/error.hpp"
#include "thresh/files.hpp"
#include "thresh/names.hpp"
#include "thresh/thresh.hpp"

namespace thresh::cli {
namespace {

struct PredictCommand {
  std::string model, data, output, what = "label";
  ReadFlags read;
  OutputFlags out;
};

// Formats what the user asked for, for one row.
class Line {
 public:
  Line(const PredictCommand& c, const Model& model)
      : c_(c), model_(model), predictor_(model), margins_(model.classes.size()) {
    const bool none = model.classes.empty() ? !model.calibration : !model.probabilities(margins_);
    if (c.what == "probability" && none) {
      throw Error(fmt::format("{}: the model gives no probabilities ({})", c.model,
                              model.task == Task::regression ? "it predicts numbers"
                              : model.classes.empty()        ? "train it with --calibrate"
                                                             : "train it with --loss logistic"));
    }
  }
  const Predictor& predictor() const { return predictor_; }

  // `name` of the row; "" if it has none.
  void append(const Row& row, const std::string& name, std::string& text) {
    name_ = name;
    if (!name.empty() && !c_.out.json) text += escaped(name) + "\t";
    if (model_.classes.empty()) return append_one(predictor_.margin(row), text);
    predictor_.margins(row, margins_);
    append_many(text);
  }

 private:
  void append_one(double margin, std::string& text) const {
    if (c_.out.json) {
      Json json = Json::object();
      if (!name_.empty()) json["id"] = name_;
      json["label"] = label_json(model_, model_.prediction(margin));
      json["margin"] = margin;
      if (const auto p = model_.probability(margin)) json["probability"] = *p;
      text += json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
      return;
    }
    if (c_.what == "label") {
      text += model_.label_text(model_.prediction(margin)) + "\n";
      return;
    }
    const double value = c_.what == "margin" ? margin : *model_.probability(margin);
    fmt::format_to(std::back_inserter(text), "{}\n", value);  // shortest that reads back
  }

  // Of more than two classes: the label, or one number a class.
  void append_many(std::string& text) const {
    if (c_.out.json) {
      Json json = Json::object();
      if (!name_.empty()) json["id"] = name_;
      json["label"] = label_json(model_, model_.prediction(margins_));
      json["margins"] = margins_;
      if (const auto p = model_.probabilities(margins_)) json["probabilities"] = *p;
      text += json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    } else if (c_.what == "label") {
      text += model_.label_text(model_.prediction(margins_)) + "\n";
    } else {
      const auto numbers = c_.what == "margin" ? margins_ : *model_.probabilities(margins_);
      fmt::format_to(std::back_inserter(text), "{}\n", fmt::join(numbers, "\t"));
    }
  }

  const PredictCommand& c_;
  const Model& model_;
  Predictor predictor_;
  std::vector<double> margins_;
  std::string name_;  // of the row
};

void predict(const PredictCommand& c) {
  check_outputs({{"predictions", c.output}}, {{"model", c.model}, {"data", c.data}});
  const Model model = Model::load(c.model);
  Line line(c, model);
  ReadMeter meter("predicting " + c.data, c.out.quiet);
  ReadOptions read = finish(c.read, model);
  read.once = true;
  read.labels_optional = true;
  const auto rows = open_rows(c.data, read, line.predictor().features());
  std::optional<AtomicFile> file;
  if (!c.output.empty()) file.emplace(c.output);
  std::uint64_t bad_rows = 0;
  std::string text;
  visit_rows(rows, [&](const RowsRead& read_now) {
    text.clear();
    for (std::size_t i = 0; i < read_now.rows.size(); ++i) {
      line.append(read_now.rows[i], read_now.names.empty() ? "" : read_now.names[i], text);
    }
    bad_rows += read_now.bad_rows;
    if (file) {
      file->write(text);
    } else {
      print(text);
    }
    meter.add(read_now.bytes);
  });
  if (file) file->commit();
  meter.clear();
  if (bad_rows > 0 && !c.out.quiet) {
    say("thresh: {} (no line in the output)\n", skipped(bad_rows));
  }
}

}  // namespace

void add_predict(CLI::App& app) {
  auto c = std::make_shared<PredictCommand>();
  CLI::App& command = *app.add_subcommand("predict", "Apply a model to rows");
  add_file(command, "model", c->model, "A model file")->required();
  add_file(command, "data", c->data, "Rows (see --format); labels are ignored; - for stdin")
      ->required();
  add_file(command, "-o,-p,--output-file", c->output, "Output file; default: standard output");
  add_choice(command, "--output", c->what, {"label", "margin", "probability"},
             "label, margin or probability");
  add_file_flags(command, c->read);
  command.add_option("--id", c->read.options.table.id,
                     "Column that names the rows: put it before each prediction");
  add_output_flags(command, c->out);
  command.footer(
      "Examples:\n"
      "  thresh predict news.thresh new.svm.gz > labels.txt\n"
      "  thresh predict news.thresh new.svm --output margin -o margins.txt\n"
      "  thresh predict news.thresh - --json < new.svm\n"
      "With more than two classes margin and probability give one number per class, "
      "tab-separated,\n"
      "by ascending label. If the model was trained with --id, or with --id here, each line begins "
      "with\nthe name of the row and a tab.");
  command.callback([c] { predict(*c); });
}

}  // namespace thresh::cli
