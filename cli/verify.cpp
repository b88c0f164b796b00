// thresh verify MODEL DATA: whether what a model's certificate says is true.

#include <fmt/format.h>

#include <algorithm>

#include "common.hpp"
#include "progress.hpp"
#include "read_flags.hpp"
#include "thresh/certificate.hpp"
#include "thresh/error.hpp"

namespace thresh::cli {
namespace {

struct VerifyCommand {
  std::string model, data, weights;
  ReadFlags read;
  OutputFlags out;
  std::uint64_t memory = std::uint64_t{128} << 20;
};

void check_weights(const VerifyCommand& c, const Model& model) {
  const bool weighted = model.options.has("weighted");
  if (weighted && c.weights.empty()) {
    throw UsageError(c.model + " was trained with --weights; give the same weights here");
  }
  if (!weighted && !c.weights.empty()) {
    throw UsageError(c.model + " was trained without --weights; leave them out here");
  }
}

// What the checks amount to, if none failed.
std::string verdict(const std::vector<Check>& checks) {
  std::string unchecked;
  for (const Check& check : checks) {
    if (!check.checked) unchecked += fmt::format("{}{}", unchecked.empty() ? "" : ", ", check.name);
  }
  if (unchecked.empty()) return "the certificate holds\n";
  return fmt::format("the certificate holds as far as it was checked; not checked: {}\n",
                     unchecked);
}

void report(const VerifyCommand& c, const std::vector<Check>& checks) {
  Json json{{"holds", checks.back().holds}, {"checks", Json::array()}};
  std::string text;
  std::size_t width = 12;
  for (const Check& check : checks) width = std::max(width, check.name.size());
  for (const Check& check : checks) {
    json["checks"].push_back({{"name", check.name},
                              {"holds", check.holds},
                              {"checked", check.checked},
                              {"text", check.text}});
    if (check.holds) text += fmt::format("{:<{}} {}\n", check.name, width, check.text);
  }
  if (checks.back().holds) text += verdict(checks);
  print_result(c.out, json, text);
  if (!checks.back().holds) {
    throw Error(fmt::format("{}: the certificate does not hold: {}: {}", c.model,
                            checks.back().name, checks.back().text));
  }
}

void verify_model(const VerifyCommand& c) {
  const Model model = Model::load(c.model);
  check_weights(c, model);
  ReadMeter meter("verifying " + c.data, c.out.quiet);
  ReadOptions read = finish_as_for_training(c.read, model);
  read.on_read = [&](std::uint64_t bytes) { meter.add(bytes); };
  Problem problem = open_problem(c.data, "", read);
  // A replay makes many passes.
  problem.train = metered(retained(problem.train, c.memory), meter);
  std::vector<Check> checks;
  try {
    checks = verify(model, problem, c.weights);
  } catch (const CertificateError& error) {
    throw Error(fmt::format("{}: {}", c.model, error.what()));
  }
  meter.clear();
  report(c, checks);
}

}  // namespace

void add_verify(CLI::App& app) {
  auto c = std::make_shared<VerifyCommand>();
  CLI::App& command =
      *app.add_subcommand("verify", "Check a model's certificate against its training rows");
  add_file(command, "model", c->model, "A model file from `thresh train --certify`")->required();
  add_file(command, "data", c->data, "The rows that it was trained on; - for stdin")->required();
  add_file(command, "--weights", c->weights, "The example weights that it was trained with");
  command.add_option("--memory", c->memory, "Memory for holding rows between passes, e.g. 1GB")
      ->transform(CLI::AsSizeValue(false))
      ->default_str("128MB");
  add_file_flags(command, c->read);
  add_naming_flags(command, c->read);
  add_text_options(command, c->read.text);
  add_output_flags(command, c->out);
  command.footer(
      "Examples:\n"
      "  thresh train news.svm --solver margin-perceptron --certify -o news.thresh\n"
      "  thresh verify news.thresh news.svm\n"
      "Verification recomputes everything, with code that training does not use. The exit code is "
      "1 if\n"
      "the certificate does not hold. For tables and texts, repeat the reading options of the "
      "training.");
  command.callback([c] { verify_model(*c); });
}

}  // namespace thresh::cli
