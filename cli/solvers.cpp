// thresh solvers: the catalog, as text, as JSON, and as the tables of docs/solvers.md.

#include <fmt/format.h>

#include <algorithm>

#include "common.hpp"
#include "thresh/options.hpp"

namespace thresh::cli {
namespace {

std::vector<const char*> losses(const SolverInfo& info) {
  std::vector<const char*> names;
  for (const Loss loss : info.losses) names.push_back(name_of(loss));
  return names;
}

// What a feature budget means to the solver, as a word and in words.
std::pair<const char*, const char*> budget(const SolverInfo& info) {
  constexpr std::pair<const char*, const char*> kUses[] = {
      {"refused", "none: --features and --density are not supported"},
      {"optional", "--features or --density, optional"},
      {"required", "--features or --density, required"}};
  return kUses[static_cast<std::size_t>(info.budget)];
}

std::string steps(const SolverInfo& info) {
  return info.steps.empty() ? name_of(info.schedule) : info.steps;
}

// What takes the place of a default where there is none.
std::string default_of(const OptionInfo& option) {
  if (option.kind == OptionInfo::Kind::flag) return "off";
  if (!option.default_value.empty()) return option.default_value;
  return option.kind == OptionInfo::Kind::number ? "required" : "automatic";
}

Json to_json(const SolverInfo& info) {
  Json json = Json::object();
  json["name"] = info.name;
  json["paper"] = info.paper;
  json["objective"] = info.objective;
  json["update"] = info.update;
  json["losses"] = losses(info);
  json["steps"] = steps(info);
  json["budget"] = budget(info).first;
  json["auto_eta"] = info.auto_eta;
  json["softmax"] = info.softmax;
  json["cost"] = info.cost;
  json["needs"] = info.needs;
  json["example"] = info.example;
  json["options"] = Json::array();
  for (const OptionInfo& option : info.options) {
    json["options"].push_back(
        {{"name", option.name}, {"default", option.default_value}, {"help", option.help}});
  }
  return json;
}

using Fact = std::pair<const char*, std::string>;

std::vector<Fact> facts(const SolverInfo& info) {
  const std::string chosen = info.auto_eta.empty() ? "" : "; --eta auto: " + info.auto_eta;
  return {{"paper", info.paper},
          {"objective", info.objective},
          {"update", info.update},
          {"losses",
           info.losses.empty() ? "its own" : fmt::format("{}", fmt::join(losses(info), ", "))},
          {"steps", steps(info) + chosen},
          {"budget", budget(info).second},
          {"classes", info.softmax ? "one against the rest, softmax" : "one against the rest"},
          {"cost", info.cost},
          {"needs", info.needs}};
}

std::string to_text(const SolverInfo& info) {
  std::string text = info.name + "\n";
  for (const auto& [name, fact] : facts(info)) text += fmt::format("  {:<10} {}\n", name, fact);
  for (const OptionInfo& option : info.options) {
    text += fmt::format("  --{} [{}]  {}\n", option.name, default_of(option), option.help);
  }
  return text + fmt::format("  {:<10} {}\n", "example", info.example);
}

// A bar would end the cell, also within code.
std::string cell(const std::string& text) {
  return CLI::detail::find_and_replace(text, "|", "\\|");
}

std::string to_markdown(const SolverInfo& info) {
  std::string text = fmt::format("<!-- solver {} -->\n| | |\n|---|---|\n", info.name);
  for (const auto& [name, fact] : facts(info)) {
    const bool code = std::string_view(name) == "update" || std::string_view(name) == "objective";
    const char* quote = code ? "`" : "";
    text += fmt::format("| {} | {}{}{} |\n", name, quote, cell(fact), quote);
  }
  for (const OptionInfo& option : info.options) {
    text +=
        fmt::format("| `--{}` ({}) | {} |\n", option.name, default_of(option), cell(option.help));
  }
  return text + fmt::format("\n    {}\n<!-- end -->\n", info.example);
}

void list(const OutputFlags& out, bool markdown, const std::vector<std::string>& names) {
  for (const std::string& name : names) solver_named(name);  // refuses an unknown one
  Json json = Json::array();
  std::string text;
  for (const SolverInfo& info : solvers()) {
    const bool wanted =
        names.empty() || std::find(names.begin(), names.end(), info.name) != names.end();
    if (!wanted) continue;
    json.push_back(to_json(info));
    text += markdown ? to_markdown(info) : to_text(info);
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
  auto markdown = std::make_shared<bool>(false);
  auto names = std::make_shared<std::vector<std::string>>();
  CLI::App& command = *app.add_subcommand("solvers", "List the algorithms and their options");
  command.add_option("solver", *names, "Only these");
  add_output_flags(command, *out);
  command.add_flag("--markdown", *markdown, "The tables of docs/solvers.md")
      ->excludes(command.get_option("--json"));
  command.footer("Examples:\n  thresh solvers\n  thresh solvers budget\n  thresh solvers --json");
  command.callback([out, markdown, names] { list(*out, *markdown, *names); });
}

}  // namespace thresh::cli
