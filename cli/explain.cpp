// thresh explain MODEL DATA: which features decided, for each row or over all rows.

#include "thresh/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "common.hpp"
#include "progress.hpp"
#include "read_flags.hpp"
#include "results_json.hpp"
#include "thresh/error.hpp"
#include "thresh/files.hpp"
#include "thresh/thresh.hpp"

namespace thresh::cli {
namespace {

struct ExplainCommand {
  std::string model, data, output;
  std::size_t top = 10;
  bool summary = false;
  ReadFlags read;
  OutputFlags out;
};

// The name of a feature, or its index where there are no names.
std::string called(const Coefficient& feature) {
  return feature.name.empty() ? fmt::format("feature {}", feature.index) : escaped(feature.name);
}

// Explanations of single rows, as text or as JSON lines.
class RowReport {
 public:
  RowReport(const ExplainCommand& c, const Model& model) : c_(c), model_(model) {}

  std::string of(std::uint64_t row, const Explanation& e) const {
    return c_.out.json ? json(row, e).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"
                       : text(row, e);
  }

 private:
  double label(const Explanation& e) const {
    return e.margins.empty() ? model_.prediction(e.margin) : model_.classes[e.part].label;
  }
  // That of the predicted label.
  std::optional<double> probability(const Explanation& e) const {
    if (e.margins.empty()) {
      const auto p = model_.probability(e.margin);
      return p && !model_.is_positive(e.margin) ? 1 - *p : p;
    }
    const auto all = model_.probabilities(e.margins);
    return all ? std::optional((*all)[e.part]) : std::nullopt;
  }
  double intercept(const Explanation& e) const {
    return e.margins.empty() ? model_.intercept : model_.classes[e.part].intercept;
  }

  Json json(std::uint64_t row, const Explanation& e) const {
    Json json = {{"row", row}, {"label", label_json(model_, label(e))}, {"margin", e.margin}};
    if (const auto p = probability(e)) json["probability"] = *p;
    json["intercept"] = intercept(e);
    json["features"] = Json::array();
    for (std::size_t i = 0; i < std::min(c_.top, e.contributions.size()); ++i) {
      const Contribution& c = e.contributions[i];
      Json feature = feature_json(*c.feature);
      feature["value"] = c.value;
      feature["contribution"] = c.amount;
      feature["decisive"] = c.decisive;
      json["features"].push_back(std::move(feature));
    }
    return json;
  }

  std::string text(std::uint64_t row, const Explanation& e) const {
    std::string text = fmt::format("row {}: {}, margin {:.4g}", row,
                                   escaped(model_.label_text(label(e))), e.margin);
    if (const auto p = probability(e)) text += fmt::format(", probability {:.4g}", *p);
    text += "\n";
    if (model_.has_intercept) text += fmt::format("  {:>+10.4g}  intercept\n", intercept(e));
    double rest = 0;
    for (std::size_t i = 0; i < e.contributions.size(); ++i) {
      const Contribution& c = e.contributions[i];
      if (i >= c_.top) {
        rest += c.amount;
        continue;
      }
      text +=
          fmt::format("  {:>+10.4g}  {} = {:.4g}, weight {:.4g}{}\n", c.amount, called(*c.feature),
                      c.value, c.feature->weight, c.decisive ? " (decides)" : "");
    }
    if (e.contributions.size() > c_.top) {
      text += fmt::format("  {:>+10.4g}  {} more\n", rest, e.contributions.size() - c_.top);
    }
    return text;
  }

  const ExplainCommand& c_;
  const Model& model_;
};

std::string summary_text(const ExplainCommand& c, const Model& model, const FeatureUses& uses) {
  const std::vector<FeatureUse> all = uses.sorted();
  double total = 0;
  for (const FeatureUse& use : all) total += use.magnitude;
  std::string text =
      fmt::format("{} rows, {} of {} features occur\n{:>8} {:>10} {:>10} {:>10} {:>10}  {}\n",
                  thousands(uses.rows()), thousands(all.size()), thousands(model.nonzeros()),
                  "share", "rows", "strongest", "decisive", "mean", "feature");
  for (std::size_t i = 0; i < std::min(c.top, all.size()); ++i) {
    const FeatureUse& use = all[i];
    const std::string of_class =
        model.classes.empty() ? ""
                              : " for " + escaped(model.label_text(model.classes[use.part].label));
    text += fmt::format("{:>8} {:>10} {:>10} {:>10} {:>+10.4g}  {}{}\n",
                        percent(total > 0 ? use.magnitude / total : 0), thousands(use.rows),
                        thousands(use.strongest), thousands(use.decisive),
                        use.amount / static_cast<double>(use.rows), called(*use.feature), of_class);
  }
  return text;
}

void explain(const ExplainCommand& c) {
  check_outputs({{"explanations", c.output}}, {{"model", c.model}, {"data", c.data}});
  const Model model = Model::load(c.model);
  const Explainer explainer(model);
  const RowReport report(c, model);
  FeatureUses uses(model);
  ReadMeter meter("explaining " + c.data, c.out.quiet);
  ReadOptions read = finish(c.read, model);
  read.once = true;
  read.labels_optional = true;
  const auto rows = open_rows(c.data, read, explainer.features());
  std::optional<AtomicFile> file;
  if (!c.output.empty()) file.emplace(c.output);
  const auto write = [&](const std::string& text) {
    if (!file) return print(text);
    file->write(text);
    file->hand_over();
  };
  std::uint64_t bad_rows = 0;
  visit_rows(rows, [&](const RowsRead& now) {
    std::string text;
    for (const Row& row : now.rows) {
      const Explanation explanation = explainer.explain(row);
      if (c.summary) {
        uses.add(explanation);
      } else {
        text += report.of(row.id + 1, explanation);
      }
    }
    if (!c.summary) write(text);
    bad_rows += now.bad_rows;
    meter.add(now.bytes);
  });
  meter.clear();
  if (c.summary) {
    write(c.out.json ? json_text(uses_json(uses, model, c.top), 2) + "\n"
                     : summary_text(c, model, uses));
  }
  if (file) file->commit();
  if (bad_rows > 0 && !c.out.quiet) say("thresh: {}\n", skipped(bad_rows));
}

}  // namespace

void add_explain(CLI::App& app) {
  auto c = std::make_shared<ExplainCommand>();
  CLI::App& command = *app.add_subcommand("explain", "Show which features decide");
  add_file(command, "model", c->model, "A model file")->required();
  add_file(command, "data", c->data, "Rows (see --format); labels are ignored; - for stdin")
      ->required();
  add_file(command, "-o,--output", c->output, "Output file; default: standard output");
  add_count(command, "--top", c->top, "Only the N features that add most, by magnitude")
      ->capture_default_str();
  command.add_flag("--summary", c->summary, "Over all rows: which features matter how often");
  add_file_flags(command, c->read);
  add_output_flags(command, c->out);
  command.footer(
      "Examples:\n"
      "  thresh explain news.thresh new.svm --top 5\n"
      "  thresh explain news.thresh test.svm --summary\n"
      "  echo 'cheap watches' | thresh explain mail.thresh - --json\n"
      "A feature adds its weight times its value to the margin. It decides if another label would\n"
      "be predicted without it. With more than two classes the predicted class is explained. In\n"
      "the summary, share is the feature's part of all that features add, by magnitude, and mean\n"
      "what it adds on average to the rows that have it.");
  command.callback([c] { explain(*c); });
}

}  // namespace thresh::cli
