// Checks certificates.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "certify/bounds.hpp"
#include "certify/classes.hpp"
#include "certify/examination.hpp"
#include "certify/verifier.hpp"
#include "thresh/certificate.hpp"

namespace thresh {
namespace {

// The allowed relative difference between machines: the bound subtracts large logarithms.
constexpr long double kLogGamma = 1e-9L;

bool started_from_model(const Record& claim) {
  if (!claim.has("classes")) return claim.at("started_from_model").flag();
  const Value::List& parts = claim.at("classes").list();
  return std::any_of(parts.begin(), parts.end(), [](const Value& part) {
    return part.record().at("started_from_model").flag();
  });
}

// Checks whether the claimed bound follows from the rows.
Check check_bound(const Record& claim, const Examination& found, std::uint64_t errors) {
  const std::uint64_t compression_set = claim.at("kernel_rows").count();
  const Value& claimed = claim.at("bound");
  const double delta = claim.at("delta").number();
  const auto wrong = [](std::string text) { return Check{"bound", false, std::move(text)}; };
  if (!(delta > 0 && delta < 1)) return wrong("its delta is not a probability");
  const std::string obstacle = found.obstacle(errors, compression_set, started_from_model(claim));
  const bool applies = obstacle.empty();
  if (applies && claimed.is_null()) return wrong("it applies, but none is given");
  if (!applies && !claimed.is_null()) return wrong("does not apply: " + obstacle);
  if (claim.value("does_not_apply", "").text() != obstacle) {
    return wrong(applies ? "it applies, but a reason against it is given"
                         : "it does not apply for another reason: " + obstacle);
  }
  if (!applies) return {"bound", true, "does not apply: " + obstacle};
  const double bound = claimed.number();
  const long double now = compression_bound(found.facts().rows, compression_set, delta);
  if (std::fabs(now - bound) > kLogGamma * now) {
    return wrong(fmt::format("{:.6g}, not {:.6g}", static_cast<double>(now), bound));
  }
  return {"bound", true, bound_text(bound, delta)};
}

std::vector<Check> verify_two_classes(const Claimed& claimed, const Record& claim) {
  Verifier verifier(claimed, claim);
  const bool holds = verifier.run();
  std::vector<Check> checks = verifier.checks();
  if (holds && claimed.model.solver == kPerceptron) {
    checks.push_back(check_bound(claim, verifier.found(), verifier.found().facts().errors));
  }
  return checks;
}

// Checks the union of the classes' compression sets, which have been checked one by one.
Check check_together(const Claimed& claimed, const Record& claim,
                     const std::vector<std::vector<std::uint64_t>>& compression_sets) {
  std::uint64_t updates = 0;
  for (const Value& part : claim.at("classes").list()) {
    updates += part.record().at("updates").count();
  }
  const std::uint64_t said = claimed.model.summary.at("updates").count();
  if (said != updates) {
    return {"kernel", false, fmt::format("classes made {} updates, not {}", updates, said)};
  }
  const std::uint64_t rows = size_of_union(compression_sets);
  if (claim.at("kernel_rows").count() != rows) {
    return {"kernel", false,
            fmt::format("{} rows are listed, not {}", rows, claim.at("kernel_rows").count())};
  }
  return {"kernel", true, fmt::format("{} rows in the kernels of all classes together", rows)};
}

// Adds the checks of all classes together, until one fails.
void add_checks_of_all(const Claimed& claimed, const Record& claim,
                       const std::vector<std::vector<std::uint64_t>>& compression_sets,
                       const Examination& found, std::vector<Check>& checks) {
  const std::uint64_t rows = found.facts().rows;
  if (claim.at("rows").count() != rows) {
    checks.push_back(
        {"data", false, fmt::format("{} rows, not {}", rows, claim.at("rows").count())});
    return;
  }
  checks.insert(checks.begin(), same_rows(rows));
  if (claimed.model.solver != kPerceptron) return;
  const std::uint64_t errors = wrong_classes(claimed);
  if (claim.at("errors").count() != errors) {
    checks.push_back({"errors", false,
                      fmt::format("{} of {} rows, not {} of {}", errors, rows,
                                  claim.at("errors").count(), rows)});
    return;
  }
  checks.push_back({"errors", true, fmt::format("{} of {} rows misclassified", errors, rows)});
  checks.push_back(check_together(claimed, claim, compression_sets));
  if (checks.back().holds) checks.push_back(check_bound(claim, found, errors));
}

std::vector<Check> verify_many_classes(const Claimed& claimed, const Record& claim) {
  const Model& model = claimed.model;
  check_kind(claim, model);
  const Value::List& parts = claim.at("classes").list();
  if (parts.size() != model.classes.size()) {
    throw CertificateError("the certificate is for another number of classes");
  }
  const bool perceptron = model.solver == kPerceptron;
  std::vector<Check> checks;
  std::vector<std::vector<std::uint64_t>> compression_sets;
  std::optional<Verifier> last;  // all classes have the same rows
  for (std::size_t c = 0; c < parts.size(); ++c) {
    const Record& part = parts[c].record();
    last.emplace(against_rest(claimed, c, perceptron ? part.at("updates").count() : 0), part,
                 fmt::format("class {}: ", model.label_text(model.classes[c].label)));
    const bool holds = last->run();
    const std::vector<Check>& found = last->checks();
    checks.insert(checks.end(), found.begin(), found.end());
    if (!holds) return checks;
    compression_sets.push_back(last->set_rows());
  }
  add_checks_of_all(claimed, claim, compression_sets, last->found(), checks);
  return checks;
}

}  // namespace

std::vector<Check> verify(const Model& model, const Problem& rows,
                          const std::string& weights_file) {
  const Record& claim = certificate_of(model);
  try {
    const Claimed claimed{model, rows.train, rows.features, weights_file};
    return model.classes.empty() ? verify_two_classes(claimed, claim)
                                 : verify_many_classes(claimed, claim);
  } catch (const RecordError&) {
    throw CertificateError("the certificate is damaged");
  }
}

}  // namespace thresh
