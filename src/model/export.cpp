#include "model/export.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "files/atomic_file.hpp"
#include "model/model_file.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

bool is_int(double label) {
  return label == std::floor(label) && std::fabs(label) <= std::numeric_limits<int>::max();
}

void check_liblinear(const Model& model) {
  const auto refuse = [](const std::string& why) {
    throw Error("LIBLINEAR's model format cannot hold this model: " + why);
  };
  if (model.zero_based) refuse("it counts features from 0");
  if (model.normalize_l2) refuse("it scales rows to unit length first");
  if (model.dimension >= static_cast<std::uint64_t>(std::numeric_limits<int>::max())) {
    refuse("it has more than 2^31 features");
  }
  if (model.task == Task::classification &&
      !(is_int(model.negative_label) && is_int(model.positive_label))) {
    refuse("its labels are not integers");
  }
}

}  // namespace

void export_liblinear(const Model& model, const std::string& path) {
  check_liblinear(model);
  AtomicFile file(path);
  // The solver type only tells the readers what to compute: a sign, or a value.
  if (model.task == Task::classification) {
    file.write(fmt::format("solver_type L1R_L2LOSS_SVC\nnr_class 2\nlabel {:.0f} {:.0f}\n",
                           model.positive_label, model.negative_label));
  } else {
    file.write("solver_type L2R_L2LOSS_SVR\nnr_class 2\n");
  }
  file.write(fmt::format("nr_feature {}\nbias {}\nw\n", model.dimension,
                         model.has_intercept ? "1" : "-1"));
  std::uint64_t next = 1;
  for (const Coefficient& coefficient : model.coefficients) {
    for (; next < coefficient.index; ++next) file.write("0\n");
    file.write(fmt::format("{:.17g}\n", coefficient.weight));
    ++next;
  }
  for (; next <= model.dimension; ++next) file.write("0\n");
  if (model.has_intercept) file.write(fmt::format("{:.17g}\n", model.intercept));
  file.commit();
}

void export_json(const Model& model, const std::string& path) {
  nlohmann::ordered_json json;
  json["format"] = "thresh-model 1";
  json.update(nlohmann::ordered_json::parse(model_header(model)));
  json["weights"] = nlohmann::ordered_json::array();
  for (const Coefficient& coefficient : model.coefficients) {
    nlohmann::ordered_json weight;
    weight["index"] = coefficient.index;
    if (!coefficient.name.empty()) weight["name"] = coefficient.name;
    weight["weight"] = coefficient.weight;
    json["weights"].push_back(std::move(weight));
  }
  AtomicFile file(path);
  // Names may be in any encoding; JSON is UTF-8.
  file.write(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
  file.commit();
}

}  // namespace thresh
