#include "capi/setters.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "thresh/error.hpp"
#include "thresh/names.hpp"

namespace thresh::capi {
namespace {

using Kind = OptionInfo::Kind;
using S = const std::string&;

std::vector<Setter> choice_setters() {
  return {
      {{Kind::text, "max-error", "",
        "Choose the smallest model with at most this validation error"},
       [](S n, S t, Parsed& p) {
         p.options.max_error =
             p.options.task == Task::regression ? number_of(n, t) : share_of(n, t);
       }},
      {{Kind::word,
        "by",
        "both",
        "Choose the size by error, loss or both, or by another figure",
        {"both", "error", "loss", "auc", "f1", "rmse"}},
       [](S, S t, Parsed& p) {
         p.options.as_good = t == "error"  ? AsGood::error
                             : t == "loss" ? AsGood::loss
                             : t == "auc"  ? AsGood::auc
                             : t == "f1"   ? AsGood::f1
                             : t == "rmse" ? AsGood::rmse
                                           : AsGood::both;
       }},
      {{Kind::text, "threshold-by", "",
        "Two classes: choose the threshold on held-out rows: f1, cost=M:F or recall=R"},
       [](S, S t, Parsed& p) { p.options.threshold_by = t; }},
      {{Kind::flag, "partial", "false",
        "More rows will follow in later runs: a class may have rows of weight 0 only"},
       [](S n, S t, Parsed& p) { p.partial = flag_of(n, t); }},
      {{Kind::flag, "certify", "false", "Store a certificate in the model"},
       [](S n, S t, Parsed& p) { p.certify = flag_of(n, t); }},
      {{Kind::number, "prove", "0",
        "With certify, solver budget: branch and bound until no other choice of features can lower "
        "the training objective by more than this share, e.g. 0.01"},
       [](S n, S t, Parsed& p) { p.options.prove = number_of(n, t); }},
      {{Kind::number, "prove-seconds", "600", "Seconds for `prove` and its certificate"},
       [](S n, S t, Parsed& p) { p.options.prove_seconds = number_of(n, t); }},
      {{Kind::number, "delta", "0.05", "The probability that the certificate's bound may fail"},
       [](S n, S t, Parsed& p) { p.delta = number_of(n, t); }},
  };
}

const std::vector<Setter>& setters() {
  static const std::vector<Setter> all = [] {
    std::vector<Setter> made = choice_setters();
    for (Setter& setter : made) setter.info.group = "Learning";
    for (Setter& setter : reading_setters()) made.push_back(std::move(setter));
    return made;
  }();
  return all;
}

const Setter* setter_of(const std::string& name) {
  const auto found = std::find_if(setters().begin(), setters().end(),
                                  [&](const Setter& setter) { return setter.info.name == name; });
  return found == setters().end() ? nullptr : &*found;
}

void check_word(const OptionInfo& info, const std::string& text) {
  const auto& words = info.words;
  if (words.empty() || std::find(words.begin(), words.end(), text) != words.end()) return;
  refuse(info.name, text, fmt::format("use {}", fmt::join(words, ", ")));
}

// The program says bytes as 128MB, the library in digits.
std::string bytes_of(const std::string& name, const std::string& text) {
  const std::size_t end = text.find_first_not_of("0123456789");
  if (end == std::string::npos || end == 0) return text;
  std::string unit = text.substr(end);
  for (char& c : unit) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const std::string_view units = "KMGT";
  const std::size_t power = units.find(unit[0]);
  if (power == std::string_view::npos || (unit.size() > 1 && unit.substr(1) != "B")) {
    refuse(name, text, "write bytes such as 128MB");
  }
  return fmt::format("{}", count_of(name, text.substr(0, end)) << (10 * (power + 1)));
}

bool is_bytes(const std::string& name) {
  const auto& all = shared_options();
  return std::any_of(all.begin(), all.end(), [&](const OptionInfo& option) {
    return option.kind == Kind::bytes && option.is_called(name);
  });
}

void finish(Parsed& parsed, thresh_call* call) {
  const SolverInfo& info = solver_named(parsed.options.solver);
  if (!parsed.has("passes")) parsed.options.passes = info.passes;
  if (parsed.has("passes") && parsed.options.passes == 0) {
    throw UsageError("--passes must be at least 1");
  }
  if ((parsed.has("lambda") || parsed.has("l1")) && parsed.has("lambda-ratio")) {
    throw UsageError("--lambda and --lambda-ratio exclude each other");
  }
  if (parsed.has("ngrams") && parsed.has("chars")) {
    throw UsageError("--ngrams and --chars exclude each other");
  }
  if (!(parsed.delta > 0 && parsed.delta < 1)) {
    throw UsageError("--delta must be between 0 and 1");
  }
  if (parsed.has("delta") && !parsed.certify) parsed.options.delta = parsed.delta;
  check_text_options(parsed.read.text);
  if (call == nullptr) return;
  parsed.options.stop = &call->stop;
  parsed.read.stop = &call->stop;
  parsed.read.on_note = [call](const std::string& line) { call->tell(line); };
  parsed.read.on_read = [call](std::uint64_t) { call->show({"reading", -1, 0, 0, 0}); };
}

}  // namespace

bool Parsed::has(const std::string& name) const {
  return std::find(names.begin(), names.end(), name) != names.end();
}
std::string Parsed::text(const std::string& name, const std::string& otherwise) const {
  const auto found = others.find(name);
  return found == others.end() ? otherwise : found->second;
}
std::uint64_t Parsed::count(const std::string& name, std::uint64_t otherwise) const {
  return others.contains(name) ? count_of(name, others.at(name)) : otherwise;
}
bool Parsed::flag(const std::string& name) const {
  return others.contains(name) && flag_of(name, others.at(name));
}

Parsed parsed(const thresh_settings* settings, thresh_call* call,
              const std::vector<std::string>& others) {
  Parsed result;
  result.read.cache = ReadOptions::Cache::existing;
  const auto given = settings != nullptr ? settings->given : decltype(settings->given){};
  // What others mean depends on the solver and the task.
  for (const char* first : {"solver", "task"}) {
    for (const auto& [name, value] : given) {
      if (name == first) set_shared_option(result.options, name, value);
    }
  }
  solver_named(result.options.solver);
  for (const auto& [name, value] : given) {
    result.names.push_back(name);
    if (std::find(others.begin(), others.end(), name) != others.end()) {
      result.others[name] = value;
    } else if (const Setter* const setter = setter_of(name)) {
      check_word(setter->info, value);
      setter->set(name, value, result);
    } else if (name != "solver" && name != "task") {
      set_option(result.options, name, is_bytes(name) ? bytes_of(name, value) : value);
    }
  }
  finish(result, call);
  return result;
}

const std::vector<OptionInfo>& reading_options() {
  static const std::vector<OptionInfo> infos = [] {
    std::vector<OptionInfo> all;
    for (const Setter& setter : setters()) all.push_back(setter.info);
    return all;
  }();
  return infos;
}

}  // namespace thresh::capi
