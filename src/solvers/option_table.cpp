#include "solvers/option_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <type_traits>

#include "data/feed/class_weights.hpp"
#include "data/read/bytes.hpp"
#include "solvers/catalog.hpp"
#include "thresh/error.hpp"
#include "thresh/names.hpp"

namespace thresh {
namespace {

using Json = nlohmann::ordered_json;
using Kind = OptionInfo::Kind;

[[noreturn]] void refuse(const OptionInfo& option, const std::string& text,
                         const std::string& known) {
  throw UsageError(fmt::format("--{} {}: use {}", option.name, text, known));
}

std::optional<std::uint64_t> digits(const std::string& text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && rest == end ? std::optional(value) : std::nullopt;
}

// Also 1e6.
std::uint64_t to_count(const std::string& name, const std::string& text) {
  if (const auto value = digits(text)) return *value;
  const double value = to_number(name, text);
  if (value < 0 || value != std::floor(value) || value >= 0x1p53) {
    throw UsageError(fmt::format("--{} {}: not a whole number", name, text));
  }
  return static_cast<std::uint64_t>(value);
}

double to_share(const std::string& name, const std::string& text) {
  const auto value =
      text.ends_with('%') ? parse_finite(text.substr(0, text.size() - 1)) : std::nullopt;
  if (value) return *value / 100;
  throw UsageError(fmt::format("--{} {}: write a percentage, such as 5%", name, text));
}

template <class Value>
void read_text(const OptionInfo& option, const std::string& text, Value& value) {
  if constexpr (std::is_same_v<Value, double>) {
    value = option.kind == Kind::share ? to_share(option.name, text) : to_number(option.name, text);
  } else if constexpr (std::is_same_v<Value, std::uint64_t>) {
    value = to_count(option.name, text);
  } else if constexpr (std::is_same_v<Value, std::string>) {
    value = text;
  } else if (option.kind == Kind::flag) {
    value = static_cast<Value>(to_flag(option, text));
  } else {  // an enumeration, or bool: the words stand in the order of the values
    const auto word = std::find(option.words.begin(), option.words.end(), text);
    if (word == option.words.end()) {
      refuse(option, text, fmt::format("{}", fmt::join(option.words, ", ")));
    }
    value = static_cast<Value>(word - option.words.begin());
  }
}

template <class Value>
void read_text(const OptionInfo& option, const std::string& text, std::optional<Value>& value) {
  Value read{};
  read_text(option, text, read);
  value = read;
}

template <class Value>
Json to_json(const OptionInfo& option, const Value& value) {
  if constexpr (std::is_enum_v<Value> || std::is_same_v<Value, bool>) {
    if (!option.words.empty()) return option.words.at(static_cast<std::size_t>(value));
  }
  return value;
}

template <class Value>
Json to_json(const OptionInfo& option, const std::optional<Value>& value) {
  return value ? to_json(option, *value) : Json();
}

// Most options are the value of one member; what others mean stands below.
template <auto kMember>
void read_member(const OptionInfo& option, const std::string& text, Options& options) {
  read_text(option, text, options.*kMember);
}
template <auto kMember>
Json write_member(const OptionInfo& option, const Options& options) {
  return to_json(option, options.*kMember);
}

template <>
void read_member<&Options::eta>(const OptionInfo& option, const std::string& text,
                                Options& options) {
  options.auto_eta = text == "auto";
  if (!options.auto_eta) read_text(option, text, options.eta);
}
template <>
Json write_member<&Options::eta>(const OptionInfo&, const Options& options) {
  return options.auto_eta ? Json("auto") : Json(options.eta.value_or(kDefaultEta));
}

// Numbers, unless one of them is none: then all are names.
template <>
void read_member<&Options::keep>(const OptionInfo&, const std::string& text, Options& options) {
  options.keep.clear();
  options.keep_names.clear();
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    if (const auto number = digits(part)) options.keep.push_back(*number);
    options.keep_names.push_back(part);
  }
  if (options.keep.size() == options.keep_names.size()) options.keep_names.clear();
  if (!options.keep_names.empty()) options.keep.clear();
}
template <>
Json write_member<&Options::keep>(const OptionInfo&, const Options& options) {
  if (!options.keep_names.empty()) return options.keep_names;
  return options.keep.empty() ? Json() : Json(options.keep);
}

template <>
void read_member<&Options::positive>(const OptionInfo&, const std::string& text, Options& options) {
  options.positive_name = text;
  options.positive = parse_finite(text);  // a word otherwise
}

template <>
void read_member<&Options::trace>(const OptionInfo& option, const std::string& text,
                                  Options& options) {
  const auto every = digits(text);
  if (text == "passes" || text == "densities") {
    options.trace = {text == "passes" ? TraceAt::Kind::passes : TraceAt::Kind::densities};
  } else if (every && *every > 0) {
    options.trace = {TraceAt::Kind::examples, *every};
  } else {
    refuse(option, text, "passes, densities or a number");
  }
}
template <>
Json write_member<&Options::trace>(const OptionInfo&, const Options&) {
  return {};  // a trace changes no model
}

constexpr bool kTunable = true;

template <auto kMember, bool kMayBeChosen = false>
SharedOption at(Kind kind, const char* name, const char* default_value, const char* help,
                std::vector<std::string> words = {}, std::vector<OptionRule> rules = {},
                const char* alias = "") {
  return {{kind, name, default_value, help, std::move(words), kMayBeChosen, alias},
          read_member<kMember>,
          write_member<kMember>,
          std::move(rules)};
}

// These three predict numbers, so the task need not be given, too.
template <>
void read_member<&Options::loss>(const OptionInfo& option, const std::string& text,
                                 Options& options) {
  read_text(option, text, options.loss);
  if (is_for_numbers(*options.loss)) options.task = Task::regression;
}

// Models of other losses do without.
template <>
Json write_member<&Options::huber_delta>(const OptionInfo&, const Options& options) {
  return options.loss == Loss::huber ? Json(options.huber_delta) : Json();
}
template <>
Json write_member<&Options::quantile>(const OptionInfo&, const Options& options) {
  return options.loss == Loss::quantile ? Json(options.quantile) : Json();
}

template <>
void read_member<&Options::balanced_classes>(const OptionInfo&, const std::string& text,
                                             Options& options) {
  options.balanced_classes = text == "balanced";
  options.class_weights.clear();
  if (text != "balanced" && text != "none") options.class_weights = parse_class_weights(text);
}
template <>
Json write_member<&Options::balanced_classes>(const OptionInfo&, const Options& options) {
  if (!options.class_weights.empty()) return class_weights_text(options.class_weights);
  return options.balanced_classes ? "balanced" : "none";
}

void add_sign(const std::string& rule, const std::string& where, Options& options) {
  if (rule.size() > 1 && (rule[0] == '+' || rule[0] == '-')) {
    options.signs.push_back(rule);
  } else {
    throw UsageError(fmt::format("{}: '{}' is neither +NAME nor -NAME", where, rule));
  }
}

// A list, or the file that has one a line.
template <>
void read_member<&Options::signs>(const OptionInfo&, const std::string& text, Options& options) {
  options.signs.clear();
  if (text.starts_with('+') || text.starts_with('-')) {
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ',');) add_sign(part, "--signs", options);
    return;
  }
  std::uint64_t line = 0;
  for_each_line(text, [&](std::string_view rule) {
    ++line;
    if (!rule.empty()) add_sign(std::string(rule), fmt::format("{}:{}", text, line), options);
  });
}
template <>
Json write_member<&Options::signs>(const OptionInfo&, const Options& options) {
  return options.signs.empty() ? Json() : Json(options.signs);
}

constexpr double kBelowOne = 1 - std::numeric_limits<double>::epsilon() / 2;

std::vector<SharedOption> learning_options() {
  constexpr double kAboveZero = std::numeric_limits<double>::denorm_min();
  return {
      at<&Options::solver>(Kind::word, "solver", "budget", "The algorithm, see `thresh solvers`"),
      at<&Options::eta, kTunable>(Kind::word, "eta", "0.1",
                                  "Step size: a number, or auto where the solver can choose", {},
                                  {{"a finite number above 0", kAboveZero}}),
      at<&Options::loss, kTunable>(
          Kind::word, "loss", "",
          "Loss: logistic, squared, hinge or squared-hinge; of numbers "
          "squared, poisson (counts), huber or quantile",
          {"logistic", "squared", "hinge", "squared-hinge", "poisson", "huber", "quantile"}),
      at<&Options::huber_delta, kTunable>(
          Kind::number, "huber-delta", "1",
          "--loss huber: residuals beyond this count by their size, not by their square", {},
          {{"a finite number above 0", kAboveZero}}),
      at<&Options::quantile, kTunable>(Kind::number, "quantile", "0.5",
                                       "--loss quantile: which one to predict; 0.5 is the median",
                                       {}, {{"above 0 and below 1", kAboveZero, kBelowOne}}),
      at<&Options::lambda, kTunable>(Kind::number, "lambda", "0.0001",
                                     "Soft threshold, the strength of the l1 penalty", {},
                                     {{"a finite number of at least 0", 0}}, "l1"),
      at<&Options::schedule, kTunable>(Kind::word, "schedule", "",
                                       "Step sizes over time: constant, sqrt, inverse",
                                       {"constant", "sqrt", "inverse"}),
      at<&Options::features, kTunable>(Kind::count, "features", "",
                                       "At most this many non-zero weights", {},
                                       {{"at least 1", 1}}),
      at<&Options::density, kTunable>(Kind::share, "density", "",
                                      "The same limit as a share of all features, e.g. 5%", {},
                                      {{"above 0% and at most 100%", kAboveZero, 1}}),
      at<&Options::shared_budget>(
          Kind::flag, "shared-budget", "",
          "With more than two classes: one budget for all classes together, not one for each"),
      at<&Options::at_budget>(
          Kind::word, "at-budget", "",
          "When the model outgrows the budget: stop, or continue (default); both return the last "
          "model within the budget",
          {"stop", "continue"}),
      at<&Options::keep>(Kind::list, "keep", "",
                         "Features that must stay in the model: A,B,C, by number or name"),
      at<&Options::signs>(Kind::text, "signs", "",
                          "Weights that must not be negative, or positive: +A,-B, by number or "
                          "name; or a file with one a line"),
      // Limits, so that neither steps times stages nor passes times rows can overflow.
      at<&Options::passes, kTunable>(
          Kind::count, "passes", "",
          "Passes over the rows; default: 10; solver budget: 20, or more if there are few rows", {},
          {{"at most 2^32", 0, 0x1p32}}),
      at<&Options::steps, kTunable>(
          Kind::count, "steps", "",
          "Rows, batches or coordinates to learn from, instead of --passes", {},
          {{"at least 1", 1}, {"at most 2^53", 0, 0x1p53}}),
      at<&Options::order>(
          Kind::word, "order", "shuffle",
          "Order of the rows: shuffle, sequential, or replacement (each step draws its row)",
          {"shuffle", "sequential", "replacement"}),
      at<&Options::iterate>(
          Kind::word, "iterate", "last",
          "Model to return: that of the last step, the average over all steps, or that of a step "
          "drawn at random; some theorems need average or random",
          {"last", "average", "random"}),
      at<&Options::seed>(Kind::count, "seed", "1", "Random seed"),
      at<&Options::intercept, kTunable>(Kind::flag, "intercept", "true", "Learn no intercept"),
      at<&Options::on_divergence>(
          Kind::word, "on-divergence", "recover",
          "recover: roll back and continue with half the step size; stop; or continue while all "
          "numbers are finite",
          {"recover", "stop", "continue"}),
      at<&Options::compensated>(Kind::flag, "compensated", "",
                                "Sum margins and gradients in twice the precision"),
  };
}

std::vector<SharedOption> data_options() {
  constexpr double kLargest = std::numeric_limits<double>::max();
  return {
      at<&Options::task>(Kind::word, "task", "classification", "classification or regression",
                         {"classification", "regression"}),
      at<&Options::positive>(
          Kind::text, "positive", "",
          "Label of the positive class; default: the larger number, or the last word", {},
          {{"finite", -kLargest}}),
      at<&Options::multiclass, kTunable>(
          Kind::word, "multiclass", "ovr",
          "With more than two classes: ovr (each against the rest) or softmax", {"ovr", "softmax"}),
      at<&Options::feature_labels_file>(
          Kind::file, "feature-labels", "",
          "With --non-negative: the class that each feature supports, one per line"),
      at<&Options::weights_file>(Kind::file, "weights", "", "Example weights, one per line"),
      at<&Options::balanced_classes, kTunable>(
          Kind::text, "class-weight", "",
          "Weights of rows by their class: spam=5,ham=1; balanced: all classes have the same total "
          "weight"),
      at<&Options::holdout>(Kind::share, "holdout", "", "Hold out this share of rows, e.g. 10%", {},
                            {{"below 100%", 0, kBelowOne}}),
      at<&Options::calibrate>(Kind::flag, "calibrate", "",
                              "Fit probabilities on the held-out rows (Platt scaling)"),
      at<&Options::memory>(Kind::bytes, "memory", "128MB",
                           "Memory for holding rows between passes, e.g. 1GB"),
      at<&Options::trace>(Kind::text, "trace-at", "",
                          "When to write trace points: passes, densities, or every N examples"),
  };
}

}  // namespace

bool to_flag(const OptionInfo& option, const std::string& text) {
  if (text != "true" && text != "false") refuse(option, text, "true, false");
  return text == "true";
}

const std::vector<SharedOption>& option_table() {
  static const std::vector<SharedOption> table = [] {
    std::vector<SharedOption> all = learning_options();
    for (SharedOption& option : all) option.group = "Learning";
    for (SharedOption& option : data_options()) all.push_back(std::move(option));
    return all;
  }();
  return table;
}

}  // namespace thresh
