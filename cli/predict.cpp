// thresh predict MODEL DATA: one line a row, in the order of the file.

#include <fmt/format.h>

#include <memory>

#include "common.hpp"
#include "data/feeder.hpp"
#include "files/atomic_file.hpp"
#include "progress.hpp"
#include "thresh/error.hpp"
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
  Line(const PredictCommand& c, const Model& model) : c_(c), model_(model) {
    if (c.what == "probability" && !model.calibration) {
      throw Error(
          fmt::format("{}: the model gives no probabilities (train it with --calibrate)", c.model));
    }
  }
  void append(double margin, std::string& text) const {
    if (c_.out.json) {
      Json json;
      json["label"] = model_.prediction(margin);
      json["margin"] = margin;
      if (const auto p = model_.probability(margin)) json["probability"] = *p;
      text += json.dump() + "\n";
      return;
    }
    const double value = c_.what == "margin"        ? margin
                         : c_.what == "probability" ? *model_.probability(margin)
                                                    : model_.prediction(margin);
    fmt::format_to(std::back_inserter(text), "{}\n", value);  // shortest that reads back
  }

 private:
  const PredictCommand& c_;
  const Model& model_;
};

void predict(const PredictCommand& c) {
  const Model model = Model::load(c.model);
  const Line line(c, model);
  const Predictor predictor(model);
  ReadMeter meter("predicting " + c.data, c.out.quiet);
  ReadOptions read = finish(c.read);
  read.zero_based = model.zero_based;
  read.normalize_l2 = model.normalize_l2;
  read.once = true;
  const auto rows = open_rows(c.data, read, predictor.features());
  std::optional<AtomicFile> file;
  if (!c.output.empty()) file.emplace(c.output);
  std::uint64_t bad_rows = 0;
  std::string text;
  for_each_window(rows, RowView{}, [&](const Window& window) {
    text.clear();
    for (const Row& row : window.rows) line.append(predictor.margin(row), text);
    for (const BlockPtr& block : window.blocks) bad_rows += block->bad_rows;
    if (file) {
      file->write(text);
    } else {
      print(text);
    }
    meter.add(window.source_bytes);
  });
  if (file) file->commit();
  meter.clear();
  if (bad_rows > 0 && !c.out.quiet) fmt::print(stderr, "thresh: {} bad rows skipped\n", bad_rows);
}

}  // namespace

void add_predict(CLI::App& app) {
  auto c = std::make_shared<PredictCommand>();
  CLI::App& command = *app.add_subcommand("predict", "Apply a model to rows");
  command.add_option("model", c->model, "A model file")->required();
  command.add_option("data", c->data, "libsvm text; labels are ignored; - for stdin")->required();
  command.add_option("-o,-p,--output-file", c->output,
                     "Where predictions go; default: standard output");
  command.add_option("--output", c->what, "label, margin or probability")
      ->check(CLI::IsMember({"label", "margin", "probability"}))
      ->capture_default_str();
  add_tolerance_flags(command, c->read);
  add_output_flags(command, c->out);
  command.footer(
      "Examples:\n"
      "  thresh predict news.thresh new.svm.gz > labels.txt\n"
      "  thresh predict news.thresh new.svm --output margin -o margins.txt\n"
      "  thresh predict news.thresh - --json < new.svm");
  command.callback([c] { predict(*c); });
}

}  // namespace thresh::cli
