// thresh weights MODEL: the non-zeros, as tab-separated index, name, weight.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common.hpp"
#include "thresh/model.hpp"
#include "thresh/names.hpp"

namespace thresh::cli {
namespace {

struct WeightsCommand {
  std::string model;
  std::optional<std::size_t> top;
  bool intercept = false;
  OutputFlags out;
};

void keep_top(std::vector<Coefficient>& shown, std::size_t top) {
  std::stable_sort(shown.begin(), shown.end(), [](const Coefficient& a, const Coefficient& b) {
    return std::fabs(a.weight) > std::fabs(b.weight);
  });
  shown.resize(std::min(top, shown.size()));
}

Json to_json(const ClassPart& shown, const Model& model, bool intercept) {
  Json json = Json::object();
  if (!model.classes.empty()) json["label"] = label_json(model, shown.label);
  if (intercept) json["intercept"] = shown.intercept;
  json["weights"] = Json::array();
  for (const Coefficient& w : shown.coefficients) {
    json["weights"].push_back({{"index", w.index}, {"name", w.name}, {"weight", w.weight}});
  }
  return json;
}

std::string to_text(const ClassPart& shown, const Model& model, bool intercept) {
  const std::string label = model.classes.empty() ? "" : model.label_text(shown.label) + "\t";
  std::string text;
  if (intercept) text += fmt::format("{}intercept\t\t{:.17g}\n", label, shown.intercept);
  for (const Coefficient& w : shown.coefficients) {
    text += fmt::format("{}{}\t{}\t{:.17g}\n", label, w.index,
                        model.format == Format::libsvm ? w.name : escaped(w.name), w.weight);
  }
  return text;
}

void weights(const WeightsCommand& c) {
  const Model model = Model::load(c.model);
  std::vector<ClassPart> sets = model.classes;
  if (sets.empty()) sets.push_back({0, model.intercept, model.coefficients});  // no label
  Json json = Json::array();
  std::string text;
  for (ClassPart& shown : sets) {
    if (c.top) keep_top(shown.coefficients, *c.top);
    json.push_back(to_json(shown, model, c.intercept));
    text += to_text(shown, model, c.intercept);
  }
  if (c.out.json) return print_json(model.classes.empty() ? json[0] : Json{{"classes", json}});
  print(text);
}

}  // namespace

void add_weights(CLI::App& app) {
  auto c = std::make_shared<WeightsCommand>();
  CLI::App& command = *app.add_subcommand("weights", "Print a model's non-zero weights");
  add_file(command, "model", c->model, "A model file")->required();
  add_count(command, "--top", c->top, "Only the N largest, by magnitude, largest first");
  command.add_flag("--intercept", c->intercept, "Print the intercept first");
  add_output_flags(command, c->out);
  command.footer(
      "Examples:\n"
      "  thresh weights news.thresh | sort -t$'\\t' -k3 -g\n"
      "  thresh weights news.thresh --top 20\n"
      "Lines are INDEX<TAB>NAME<TAB>WEIGHT, by index as in the data file; with more than two\n"
      "classes the label comes first.");
  command.callback([c] { weights(*c); });
}

}  // namespace thresh::cli
