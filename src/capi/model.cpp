// Models: files, memory, weights.

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "capi/problem.hpp"
#include "thresh/error.hpp"
#include "thresh/export.hpp"
#include "thresh/projection.hpp"
#include "thresh/report.hpp"

namespace thresh::capi {
namespace {

const Coefficient* find_coefficient(const thresh_model& model, std::uint64_t part,
                                    std::uint64_t index) {
  const auto& all = model.coefficients(part);
  const auto found =
      std::lower_bound(all.begin(), all.end(), index,
                       [](const Coefficient& c, std::uint64_t i) { return c.index < i; });
  return found != all.end() && found->index == index ? &*found : nullptr;
}

Json info_of(const Model& model) {
  Json json = Json::object();
  json["task"] = model.task == Task::regression ? "regression" : "classification";
  json["solver"] = model.solver;
  json["format"] = name_of(model.format);
  json["zero_based"] = model.zero_based;
  json["normalize_l2"] = model.normalize_l2;
  json["dimension"] = model.dimension;
  json["nonzeros"] = model.nonzeros();
  json["has_intercept"] = model.has_intercept;
  if (model.task == Task::classification) {
    json["labels"] = model.classes.empty()
                         ? std::vector<double>{model.negative_label, model.positive_label}
                         : model.class_labels();
    json["label_names"] = model.label_names;
    json["probabilities"] =
        model.classes.empty() ? model.calibration.has_value() : model.class_link != ClassLink::none;
    json["threshold"] = model.threshold ? Json(model.threshold->margin) : Json();
  }
  json["interactions"] = model.interactions;
  json["products"] = Json::array();
  for (const FeaturePair& pair : model.pairs) {
    json["products"].push_back(
        {{"index", pair.index}, {"first", pair.first}, {"second", pair.second}});
  }
  json["options"] = model.options;
  json["summary"] = model.summary;
  json["certificate"] = model.certificate ? Json(*model.certificate) : Json();
  return json;
}

}  // namespace
}  // namespace thresh::capi

using namespace thresh;
using namespace thresh::capi;

void thresh_model_free(thresh_model* model) {
  delete model;
}
int thresh_model_load(const char* path, thresh_model** model) {
  return guarded([&] { *model = new thresh_model(Model::load(path)); });
}
int thresh_model_save(const thresh_model* model, const char* path) {
  return guarded([&] { model->model.save(path); });
}
int thresh_model_to_bytes(const thresh_model* model, char** bytes, uint64_t* size) {
  return guarded([&] {
    const std::string content = model->model.to_bytes();
    *bytes = copy_of(content);
    *size = content.size();
  });
}
int thresh_model_from_bytes(const void* bytes, uint64_t size, thresh_model** model) {
  return guarded([&] {
    *model = new thresh_model(Model::from_bytes({static_cast<const char*>(bytes), size}));
  });
}
int thresh_model_export(const thresh_model* model, const char* format, const char* path) {
  return guarded([&] { export_model(model->model, format, path); });
}
int thresh_model_info(const thresh_model* model, char** json) {
  return guarded([&] { hand_over(info_of(model->model), json); });
}

uint64_t thresh_model_parts(const thresh_model* model) {
  return model->parts();
}
int thresh_model_weights(const thresh_model* model, uint64_t part, double* intercept,
                         uint64_t* count, const uint64_t** indices, const double** weights) {
  return guarded([&] {
    const thresh_model::Part& found = model->part(part);
    *intercept = model->intercept(part);
    *count = found.indices.size();
    *indices = found.indices.data();
    *weights = found.weights.data();
  });
}
int thresh_model_name(const thresh_model* model, uint64_t part, uint64_t index, const char** name) {
  return guarded([&] {
    const Coefficient* const found = find_coefficient(*model, part, index);
    *name = found != nullptr ? found->name.c_str() : "";
  });
}
int thresh_model_weight(const thresh_model* model, uint64_t part, uint64_t index, double* weight) {
  return guarded([&] {
    const Coefficient* const found = find_coefficient(*model, part, index);
    *weight = found != nullptr ? found->weight : 0;
  });
}
int thresh_model_weight_of(const thresh_model* model, uint64_t part, const char* name,
                           double* weight) {
  return guarded([&] {
    const auto& all = model->coefficients(part);
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Coefficient& c) { return c.name == name; });
    *weight = found != all.end() ? found->weight : 0;
  });
}

int thresh_report_page(const char* const* paths, uint64_t count, const char* title, char** html) {
  return guarded([&] {
    const std::string page =
        report_page(report_document({paths, paths + count}, title != nullptr ? title : ""));
    *html = copy_of(page);
  });
}

int thresh_project(const char* onto, double* values, uint64_t count, double radius, double* theta) {
  return guarded([&] {
    const std::string_view set = onto;
    const std::span<double> v(values, count);
    if (set != "simplex" && set != "l1-ball" && set != "nonnegative-l1-ball") {
      throw UsageError("project onto simplex, l1-ball or nonnegative-l1-ball");
    }
    const double found = set == "simplex"   ? project_simplex(v, radius)
                         : set == "l1-ball" ? project_l1_ball(v, radius)
                                            : project_nonnegative_l1_ball(v, radius);
    if (theta != nullptr) *theta = found;
  });
}

int thresh_project_weighted(double* values, const double* weights, uint64_t count, double radius,
                            double* theta) {
  return guarded([&] {
    const double found = project_weighted_l1_ball({values, count}, {weights, count}, radius);
    if (theta != nullptr) *theta = found;
  });
}
