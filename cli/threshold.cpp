// thresh threshold MODEL DATA: choose where a model of two classes turns from one to the other.

#include "thresh/threshold.hpp"

#include <fmt/format.h>

#include <memory>

#include "common.hpp"
#include "progress.hpp"
#include "read_flags.hpp"
#include "select.hpp"
#include "thresh/thresh.hpp"

namespace thresh::cli {
namespace {

struct ThresholdCommand {
  std::string model, data, output, weights, by = "f1";
  ReadFlags read;
  OutputFlags out;
};

Json to_json(const ClassificationMetrics& m) {
  return {{"error", m.error},
          {"precision", or_null(m.precision)},
          {"recall", or_null(m.recall)},
          {"f1", or_null(m.f1)},
          {"confusion", {{"tp", m.tp}, {"fp", m.fp}, {"tn", m.tn}, {"fn", m.fn}}}};
}

std::string line(const char* name, const ClassificationMetrics& m) {
  const auto share = [](const std::optional<double>& value) {
    return value ? percent(*value) : std::string("-");
  };
  return fmt::format("{:<10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}\n", name, percent(m.error),
                     share(m.precision), share(m.recall), share(m.f1), fmt::format("{:g}", m.fn),
                     fmt::format("{:g}", m.fp));
}

// A margin, with its probability if the model has one.
std::string place_of(double margin, const Model& model) {
  const auto probability = model.probability(margin);
  return fmt::format("margin {:.6g}{}", margin,
                     probability ? fmt::format(", probability {:.4g}", *probability) : "");
}

void run_threshold(const ThresholdCommand& c) {
  check_outputs({{"model", c.output}}, {{"model", c.model}, {"data", c.data}});
  Model model = Model::load(c.model);
  const Predictor predictor(model);
  ReadMeter meter("reading " + c.data, c.out.quiet);
  ReadOptions read = finish(c.read, model);
  read.once = true;
  read.on_read = [&](std::uint64_t bytes) { meter.add(bytes); };
  const auto rows = open_rows(c.data, read, predictor.features());
  const ThresholdChoice choice = choose_threshold(model, predictor, rows, c.by, c.weights);
  meter.clear();
  const double margin = choice.threshold.margin;
  std::string text = fmt::format("threshold  {} ({})\n", place_of(margin, model), c.by);
  text += fmt::format("{:<10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}\n", "", "error",
                      "precision", "recall", "F1", "missed", "false");
  text += line("before", choice.before) + line("with it", choice.after);
  if (!c.output.empty()) {
    model.threshold = choice.threshold;
    model.save(c.output);
    text += fmt::format("{:<10} {}\n", "model", c.output);
  }
  print_result(c.out,
               {{"margin", margin},
                {"probability", or_null(model.probability(margin))},
                {"by", c.by},
                {"before", to_json(choice.before)},
                {"after", to_json(choice.after)}},
               text);
}

}  // namespace

Json threshold_json(const Model& model) {
  if (!model.threshold) return Json::object();
  return {{"threshold",
           {{"margin", model.threshold->margin},
            {"probability", or_null(model.probability(model.threshold->margin))},
            {"by", model.threshold->by}}}};
}

std::string threshold_line(const Model& model) {
  if (!model.threshold) return "";
  return fmt::format("threshold: {} ({})\n", place_of(model.threshold->margin, model),
                     model.threshold->by);
}

void add_threshold(CLI::App& app) {
  auto c = std::make_shared<ThresholdCommand>();
  CLI::App& command =
      *app.add_subcommand("threshold", "Choose when a model predicts the positive class");
  add_file(command, "model", c->model, "A model file of two classes")->required();
  add_file(command, "data", c->data, "Labelled rows that the model has not seen; - for stdin")
      ->required();
  command
      .add_option(
          "--by", c->by,
          "f1: the largest F1; cost=M:F: the least cost, if a missed positive costs M and a "
          "false one F; recall=R: the fewest positives that include the share R of all")
      ->capture_default_str();
  add_file(command, "-o,--output", c->output, "Write the model with this threshold");
  add_file(command, "--weights", c->weights, "Example weights, one per line");
  add_file_flags(command, c->read);
  add_output_flags(command, c->out);
  command.footer(
      "Examples:\n"
      "  thresh threshold mail.thresh held-out.svm --by cost=10:1 -o careful.thresh\n"
      "  thresh threshold mail.thresh held-out.svm --by recall=0.95\n"
      "predict, eval, explain and compare use the threshold of the model. `thresh predict\n"
      "--threshold P` uses another one. Without -o it is only shown. `thresh train --threshold-by\n"
      "RULE` chooses one on the rows that it holds out anyway.");
  command.callback([c] { run_threshold(*c); });
}

}  // namespace thresh::cli
