// Checking a certificate.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "certify/bounds.hpp"
#include "certify/certificate.hpp"
#include "certify/examination.hpp"
#include "certify/kernel_text.hpp"

namespace thresh {
namespace {

using Json = nlohmann::ordered_json;

// What may differ between machines, as a share.
constexpr long double kRounding = 1e-13L;
constexpr long double kLogGamma = 1e-9L;  // the bound is a difference of large logarithms

// What a solver minimised, as people write it.
std::string text_of(const ConvexProblem& problem) {
  std::string text = fmt::format("mean {} loss", name_of(problem.loss));
  if (problem.radius) {
    text += fmt::format(" where |w|_1 <= {:.9g}", *problem.radius);
  } else {
    text += fmt::format(" + {:.9g} |w|_1", problem.lambda);
    if (problem.l2 > 0) text += fmt::format(" + {:.9g}/2 |w|^2", problem.l2);
  }
  return text + (problem.non_negative ? ", w >= 0" : "");
}

// Makes checks until one fails.
class Verifier {
 public:
  explicit Verifier(const Claimed& claimed)
      : model_(claimed.model),
        features_(*claimed.features),
        claim_(Json::parse(claimed.model.certificate)),
        found_(claimed) {}

  std::vector<Check> run() {
    const bool perceptron = model_.solver == kPerceptron;
    if (claim_.at("kind") != (perceptron ? kCompression : kGap)) {
      throw CertificateError("the certificate is not one of " + model_.solver);
    }
    if (!data()) return checks_;
    if (perceptron) {
      (void)(errors() && kernel() && bound());
    } else {
      (void)(problem() && weights() && gap());
    }
    return checks_;
  }

 private:
  bool check(const char* name, bool holds, std::string text) {
    checks_.push_back({name, holds, std::move(text)});
    return holds;
  }

  bool data() {
    const std::uint64_t rows = claim_.at("rows"), now = found_.facts().rows;
    if (now != rows) {
      return check("data", false, fmt::format("{} rows, not {}{}", now, rows, reading_hint()));
    }
    const bool same = claim_.at("data") == found_.facts().fingerprint;
    return check(
        "data", same,
        same ? fmt::format("{} rows, those of the training", rows)
             : "the rows, their labels or weights are not those of the training" + reading_hint());
  }

  // How libsvm rows are read the model knows.
  std::string reading_hint() const {
    if (model_.format == Format::libsvm) return "";
    return " (tables and texts: repeat the reading options of the training)";
  }

  bool errors() {
    const std::uint64_t errors = claim_.at("errors"), now = found_.facts().errors;
    if (now != errors) return check("errors", false, fmt::format("{}, not {}", now, errors));
    return check("errors", true,
                 fmt::format("{} of {} rows misclassified", errors, found_.facts().rows));
  }

  bool kernel() {
    const auto ids =
        parse_kernel(claim_.at("kernel").get_ref<const std::string&>(), found_.id_end());
    if (claim_.at("kernel_rows") != ids.size()) {
      return check(
          "kernel", false,
          fmt::format("{} rows are listed, not {}", ids.size(), claim_.at("kernel_rows").dump()));
    }
    if (claim_.at("started_from_model") == true) {
      checks_.push_back({"kernel", true,
                         fmt::format("{} rows, not checked: training began with a model that is "
                                     "not at hand",
                                     ids.size()),
                         false});
      return true;
    }
    const Replay run = found_.replay_kernel(ids);
    const std::string wrong = mistake_of(run, ids);
    if (!wrong.empty()) return check("kernel", false, wrong);
    return check("kernel", true,
                 fmt::format("{} rows alone give this model, to the bit, by {} updates", ids.size(),
                             run.updates));
  }

  // What is wrong with a kernel that was tried; "" if nothing is.
  std::string mistake_of(const Replay& run, const std::vector<std::uint64_t>& ids) const {
    const std::uint64_t updates = claim_.at("updates");
    if (run.updates != updates || updates != found_.updates()) {
      return fmt::format("its rows cause {} updates, not {}", run.updates, updates);
    }
    for (const std::uint64_t id : ids) {
      if (id >= run.kernel.size() || !run.kernel[id]) {
        return fmt::format("row {} causes no update", id + 1);
      }
    }
    return run.gives(model_, features_) ? "" : "its rows give another model";
  }

  bool bound() {
    const std::uint64_t kernel = claim_.at("kernel_rows");
    const Json& claimed = claim_.at("bound");
    const double delta = claim_.at("delta");
    if (!(delta > 0 && delta < 1)) return check("bound", false, "its delta is no probability");
    const std::string obstacle = found_.obstacle(kernel, claim_.at("started_from_model"));
    const bool applies = obstacle.empty();
    if (applies && claimed.is_null()) return check("bound", false, "it applies, but none is given");
    if (!applies && !claimed.is_null()) {
      return check("bound", false, "does not apply: " + obstacle);
    }
    if (claim_.value("does_not_apply", "") != obstacle) {
      return check("bound", false,
                   applies ? "it applies, but a reason against it is given"
                           : "it does not apply for another reason: " + obstacle);
    }
    if (!applies) return check("bound", true, "does not apply: " + obstacle);
    const double bound = claimed;
    const long double now = compression_bound(found_.facts().rows, kernel, delta);
    if (std::fabs(now - bound) > kLogGamma * now) {
      return check("bound", false,
                   fmt::format("{:.6g}, not {:.6g}", static_cast<double>(now), bound));
    }
    return check("bound", true, bound_text(bound, delta));
  }

  bool problem() {
    const ConvexProblem problem = found_.problem();
    const char* const name = problem.radius ? "radius" : "lambda";
    const double now = problem.radius.value_or(problem.lambda), claimed = claim_.at(name);
    if (now == claimed) return check("problem", true, text_of(problem));
    return check(name, false, fmt::format("{:.6g}, not {:.6g}", now, claimed));
  }

  // Whether they are allowed.
  bool weights() {
    const ConvexProblem problem = found_.problem();
    long double sum = 0;
    for (const Coefficient& each : model_.coefficients) {
      sum += std::fabs(static_cast<long double>(each.weight));
      if (problem.non_negative && each.weight < 0) {
        return check("weights", false, fmt::format("that of feature {} is negative", each.index));
      }
    }
    if (!problem.radius || sum <= *problem.radius * (1 + kRounding)) return true;
    return check("weights", false,
                 fmt::format("their sizes sum to {:.9g}, above the radius {:.9g}",
                             static_cast<double>(sum), *problem.radius));
  }

  bool gap() {
    const DualityGap now = found_.gap();
    const double objective = claim_.at("objective"), gap = claim_.at("gap");
    const long double slack = kRounding * std::max(now.objective, now.at_zero);
    if (std::fabs(now.objective - objective) > slack) {
      return check(
          "objective", false,
          fmt::format("{:.9g}, not {:.9g}", static_cast<double>(now.objective), objective));
    }
    check("objective", true, fmt::format("{:.9g}", objective));
    if (std::fabs(now.gap() - gap) > slack) {
      return check("duality gap", false,
                   fmt::format("{:.6g}, not {:.6g}", static_cast<double>(now.gap()), gap));
    }
    const std::optional<double> said = found_.finding("duality gap");
    if (said && now.gap() > *said + slack) {
      return check(
          "duality gap", false,
          fmt::format("{:.6g}, but the solver said {:.6g}", static_cast<double>(now.gap()), *said));
    }
    return check("duality gap", true, gap_text(objective, gap));
  }

  const Model& model_;
  const FeatureMap& features_;
  Json claim_;
  Examination found_;
  std::vector<Check> checks_;
};

}  // namespace

std::vector<Check> verify(const Claimed& claimed) {
  if (claimed.model.certificate.empty()) {
    throw CertificateError("it has no certificate (see train --certify)");
  }
  try {
    return Verifier(claimed).run();
  } catch (const nlohmann::json::exception&) {
    throw CertificateError("the certificate is damaged");
  }
}

}  // namespace thresh
