// thresh predict MODEL DATA: one line a row, in the order of the file.

#include <fmt/format.h>

#include <memory>

#include "common.hpp"
#include "progress.hpp"
#include "read_flags.hpp"
#include "thresh/error.hpp"
#include "thresh/files.hpp"
#include "thresh/names.hpp"
#include "thresh/thresh.hpp"
#include "thresh/threshold.hpp"

namespace thresh::cli {
namespace {

struct PredictCommand {
  std::string model, data, output, what = "label", threshold;
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

  // `name` of the row; none if it has none.
  void append(const Row& row, const std::string* name, std::string& text) {
    name_ = name;
    if (name != nullptr && !c_.out.json) text += escaped(*name) + "\t";
    if (model_.classes.empty()) return append_one(predictor_.margin(row), text);
    predictor_.margins(row, margins_);
    append_many(text);
  }

  // A bad row keeps its line, so that line i is the answer to row i.
  void append_bad(std::string& text) const { text += c_.out.json ? "{\"label\":null}\n" : "\n"; }

 private:
  Json begun() const {
    Json json = Json::object();
    if (name_ != nullptr) json["id"] = *name_;
    return json;
  }
  // A label from a table may hold line feeds.
  std::string label_line(double label) const { return escaped(model_.label_text(label)) + "\n"; }

  void append_one(double margin, std::string& text) const {
    if (c_.out.json) {
      Json json = begun();
      json["label"] = label_json(model_, model_.prediction(margin));
      json["margin"] = margin;
      if (const auto p = model_.probability(margin)) json["probability"] = *p;
      text += json_text(json, -1);
      return;
    }
    if (c_.what == "label") {
      text += label_line(model_.prediction(margin));
      return;
    }
    const double value = c_.what == "margin" ? margin : *model_.probability(margin);
    fmt::format_to(std::back_inserter(text), "{}\n", value);  // shortest that reads back
  }

  // Of more than two classes: the label, or one number a class.
  void append_many(std::string& text) const {
    if (c_.out.json) {
      Json json = begun();
      json["label"] = label_json(model_, model_.prediction(margins_));
      json["margins"] = margins_;
      if (const auto p = model_.probabilities(margins_)) json["probabilities"] = *p;
      text += json_text(json, -1);
    } else if (c_.what == "label") {
      text += label_line(model_.prediction(margins_));
    } else {
      const auto numbers = c_.what == "margin" ? margins_ : *model_.probabilities(margins_);
      fmt::format_to(std::back_inserter(text), "{}\n", fmt::join(numbers, "\t"));
    }
  }

  const PredictCommand& c_;
  const Model& model_;
  Predictor predictor_;
  std::vector<double> margins_;
  const std::string* name_ = nullptr;  // of the row
};

// Predictions in the order of the rows, one line each, bad rows included.
class Lines {
 public:
  explicit Lines(Line& line) : line_(line) {}

  // The lines of some rows; valid until the next call.
  const std::string& of(const RowsRead& read, Format format) {
    text_.clear();
    const std::uint64_t end = next_ + read.rows.size() + read.bad_rows;
    for (std::size_t i = 0; i < read.rows.size(); ++i) {
      skip_to(read.rows[i].id);
      const std::string* name = read.names.empty() ? nullptr : &read.names[i];
      if (format == Format::vw && name != nullptr && name->empty()) name = nullptr;  // no tag
      line_.append(read.rows[i], name, text_);
      ++next_;
    }
    skip_to(end);
    return text_;
  }
  // Those of bad rows at the end that only a survey knows of.
  const std::string& rest(const Survey* survey) {
    text_.clear();
    if (survey != nullptr) skip_to(survey->rows + survey->bad_rows);
    return text_;
  }
  std::uint64_t bad_rows() const { return bad_rows_; }

 private:
  void skip_to(std::uint64_t row) {
    for (; next_ < row; ++next_, ++bad_rows_) line_.append_bad(text_);
  }

  Line& line_;
  std::string text_;
  std::uint64_t next_ = 0;  // number of the row whose line comes next
  std::uint64_t bad_rows_ = 0;
};

// A threshold of the user's: P, a probability, or margin=X.
void set_threshold(const std::string& text, Model& model) {
  constexpr std::string_view kMargin = "margin=";
  if (model.task != Task::classification || !model.classes.empty()) {
    throw UsageError("--threshold needs a model of two classes");
  }
  if (text.starts_with(kMargin)) {
    model.threshold =
        Threshold{parse_real("--threshold", text.substr(kMargin.size())), "--threshold"};
    return;
  }
  const double probability = parse_real("--threshold", text);
  if (!model.calibration) {
    throw UsageError(
        "--threshold P: the model gives no probabilities (train it with --calibrate, or give "
        "margin=X)");
  }
  model.threshold = Threshold{margin_at(model, probability), "--threshold"};
}

void predict(const PredictCommand& c) {
  check_outputs({{"predictions", c.output}}, {{"model", c.model}, {"data", c.data}});
  Model model = Model::load(c.model);
  if (!c.threshold.empty()) set_threshold(c.threshold, model);
  Line line(c, model);
  Lines lines(line);
  ReadMeter meter("predicting " + c.data, c.out.quiet);
  ReadOptions read = finish(c.read, model);
  read.once = true;
  read.labels_optional = true;
  const auto rows = open_rows(c.data, read, line.predictor().features());
  std::optional<AtomicFile> file;
  if (!c.output.empty()) file.emplace(c.output);
  const auto write = [&](const std::string& text) {
    if (!file) return print(text);
    file->write(text);
    file->hand_over();
  };
  visit_rows(rows, [&](const RowsRead& now) {
    write(lines.of(now, read.format));
    meter.add(now.bytes);
  });
  write(lines.rest(rows->survey()));
  if (file) file->commit();
  meter.clear();
  if (lines.bad_rows() > 0 && !c.out.quiet) {
    say("thresh: {} (their lines are empty)\n", skipped(lines.bad_rows()));
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
  command.add_option("--threshold", c->threshold,
                     "Predict the positive label above this probability, or above this margin with "
                     "margin=X; default: the model's threshold, see `thresh threshold`");
  add_file_flags(command, c->read);
  command.add_option("--id", c->read.options.table.id,
                     "Column that names the rows: put it before each prediction");
  add_output_flags(command, c->out);
  command.footer(
      "Examples:\n"
      "  thresh predict news.thresh new.svm.gz > labels.txt\n"
      "  thresh predict news.thresh new.svm --output margin -o margins.txt\n"
      "  thresh predict news.thresh - --json < new.svm\n"
      "  mkfifo rows; thresh predict mail.thresh rows      (answers each row as it comes)\n"
      "Line i is the answer to row i; that to a bad row (--on-bad-row skip) is empty. Rows from a\n"
      "pipe are answered before a wait for more of them. With more than two classes margin and\n"
      "probability give one number per class, tab-separated, by ascending label. If the model was\n"
      "trained with --id, or with --id here, each line begins with the name of the row and a tab;\n"
      "so do lines of VW rows with a tag. In names and labels \\n, \\r, \\t and \\\\ stand for a "
      "line\n"
      "feed, a carriage return, a tab and a backslash.");
  command.callback([c] { predict(*c); });
}

}  // namespace thresh::cli
