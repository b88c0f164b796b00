// Checking a certificate.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "certify/bounds.hpp"
#include "certify/certificate.hpp"
#include "certify/classes.hpp"
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

void check_kind(const Json& claim, const Model& model) {
  if (claim.at("kind") != (model.solver == kPerceptron ? kCompression : kGap)) {
    throw CertificateError("the certificate is not one of " + model.solver);
  }
  if (claim.contains("classes") == model.classes.empty()) {
    throw CertificateError("the certificate is not one of so many classes");
  }
}

bool started_from_model(const Json& claim) {
  if (!claim.contains("classes")) return claim.at("started_from_model");
  const Json& parts = claim.at("classes");
  return std::any_of(parts.begin(), parts.end(),
                     [](const Json& part) { return part.at("started_from_model") == true; });
}

// Whether a bound that is claimed is what the rows give, and what that means.
Check check_bound(const Json& claim, const Examination& found, std::uint64_t errors) {
  const std::uint64_t kernel = claim.at("kernel_rows");
  const Json& claimed = claim.at("bound");
  const double delta = claim.at("delta");
  const auto wrong = [](std::string text) { return Check{"bound", false, std::move(text)}; };
  if (!(delta > 0 && delta < 1)) return wrong("its delta is no probability");
  const std::string obstacle = found.obstacle(errors, kernel, started_from_model(claim));
  const bool applies = obstacle.empty();
  if (applies && claimed.is_null()) return wrong("it applies, but none is given");
  if (!applies && !claimed.is_null()) return wrong("does not apply: " + obstacle);
  if (claim.value("does_not_apply", "") != obstacle) {
    return wrong(applies ? "it applies, but a reason against it is given"
                         : "it does not apply for another reason: " + obstacle);
  }
  if (!applies) return {"bound", true, "does not apply: " + obstacle};
  const double bound = claimed;
  const long double now = compression_bound(found.facts().rows, kernel, delta);
  if (std::fabs(now - bound) > kLogGamma * now) {
    return wrong(fmt::format("{:.6g}, not {:.6g}", static_cast<double>(now), bound));
  }
  return {"bound", true, bound_text(bound, delta)};
}

// Checks a model of two classes, or the part of one class, until a check fails.
class Verifier {
 public:
  Verifier(const Claimed& claimed, Json claim, std::string of = "")
      : model_(claimed.model),
        features_(*claimed.features),
        claim_(std::move(claim)),
        of_(std::move(of)),
        found_(claimed) {}

  // All but the bound; whether all of it holds.
  bool run() {
    check_kind(claim_, model_);
    if (!data()) return false;
    if (model_.solver == kPerceptron) return errors() && kernel();
    return problem() && weights() && gap();
  }

  const Examination& found() const { return found_; }
  const std::vector<Check>& checks() const { return checks_; }
  const std::vector<std::uint64_t>& kernel_rows() const { return kernel_; }

 private:
  bool check(const char* name, bool holds, std::string text, bool checked = true) {
    checks_.push_back({of_ + name, holds, std::move(text), checked});
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
    kernel_ = parse_kernel(claim_.at("kernel").get_ref<const std::string&>(), found_.id_end());
    const std::vector<std::uint64_t>& ids = kernel_;
    if (claim_.at("kernel_rows") != ids.size()) {
      return check(
          "kernel", false,
          fmt::format("{} rows are listed, not {}", ids.size(), claim_.at("kernel_rows").dump()));
    }
    if (claim_.at("started_from_model") == true) {
      return check("kernel", true,
                   fmt::format("{} rows, not checked: training began with a model that is "
                               "not at hand",
                               ids.size()),
                   false);
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
  std::string of_;  // before the names of checks: whose they are
  Examination found_;
  std::vector<Check> checks_;
  std::vector<std::uint64_t> kernel_;
};

std::vector<Check> verify_two_classes(const Claimed& claimed, const Json& claim) {
  Verifier verifier(claimed, claim);
  const bool holds = verifier.run();
  std::vector<Check> checks = verifier.checks();
  if (holds && claimed.model.solver == kPerceptron) {
    checks.push_back(check_bound(claim, verifier.found(), verifier.found().facts().errors));
  }
  return checks;
}

// What the classes' kernels, which have been checked, are together.
Check check_together(const Claimed& claimed, const Json& claim,
                     const std::vector<std::vector<std::uint64_t>>& kernels) {
  std::uint64_t updates = 0;
  for (const Json& part : claim.at("classes")) updates += part.at("updates").get<std::uint64_t>();
  const Json said = Json::parse(claimed.model.summary).at("updates");
  if (said != updates) {
    return {"kernel", false, fmt::format("classes made {} updates, not {}", updates, said.dump())};
  }
  const std::uint64_t rows = size_of_union(kernels);
  if (claim.at("kernel_rows") != rows) {
    return {"kernel", false,
            fmt::format("{} rows are listed, not {}", rows, claim.at("kernel_rows").dump())};
  }
  return {"kernel", true, fmt::format("{} rows in those of all classes together", rows)};
}

std::vector<Check> verify_many_classes(const Claimed& claimed, const Json& claim) {
  const Model& model = claimed.model;
  const bool perceptron = model.solver == kPerceptron;
  check_kind(claim, model);
  const Json& parts = claim.at("classes");
  if (parts.size() != model.classes.size()) {
    throw CertificateError("the certificate is not one of so many classes");
  }
  std::vector<Check> checks;
  std::vector<std::vector<std::uint64_t>> kernels;
  const auto add = [&](Check check) {
    checks.push_back(std::move(check));
    return checks.back().holds;
  };
  for (std::size_t c = 0; c < parts.size(); ++c) {
    const Model alone =
        class_alone(model, c, perceptron ? parts[c].at("updates").get<std::uint64_t>() : 0);
    const std::string of = fmt::format("class {}: ", model.label_text(model.classes[c].label));
    const Claimed of_class = claim_of(claimed, alone, c);
    Verifier verifier(of_class, parts[c], of);
    const bool holds = verifier.run();
    checks.insert(checks.end(), verifier.checks().begin(), verifier.checks().end());
    if (!holds) return checks;
    kernels.push_back(verifier.kernel_rows());
    if (!perceptron || c + 1 < parts.size()) continue;
    const std::uint64_t rows = verifier.found().facts().rows, errors = wrong_classes(claimed);
    if (claim.at("rows") != rows || claim.at("errors") != errors) {
      add({"errors", false,
           fmt::format("{} of {} rows, not {} of {}", errors, rows, claim.at("errors").dump(),
                       claim.at("rows").dump())});
      return checks;
    }
    add({"errors", true, fmt::format("{} of {} rows misclassified", errors, rows)});
    if (add(check_together(claimed, claim, kernels))) {
      add(check_bound(claim, verifier.found(), errors));
    }
  }
  return checks;
}

}  // namespace

std::vector<Check> verify(const Claimed& claimed) {
  if (claimed.model.certificate.empty()) {
    throw CertificateError("it has no certificate (see train --certify)");
  }
  try {
    const Json claim = Json::parse(claimed.model.certificate);
    return claimed.model.classes.empty() ? verify_two_classes(claimed, claim)
                                         : verify_many_classes(claimed, claim);
  } catch (const nlohmann::json::exception&) {
    throw CertificateError("the certificate is damaged");
  }
}

}  // namespace thresh
