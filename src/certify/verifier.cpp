#include "certify/verifier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "certify/budget_certificate.hpp"
#include "certify/row_set_text.hpp"

namespace thresh {
namespace {

// The allowed relative difference between machines.
constexpr long double kRounding = 1e-13L;

// The problem that a solver minimised, in readable form.
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

}  // namespace

void check_kind(const Record& claim, const Model& model) {
  if (claim.at("kind").text() != kind_for(model.solver)) {
    throw CertificateError("the certificate is not for the solver " + model.solver);
  }
  if (claim.has("classes") == model.classes.empty()) {
    throw CertificateError("the certificate is for another number of classes");
  }
}

Verifier::Verifier(const Claimed& claimed, const Record& claim, std::string of)
    : found_(claimed), claim_(claim), of_(std::move(of)) {}

bool Verifier::run() {
  check_kind(claim_, model());
  if (!data()) return false;
  if (model().solver == kPerceptron) return errors() && compression_set();
  if (has_feature_limit(model().solver)) return subset_bound();
  return problem() && weights() && gap();
}

Check same_rows(std::uint64_t rows) {
  return {"data", true, fmt::format("{} rows, the same as in training", rows)};
}

bool Verifier::check(const char* name, bool holds, std::string text, bool checked) {
  checks_.push_back({of_ + name, holds, std::move(text), checked});
  return holds;
}

bool Verifier::data() {
  const std::uint64_t rows = claim_.at("rows").count(), now = found_.facts().rows;
  if (now != rows) {
    return check("data", false, fmt::format("{} rows, not {}{}", now, rows, reading_hint()));
  }
  if (claim_.at("data").text() != found_.facts().fingerprint) {
    return check(
        "data", false,
        "the rows, their labels or weights differ from those of the training" + reading_hint());
  }
  // With several classes it is added once for all of them.
  if (of_.empty()) checks_.push_back(same_rows(rows));
  return true;
}

// Not needed for libsvm: the model has all its reading options.
std::string Verifier::reading_hint() const {
  if (model().format == Format::libsvm) return "";
  return " (tables and texts: repeat the reading options of the training)";
}

bool Verifier::errors() {
  const std::uint64_t errors = claim_.at("errors").count(), now = found_.facts().errors;
  if (now != errors) return check("errors", false, fmt::format("{}, not {}", now, errors));
  return check("errors", true,
               fmt::format("{} of {} rows misclassified", errors, found_.facts().rows));
}

bool Verifier::compression_set() {
  set_ = parse_row_set(claim_.at("kernel").text(), found_.id_end());
  const std::vector<std::uint64_t>& ids = set_;
  if (claim_.at("kernel_rows").count() != ids.size()) {
    return check(
        "kernel", false,
        fmt::format("{} rows are listed, not {}", ids.size(), claim_.at("kernel_rows").count()));
  }
  if (claim_.at("started_from_model").flag()) {
    return check(
        "kernel", true,
        fmt::format(
            "{} rows, not checked: training started from a model that is not available here",
            ids.size()),
        false);
  }
  const Replay run = found_.replay_set(ids);
  const std::string wrong = mistake_of(run, ids);
  if (!wrong.empty()) return check("kernel", false, wrong);
  return check("kernel", true,
               fmt::format("{} rows alone reproduce this model to the bit, with {} updates",
                           ids.size(), run.updates));
}

std::string Verifier::mistake_of(const Replay& run, const std::vector<std::uint64_t>& ids) const {
  const std::uint64_t updates = claim_.at("updates").count();
  if (run.updates != updates || updates != found_.updates()) {
    return fmt::format("its rows cause {} updates, not {}", run.updates, updates);
  }
  for (const std::uint64_t id : ids) {
    if (id >= run.compression_set.size() || !run.compression_set[id]) {
      return fmt::format("row {} causes no update", id + 1);
    }
  }
  return run.gives(model(), *found_.claimed().features) ? "" : "its rows give another model";
}

bool Verifier::problem() {
  const ConvexProblem problem = found_.problem();
  const char* const name = problem.radius ? "radius" : "lambda";
  const double now = problem.radius.value_or(problem.lambda), claimed = claim_.at(name).number();
  if (now == claimed) return check("problem", true, text_of(problem));
  return check(name, false, fmt::format("{:.6g}, not {:.6g}", now, claimed));
}

bool Verifier::weights() {
  const ConvexProblem problem = found_.problem();
  long double sum = 0;
  for (const Coefficient& each : model().coefficients) {
    sum += std::fabs(static_cast<long double>(each.weight));
    if (problem.non_negative && each.weight < 0) {
      return check("weights", false, fmt::format("that of feature {} is negative", each.index));
    }
  }
  if (!problem.radius || sum <= *problem.radius * (1 + kRounding)) return true;
  return check("weights", false,
               fmt::format("their absolute values sum to {:.9g}, above the radius {:.9g}",
                           static_cast<double>(sum), *problem.radius));
}

bool Verifier::subset_bound() {
  for (Check& each : check_subset_bound(found_, claim_)) {
    each.name = of_ + each.name;
    checks_.push_back(std::move(each));
  }
  return checks_.back().holds;
}

bool Verifier::gap() {
  const DualityGap now = found_.gap();
  const double objective = claim_.at("objective").number();
  const double gap = claim_.at("gap").number();
  const long double slack = kRounding * std::max(now.objective, now.at_zero);
  if (std::fabs(now.objective - objective) > slack) {
    return check("objective", false,
                 fmt::format("{:.9g}, not {:.9g}", static_cast<double>(now.objective), objective));
  }
  check("objective", true, fmt::format("{:.9g}", objective));
  if (std::fabs(now.gap() - gap) > slack) {
    return check("duality gap", false,
                 fmt::format("{:.6g}, not {:.6g}", static_cast<double>(now.gap()), gap));
  }
  const std::optional<double> said = found_.finding("duality gap");
  if (said && now.gap() > *said + slack + now.rounding) {
    return check("duality gap", false,
                 fmt::format("{:.6g}, but the solver reported {:.6g}",
                             static_cast<double>(now.gap()), *said));
  }
  return check("duality gap", true, gap_text(objective, gap));
}

}  // namespace thresh
