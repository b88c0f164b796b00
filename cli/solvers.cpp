// thresh solvers: the catalog.

#include <fmt/format.h>

#include "common.hpp"
#include "thresh/options.hpp"

namespace thresh::cli {
namespace {

Json to_json(const SolverInfo& info) {
  Json json;
  json["name"] = info.name;
  json["paper"] = info.paper;
  json["update"] = info.update;
  json["cost"] = info.cost;
  json["needs"] = info.needs;
  json["options"] = Json::array();
  for (const OptionInfo& option : info.options) {
    json["options"].push_back(
        {{"name", option.name}, {"default", option.default_value}, {"help", option.help}});
  }
  return json;
}

std::string to_text(const SolverInfo& info) {
  std::string text = fmt::format("{}\n  paper   {}\n  update  {}\n  cost    {}\n  needs   {}\n",
                                 info.name, info.paper, info.update, info.cost, info.needs);
  for (const OptionInfo& option : info.options) {
    text += fmt::format("  --{} [{}]  {}\n", option.name, option.default_value, option.help);
  }
  return text;
}

void list(const OutputFlags& out) {
  Json json = Json::array();
  std::string text;
  for (const SolverInfo& info : solvers()) {
    json.push_back(to_json(info));
    text += to_text(info);
  }
  if (out.json) {
    print_json(json);
  } else {
    print(text);
  }
}

}  // namespace

void add_solvers(CLI::App& app) {
  auto out = std::make_shared<OutputFlags>();
  CLI::App& command = *app.add_subcommand("solvers", "List the algorithms and their options");
  add_output_flags(command, *out);
  command.footer("Examples:\n  thresh solvers\n  thresh solvers --json");
  command.callback([out] { list(*out); });
}

}  // namespace thresh::cli
