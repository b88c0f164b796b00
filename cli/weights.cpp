// thresh weights MODEL: the non-zeros, as tab-separated index, name, weight.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

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

// The features that the certificate proves to be in every best choice: one set, or one per class.
std::vector<std::set<std::uint64_t>> proved_of(const Model& model) {
  std::vector<std::set<std::uint64_t>> all(std::max<std::size_t>(1, model.classes.size()));
  if (!model.certificate) return all;
  const Record& claim = *model.certificate;
  const Value::List parts = claim.value("classes", Value::List{claim}).list();
  for (std::size_t c = 0; c < std::min(all.size(), parts.size()); ++c) {
    const Value proved = parts[c].record().value("proved_in", Value::List());
    for (const Value& index : proved.list()) all[c].insert(index.count());
  }
  return all;
}

Json to_json(const ClassPart& shown, const Model& model, bool intercept,
             const std::set<std::uint64_t>& proved) {
  Json json = Json::object();
  if (!model.classes.empty()) json["label"] = label_json(model, shown.label);
  if (intercept) json["intercept"] = shown.intercept;
  json["weights"] = Json::array();
  for (const Coefficient& w : shown.coefficients) {
    json["weights"].push_back({{"index", w.index}, {"name", w.name}, {"weight", w.weight}});
    if (proved.contains(w.index)) json["weights"].back()["proved"] = true;
  }
  return json;
}

std::string to_text(const ClassPart& shown, const Model& model, bool intercept,
                    const std::set<std::uint64_t>& proved) {
  const std::string label = model.classes.empty() ? "" : model.label_text(shown.label) + "\t";
  std::string text;
  if (intercept) text += fmt::format("{}intercept\t\t{:.17g}\n", label, shown.intercept);
  for (const Coefficient& w : shown.coefficients) {
    text += fmt::format("{}{}\t{}\t{:.17g}{}\n", label, w.index,
                        model.format == Format::libsvm ? w.name : escaped(w.name), w.weight,
                        proved.contains(w.index) ? "\tproved" : "");
  }
  return text;
}

void weights(const WeightsCommand& c) {
  const Model model = Model::load(c.model);
  std::vector<ClassPart> sets = model.classes;
  if (sets.empty()) sets.push_back({0, model.intercept, model.coefficients});  // no label
  const std::vector<std::set<std::uint64_t>> proved = proved_of(model);
  Json json = Json::array();
  std::string text;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    if (c.top) keep_top(sets[i].coefficients, *c.top);
    json.push_back(to_json(sets[i], model, c.intercept, proved[i]));
    text += to_text(sets[i], model, c.intercept, proved[i]);
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
      "classes the label comes first. A feature that the model's certificate (train --certify) "
      "proves\n"
      "to be in every best choice of as many features has \"proved\" as its last column.");
  command.callback([c] { weights(*c); });
}

}  // namespace thresh::cli
