// thresh weights MODEL: the non-zeros, as tab-separated index, name, weight.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common.hpp"
#include "thresh/model.hpp"

namespace thresh::cli {
namespace {

struct WeightsCommand {
  std::string model;
  std::optional<std::size_t> top;
  bool intercept = false;
  OutputFlags out;
};

void weights(const WeightsCommand& c) {
  Model model = Model::load(c.model);
  std::vector<Coefficient>& shown = model.coefficients;
  if (c.top) {
    std::stable_sort(shown.begin(), shown.end(), [](const Coefficient& a, const Coefficient& b) {
      return std::fabs(a.weight) > std::fabs(b.weight);
    });
    shown.resize(std::min(*c.top, shown.size()));
  }
  if (c.out.json) {
    Json json;
    if (c.intercept) json["intercept"] = model.intercept;
    json["weights"] = Json::array();
    for (const Coefficient& w : shown) {
      json["weights"].push_back({{"index", w.index}, {"name", w.name}, {"weight", w.weight}});
    }
    print_json(json);
    return;
  }
  std::string text;
  if (c.intercept) text += fmt::format("intercept\t\t{:.17g}\n", model.intercept);
  for (const Coefficient& w : shown) {
    text += fmt::format("{}\t{}\t{:.17g}\n", w.index, w.name, w.weight);
  }
  print(text);
}

}  // namespace

void add_weights(CLI::App& app) {
  auto c = std::make_shared<WeightsCommand>();
  CLI::App& command = *app.add_subcommand("weights", "Print a model's non-zero weights");
  command.add_option("model", c->model, "A model file")->required();
  command.add_option("--top", c->top, "Only the N largest, by magnitude, largest first")
      ->check(whole_number());
  command.add_flag("--intercept", c->intercept, "Print the intercept first");
  add_output_flags(command, c->out);
  command.footer(
      "Examples:\n"
      "  thresh weights news.thresh | sort -t$'\\t' -k3 -g\n"
      "  thresh weights news.thresh --top 20\n"
      "Lines are INDEX<TAB>NAME<TAB>WEIGHT, by index as in the data file.");
  command.callback([c] { weights(*c); });
}

}  // namespace thresh::cli
