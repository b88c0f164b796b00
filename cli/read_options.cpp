// From the options as the user writes them to those that the library takes.

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "thresh/error.hpp"
#include "thresh/files.hpp"
#include "thresh/names.hpp"
#include "train_options.hpp"

namespace thresh::cli {
namespace {

// Whether features have names in the data.
bool has_names(const TrainCommand& c) {
  return format_of(c.data, finish(c.read).format) != Format::libsvm;
}

// A feature's number, counted from `first`, that the text is.
std::optional<std::uint64_t> feature_in(const std::string& text, std::uint64_t first) {
  char* end = nullptr;
  const unsigned long long number = std::strtoull(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || text[0] == '-' || number < first) return std::nullopt;
  return number;
}

// What is no name may still be a number.
std::vector<std::uint64_t> kept_features(const TrainCommand& c) {
  const std::uint64_t first = c.read.options.zero_based ? 0 : 1;
  std::vector<std::uint64_t> features;
  if (has_names(c)) return features;
  std::vector<std::optional<std::uint64_t>> lines(c.keep.size());
  if (!c.names.empty()) lines = find_names(c.names, c.keep);
  for (std::size_t i = 0; i < c.keep.size(); ++i) {
    const std::string& text = c.keep[i];
    const auto number = lines[i] ? *lines[i] + first : feature_in(text, first);
    if (!number && !c.names.empty()) throw Error(fmt::format("{}: no feature {}", c.names, text));
    if (!number) {
      throw UsageError(fmt::format("--keep {}: not a feature's number; names need --names", text));
    }
    features.push_back(*number);
  }
  return features;
}

}  // namespace

void refuse_two_lambdas(const TrainCommand& c, const std::vector<std::string>& over) {
  const auto has = [&](const char* name) {
    return std::find(over.begin(), over.end(), name) != over.end();
  };
  const bool plain = c.given("--lambda") || has("lambda") || has("l1");
  const bool share = c.given("--lambda-ratio") || has("lambda-ratio");
  if (plain && share) throw UsageError("--lambda and --lambda-ratio exclude each other");
}

Options training_options(const TrainCommand& c) {
  refuse_two_lambdas(c);
  Options options = c.options;
  const SolverInfo& info = solver_named(options.solver);
  for (const std::string& name : info.unused) {
    const bool chosen = name == "eta" && options.auto_eta && !info.auto_eta.empty();
    if (c.given("--" + name) && !chosen) {
      throw UsageError(fmt::format("--{} means nothing to {}{}", name, info.name,
                                   c.given("--solver") ? "" : ": name another --solver"));
    }
  }
  if (!c.given("--passes")) options.passes = info.passes;
  if (c.given("--passes") && options.passes == 0) throw UsageError("--passes must be at least 1");
  if (!options.positive_name.empty() && !options.positive && !has_names(c)) {
    throw UsageError(
        fmt::format("--positive {}: labels of libsvm text are numbers", options.positive_name));
  }
  options.dim = c.read.options.dim;
  if (!c.trace_file.empty() && !options.trace) options.trace = TraceAt{};
  check_text_flags(c.read.text, format_of(c.data, finish(c.read).format));
  options.keep = kept_features(c);
  if (has_names(c)) options.keep_names = c.keep;
  options.stop = &stop_requested;
  return options;
}

Options finish_options(const TrainCommand& c) {
  const Options options = training_options(c);
  check_options(options);
  return options;
}

std::vector<NamedFile> inputs_of(const TrainCommand& c) {
  std::vector<NamedFile> inputs = {{"training data", c.data},
                                   {"validation data", c.valid},
                                   {"names", c.names},
                                   {"weights", c.options.weights_file},
                                   {"feature labels", c.options.feature_labels_file},
                                   {"stop words", c.read.text.stop_words}};
  for (const SolverInfo& solver : solvers()) {
    for (const OptionInfo& option : solver.options) {
      const auto given = c.options.solver_options.find(option.name);
      const bool file =
          option.kind == OptionInfo::Kind::file && given != c.options.solver_options.end();
      if (file) inputs.push_back({option.name, given->second});
    }
  }
  return inputs;
}

std::string model_path(const TrainCommand& c) {
  const std::string by_default =
      c.data == "-" ? "stdin.thresh"
                    : std::filesystem::path(c.data).filename().string() + ".thresh";
  std::string path = c.output.empty() ? by_default : c.output;
  check_outputs({{"model", path}, {"trace", c.trace_file}}, inputs_of(c));
  check_outputs({{"trace", c.trace_file}}, {{"model to start from", c.from}});
  check_writable(path);
  return path;
}

void check_names(const TrainCommand& c, const Problem& problem) {
  if (c.names.empty()) return;
  if (problem.vocabulary) throw UsageError("--names is for libsvm text: these data have names");
  const std::uint64_t names = count_names(c.names);
  const Survey* survey = problem.train->survey();
  if (survey != nullptr && names < survey->dimension) {
    throw Error(fmt::format("{}: {} names for {} features", c.names, names, survey->dimension));
  }
}

void tell_reading(const TrainCommand& c, const Problem& problem) {
  if (!c.out.quiet && !problem.note.empty()) say("{}: {}\n", problem.train->name(), problem.note);
}

}  // namespace thresh::cli
