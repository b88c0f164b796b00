#include "thresh/export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "model/export_data.hpp"
#include "model/model_file.hpp"
#include "text/vectorizer.hpp"
#include "thresh/error.hpp"
#include "thresh/files.hpp"

namespace thresh {
namespace {

using Json = nlohmann::ordered_json;

bool is_int(double label) {
  return label == std::floor(label) && std::fabs(label) <= std::numeric_limits<int>::max();
}

void check_liblinear(const Model& model) {
  const auto refuse = [](const std::string& why) {
    throw Error("LIBLINEAR's model format cannot hold this model: " + why);
  };
  if (!model.pairs.empty()) refuse("it has products of features (--interactions)");
  if (model.zero_based) refuse("it counts features from 0");
  if (model.normalize_l2) refuse("it scales rows to unit length first");
  if (model.dimension >= static_cast<std::uint64_t>(std::numeric_limits<int>::max())) {
    refuse("it has more than 2^31 features");
  }
  if (model.log_link) refuse("it predicts the exponential of the margin");
  if (model.threshold && !model.has_intercept) refuse("it has a threshold but no intercept");
  bool integers = model.task == Task::regression || !model.classes.empty() ||
                  (is_int(model.negative_label) && is_int(model.positive_label));
  for (const ClassPart& part : model.classes) integers &= is_int(part.label);
  if (!integers) refuse("its labels are not integers");
}

// What a reader needs to compute a sign, the largest of several margins, or a value.
std::string liblinear_header(const Model& model) {
  if (model.task == Task::regression) return "solver_type L2R_L2LOSS_SVR\nnr_class 2\n";
  std::string labels;
  for (const ClassPart& part : model.classes) labels += fmt::format(" {:.0f}", part.label);
  if (model.classes.empty()) {
    labels = fmt::format(" {:.0f} {:.0f}", model.positive_label, model.negative_label);
  }
  return fmt::format("solver_type L1R_L2LOSS_SVC\nnr_class {}\nlabel{}\n",
                     std::max<std::size_t>(2, model.classes.size()), labels);
}

Json weights_json(const std::vector<Coefficient>& coefficients) {
  auto json = Json::array();
  for (const Coefficient& coefficient : coefficients) {
    Json weight = Json::object();
    weight["index"] = coefficient.index;
    if (!coefficient.name.empty()) weight["name"] = coefficient.name;
    weight["weight"] = coefficient.weight;
    json.push_back(std::move(weight));
  }
  return json;
}

}  // namespace

const std::vector<std::string>& export_formats() {
  static const std::vector<std::string> formats = {"c",    "javascript", "json", "liblinear",
                                                   "onnx", "python",     "sql"};
  return formats;
}

void export_model(const Model& model, const std::string& format, const std::string& path) {
  if (format == "c") return export_c(model, path);
  if (format == "javascript") return export_javascript(model, path);
  if (format == "json") return export_json(model, path);
  if (format == "liblinear") return export_liblinear(model, path);
  if (format == "onnx") return export_onnx(model, path);
  if (format == "python") return export_python(model, path);
  if (format == "sql") return export_sql(model, path);
  throw UsageError(fmt::format("export to {}", fmt::join(export_formats(), ", ")));
}

void export_liblinear(const Model& model, const std::string& path) {
  check_liblinear(model);
  AtomicFile file(path);
  file.write(liblinear_header(model));
  file.write(fmt::format("nr_feature {}\nbias {}\nw\n", model.dimension,
                         model.has_intercept ? "1" : "-1"));
  // One line per feature, one number per class.
  std::vector<std::span<const Coefficient>> rest;
  std::string intercepts;
  if (model.classes.empty()) {
    rest.emplace_back(model.coefficients);
    const double threshold = model.threshold ? model.threshold->margin : 0;
    intercepts = fmt::format("{:.17g}\n", model.intercept - threshold);
  }
  for (const ClassPart& part : model.classes) {
    rest.emplace_back(part.coefficients);
    intercepts += fmt::format("{:.17g} ", part.intercept);
  }
  const char* const between = model.classes.empty() ? "" : " ";
  for (std::uint64_t index = 1; index <= model.dimension; ++index) {
    for (std::span<const Coefficient>& next : rest) {
      const bool here = !next.empty() && next.front().index == index;
      file.write(here ? fmt::format("{:.17g}{}", next.front().weight, between)
                      : fmt::format("0{}", between));
      if (here) next = next.subspan(1);
    }
    file.write("\n");
  }
  if (model.has_intercept) file.write(intercepts + (model.classes.empty() ? "" : "\n"));
  file.commit();
}

void export_json(const Model& model, const std::string& path) {
  Json json = Json::object();
  json["format"] = fmt::format("{}{}", kMagic, version_of(model));
  Json header = model_header(model);
  if (header.contains("format")) {  // the data format
    json["data_format"] = header["format"];
    header.erase("format");
  }
  json.update(header);
  if (model.classes.empty()) {
    json["weights"] = weights_json(model.coefficients);
  } else {
    json["classes"] = Json::array();
    for (const ClassPart& part : model.classes) {
      json["classes"].push_back(
          {{"label", part.label}, {"weights", weights_json(part.coefficients)}});
    }
  }
  if (model.text) {
    const TermList& terms = model.text->terms();
    for (std::size_t i = 0; i < terms.size(); ++i) {
      json["terms"].push_back({{"index", terms.features[i] + std::uint64_t{1}},
                               {"documents", terms.counts[i]},
                               {"term", terms.name(i)}});
    }
  }
  AtomicFile file(path);
  // Names may have any encoding, but JSON is UTF-8.
  file.write(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  file.commit();
}

}  // namespace thresh
