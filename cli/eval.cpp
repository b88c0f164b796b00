// thresh eval MODEL DATA: how good a model is on labelled rows.

#include <fmt/format.h>

#include "common.hpp"
#include "progress.hpp"
#include "read_flags.hpp"
#include "thresh/error.hpp"
#include "thresh/thresh.hpp"

namespace thresh::cli {
namespace {

struct EvalCommand {
  std::string model, data, weights;
  ReadFlags read;
  OutputFlags out;
};

std::string row(const char* name, const std::string& value) {
  return fmt::format("{:<11} {}\n", name, value);
}

// " [low, high]", or nothing.
std::string shown(const std::optional<Interval>& interval, const char* form = "{:.4f}") {
  if (!interval) return "";
  return fmt::format(" [{}, {}]", fmt::format(fmt::runtime(form), interval->low),
                     fmt::format(fmt::runtime(form), interval->high));
}

std::string shown_percent(const std::optional<Interval>& interval) {
  return interval ? fmt::format(" [{}, {}]", percent(interval->low), percent(interval->high)) : "";
}

std::string or_dash(const std::optional<double>& value, const char* why) {
  return value ? fmt::format("{:.6f}", *value) : fmt::format("- ({})", why);
}

constexpr const char* kIntervals = "[ ]         95% intervals\n";

template <class Metrics>
std::string errors_text(const Metrics& m, double wrong, const char* no_log_loss) {
  return row("rows", thousands(m.rows)) +
         row("error", fmt::format("{} ({:g} of {:g}){}", percent(m.error), wrong, m.weight,
                                  shown_percent(m.intervals.error))) +
         row("accuracy", percent(m.accuracy) + shown_percent(m.intervals.accuracy)) +
         row("log-loss", or_dash(m.log_loss, no_log_loss) + shown(m.intervals.log_loss));
}

std::string to_text(const ClassificationMetrics& m, const Model&) {
  const auto& intervals = m.intervals;
  std::string text =
      errors_text(m, m.fp + m.fn, "the model gives no probabilities; see --calibrate");
  if (m.calibration_error) {
    text += row("calibration",
                fmt::format("probabilities are off by {}{}", percent(*m.calibration_error),
                            shown_percent(intervals.calibration_error)));
  }
  return text + row("AUC", or_dash(m.auc, "one class only") + shown(intervals.auc)) +
         row("F1", or_dash(m.f1, "no positives") + shown(intervals.f1)) +
         row("precision",
             or_dash(m.precision, "nothing predicted positive") + shown(intervals.precision)) +
         row("recall", or_dash(m.recall, "no positives") + shown(intervals.recall)) + kIntervals;
}

std::string to_text(const MulticlassMetrics& m, const Model& model) {
  const double wrong = m.weight - m.accuracy * m.weight;
  std::string text = errors_text(m, wrong, "the model gives no probabilities") + kIntervals;
  text += fmt::format("\n{:>10} {:>23} {:>23} {:>23}\n", "class", "precision", "recall", "F1");
  const auto cell = [](const std::optional<double>& v, const std::optional<Interval>& interval) {
    return v ? fmt::format("{:.4f}", *v) + shown(interval) : std::string("-");
  };
  const auto name = [&](const MulticlassMetrics::Class& c) {
    return model.label_names.empty() ? fmt::format("{:g}", c.label) : model.label_text(c.label);
  };
  for (const MulticlassMetrics::Class& c : m.classes) {
    text += fmt::format("{:>10} {:>23} {:>23} {:>23}\n", name(c),
                        cell(c.precision, c.precision_interval), cell(c.recall, c.recall_interval),
                        cell(c.f1, c.f1_interval));
  }
  if (m.classes.size() > 20) return text + "\n";  // --json has the whole matrix
  text += fmt::format("\n{:>10}  predicted\n{:>10}", "true", "");
  for (const MulticlassMetrics::Class& c : m.classes) text += fmt::format(" {:>7}", name(c));
  for (std::size_t truth = 0; truth < m.classes.size(); ++truth) {
    text += fmt::format("\n{:>10}", name(m.classes[truth]));
    for (const double weight : m.confusion[truth]) text += fmt::format(" {:>7g}", weight);
  }
  return text + "\n\n";
}

std::string to_text(const RegressionMetrics& m, const Model&) {
  const auto number = [](double value, const std::optional<Interval>& interval) {
    return fmt::format("{:.6g}", value) + shown(interval, "{:.4g}");
  };
  return row("rows", thousands(m.rows)) + row("RMSE", number(m.rmse, m.intervals.rmse)) +
         row("MAE", number(m.mae, m.intervals.mae)) +
         row("R2", or_dash(m.r2, "constant target") + shown(m.intervals.r2)) +
         (m.deviance ? row("deviance", number(*m.deviance, m.intervals.deviance)) : "") +
         (m.huber ? row("Huber loss", number(*m.huber, m.intervals.huber)) : "") +
         (m.pinball ? row("pinball", number(*m.pinball, m.intervals.pinball)) : "") +
         (m.below ? row("below", percent(*m.below) + shown_percent(m.intervals.below)) : "") +
         kIntervals;
}

void eval(const EvalCommand& c) {
  const Model model = Model::load(c.model);
  const Predictor predictor(model);
  ReadMeter meter("evaluating " + c.data, c.out.quiet);
  ReadOptions read = finish(c.read, model);
  read.once = true;
  read.on_read = [&](std::uint64_t bytes) { meter.add(bytes); };
  const auto rows = open_rows(c.data, read, predictor.features());
  const auto metrics = evaluate(model, predictor, rows, c.weights);
  meter.clear();
  std::visit(
      [&](const auto& m) {
        if (m.rows == 0) throw Error(rows->name() + ": no rows");
        const std::uint64_t weights =
            model.dimension * std::max<std::size_t>(1, model.classes.size());
        const Json json = metrics_record(m, model);
        std::string text = to_text(m, model);
        if (model.threshold) {
          text += row("threshold", fmt::format("margin {:.6g} ({})", model.threshold->margin,
                                               model.threshold->by));
        }
        if (m.bad_rows > 0) text += row("skipped", thousands(m.bad_rows) + " bad rows");
        text += row("non-zeros", thousands(model.nonzeros()) + " of " + thousands(weights));
        print_result(c.out, json, text);
      },
      metrics);
}

}  // namespace

void add_eval(CLI::App& app) {
  auto c = std::make_shared<EvalCommand>();
  CLI::App& command = *app.add_subcommand("eval", "Measure a model on labelled rows");
  add_file(command, "model", c->model, "A model file")->required();
  add_file(command, "data", c->data, "Rows (see --format); - for stdin")->required();
  add_file(command, "--weights", c->weights, "Example weights, one per line");
  add_file_flags(command, c->read);
  add_output_flags(command, c->out);
  command.footer(
      "Examples:\n"
      "  thresh eval news.thresh test.svm.gz\n"
      "  thresh eval news.thresh test.svm --json    (fractions: \"error\": 0.0234)");
  command.callback([c] { eval(*c); });
}

}  // namespace thresh::cli
