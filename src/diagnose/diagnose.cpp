// diagnose(): one part after the other, each a pass or more over the rows.

#include "thresh/diagnose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "data/feed/labels.hpp"
#include "data/names/vocabulary.hpp"
#include "diagnose/findings.hpp"
#include "diagnose/runtimes.hpp"
#include "sparse/feature_map.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

// Later lines of a text are set in as far as the first one is.
std::string set_in(const std::string& text, const std::string& margin) {
  std::string lines = margin;
  for (const char c : text) {
    lines += c;
    if (c == '\n') lines += margin;
  }
  return lines + "\n";
}

NamedFacts named_facts(const Problem& rows, const Overview& overview) {
  NamedFacts named;
  if (!rows.vocabulary) return named;
  named.reading = rows.vocabulary->reading;
  named.note = rows.vocabulary->note;
  if (!named.table()) return named;
  std::map<std::uint64_t, std::string> names;
  rows.vocabulary->for_each([&](std::uint64_t id, std::string_view name) { names[id] = name; });
  std::map<std::uint32_t, std::string> by_slot;
  for (const std::uint32_t slot : overview.slots) {
    if (const auto found = names.find(rows.features->id(slot)); found != names.end()) {
      by_slot[slot] = found->second;
    }
  }
  named.name_of = [by_slot = std::move(by_slot)](std::uint32_t slot) {
    const auto found = by_slot.find(slot);
    return found == by_slot.end() ? std::string() : found->second;
  };
  return named;
}

LabelMap grades_labels(const RowSource& rows, Task task) {
  if (task == Task::regression) return LabelMap::regression();
  LabelMap labels = LabelMap::from_survey(*rows.survey(), std::nullopt);
  if (labels.class_labels().empty()) return labels;
  throw Error(rows.name() + ": GraDes needs two classes (or --task regression)");
}

}  // namespace

DiagnosisPart part_of(const Section& section) {
  using Json = nlohmann::ordered_json;
  std::string text = section.title + "\n";
  Json json = Json::object();
  for (const DiagnosisLine& f : section.findings) {
    text += set_in(f.text, "  ");
    if (!f.normal.empty()) text += fmt::format("      normal: {}\n", f.normal);
    if (!f.advice.empty()) text += fmt::format("      advice: {}\n", f.advice);
    json[f.name] = {{"value", f.value}, {"text", f.text}, {"normal", f.normal}};
    json[f.name]["advice"] = f.advice;
  }
  return {section.name, text, json.dump(-1, ' ', false, Json::error_handler_t::replace)};
}

std::vector<DiagnosisPart> diagnose(const Problem& rows, const DiagnoseOptions& options) {
  RowSource& source = *rows.train;
  if (source.survey()->rows == 0) throw Error(source.name() + ": no rows");
  DiagnoseObserver nobody;
  DiagnoseObserver& observer = options.observer != nullptr ? *options.observer : nobody;
  const auto begin = [&](const char* what) {
    observer.on_phase(what);
    return Watch{[&](std::uint64_t bytes) { observer.on_bytes(bytes); }, options.stop};
  };
  const auto wants = [&](const char* part) {
    return options.only.empty() || std::count(options.only.begin(), options.only.end(), part) > 0;
  };
  std::vector<DiagnosisPart> parts;
  const auto add = [&](const Section& section) { parts.push_back(part_of(section)); };

  const Overview overview = overview_of(source, begin("scanning rows and columns:"));
  NamedFacts named = named_facts(rows, overview);
  if (wants("data")) {
    if (named.table()) {
      named.usual_sizes = usual_sizes(source, overview, named, begin("scanning columns:"));
    }
    const bool values = options.task == Task::regression;
    const auto targets = values ? std::make_unique<Targets>(source, begin("reading targets:"))
                                : std::unique_ptr<Targets>();
    add(data_findings(*source.survey(), overview, named, targets.get()));
  }
  if (wants("labels") && options.task == Task::classification) {
    const Watch watch = begin("sampling rows:");
    add(label_findings(estimate_label_noise(source, *rows.features, overview, observer, watch),
                       overview.rows));
  }
  if (wants("exponents")) {
    const Watch watch = begin("measuring exponents:");
    add(exponent_findings(
        measure_values(source, options.model, *rows.features, overview.largest, watch),
        options.model));
  }
  if (wants("spectral")) {
    const Watch watch = begin("computing eigenvalues:");
    add(spectral_findings(measure_spectrum(source, overview, options.gamma, watch), overview.rows,
                          named.table()));
  }
  if (options.grades_features > 0) {
    const LabelMap labels = grades_labels(source, options.task);
    const GradesOptions how{options.grades_features, options.gamma, options.grades_steps};
    const Watch watch = begin("running GraDes:");
    const GradesRun run = run_grades(source, overview, labels, how, watch);
    Section section = grades_findings(run, how.features);
    section.findings.push_back(restricted_finding(
        restricted_eigenvalues(source, overview, run.support, how.features, watch), how.features));
    add(section);
  }
  if (options.epsilon > 0 && wants("runtimes")) {
    const RuntimeOptions how{options.epsilon, options.lambda, options.delta, options.loss,
                             options.exact_optimum};
    add(runtime_findings(rows, overview, how, begin("computing runtime bounds:")));
  }
  return parts;
}

DiagnosisPart diagnose_trace(const std::string& path) {
  return part_of(trace_findings(path));
}

}  // namespace thresh
