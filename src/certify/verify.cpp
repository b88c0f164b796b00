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

using Json = nlohmann::ordered_json;

// The allowed relative difference between machines: the bound subtracts large logarithms.
constexpr long double kLogGamma = 1e-9L;

bool started_from_model(const Json& claim) {
  if (!claim.contains("classes")) return claim.at("started_from_model");
  const Json& parts = claim.at("classes");
  return std::any_of(parts.begin(), parts.end(),
                     [](const Json& part) { return part.at("started_from_model") == true; });
}

// Checks whether the claimed bound follows from the rows.
Check check_bound(const Json& claim, const Examination& found, std::uint64_t errors) {
  const std::uint64_t compression_set = claim.at("kernel_rows");
  const Json& claimed = claim.at("bound");
  const double delta = claim.at("delta");
  const auto wrong = [](std::string text) { return Check{"bound", false, std::move(text)}; };
  if (!(delta > 0 && delta < 1)) return wrong("its delta is no probability");
  const std::string obstacle = found.obstacle(errors, compression_set, started_from_model(claim));
  const bool applies = obstacle.empty();
  if (applies && claimed.is_null()) return wrong("it applies, but none is given");
  if (!applies && !claimed.is_null()) return wrong("does not apply: " + obstacle);
  if (claim.value("does_not_apply", "") != obstacle) {
    return wrong(applies ? "it applies, but a reason against it is given"
                         : "it does not apply for another reason: " + obstacle);
  }
  if (!applies) return {"bound", true, "does not apply: " + obstacle};
  const double bound = claimed;
  const long double now = compression_bound(found.facts().rows, compression_set, delta);
  if (std::fabs(now - bound) > kLogGamma * now) {
    return wrong(fmt::format("{:.6g}, not {:.6g}", static_cast<double>(now), bound));
  }
  return {"bound", true, bound_text(bound, delta)};
}

std::vector<Check> verify_two_classes(const Claimed& claimed, const Json& claim) {
  Verifier verifier(claimed, claim);
  const bool holds = verifier.run();
  std::vector<Check> checks = verifier.checks();
  if (holds && claimed.model.solver == kPerceptron) {
    checks.push_back(check_bound(claim, verifier.found(), verifier.found().facts().errors));
  }
  return checks;
}

// Checks the union of the classes' compression sets, which have been checked one by one.
Check check_together(const Claimed& claimed, const Json& claim,
                     const std::vector<std::vector<std::uint64_t>>& compression_sets) {
  std::uint64_t updates = 0;
  for (const Json& part : claim.at("classes")) updates += part.at("updates").get<std::uint64_t>();
  const Json said = Json::parse(claimed.model.summary).at("updates");
  if (said != updates) {
    return {"kernel", false, fmt::format("classes made {} updates, not {}", updates, said.dump())};
  }
  const std::uint64_t rows = size_of_union(compression_sets);
  if (claim.at("kernel_rows") != rows) {
    return {"kernel", false,
            fmt::format("{} rows are listed, not {}", rows, claim.at("kernel_rows").dump())};
  }
  return {"kernel", true, fmt::format("{} rows in those of all classes together", rows)};
}

// Adds the checks of all classes together, until one fails.
void add_checks_of_all(const Claimed& claimed, const Json& claim,
                       const std::vector<std::vector<std::uint64_t>>& compression_sets,
                       const Examination& found, std::vector<Check>& checks) {
  const std::uint64_t rows = found.facts().rows;
  if (claim.at("rows") != rows) {
    checks.push_back(
        {"data", false, fmt::format("{} rows, not {}", rows, claim.at("rows").dump())});
    return;
  }
  checks.insert(checks.begin(), same_rows(rows));
  if (claimed.model.solver != kPerceptron) return;
  const std::uint64_t errors = wrong_classes(claimed);
  if (claim.at("errors") != errors) {
    checks.push_back({"errors", false,
                      fmt::format("{} of {} rows, not {} of {}", errors, rows,
                                  claim.at("errors").dump(), rows)});
    return;
  }
  checks.push_back({"errors", true, fmt::format("{} of {} rows misclassified", errors, rows)});
  checks.push_back(check_together(claimed, claim, compression_sets));
  if (checks.back().holds) checks.push_back(check_bound(claim, found, errors));
}

// One class against the rest. Its members refer to each other, so it must not move.
struct ClassVerified {
  ClassVerified(const Claimed& all, const Json& part, std::size_t number)
      : alone(class_alone(all.model, number, updates_of(all.model, part))),
        claimed(claim_of(all, alone, number)),
        verifier(claimed, part,
                 fmt::format("class {}: ", all.model.label_text(all.model.classes[number].label))) {
  }

  static std::uint64_t updates_of(const Model& model, const Json& part) {
    return model.solver == kPerceptron ? part.at("updates").get<std::uint64_t>() : 0;
  }

  Model alone;
  Claimed claimed;
  Verifier verifier;
};

std::vector<Check> verify_many_classes(const Claimed& claimed, const Json& claim) {
  const Model& model = claimed.model;
  check_kind(claim, model);
  const Json& parts = claim.at("classes");
  if (parts.size() != model.classes.size()) {
    throw CertificateError("the certificate is not one of so many classes");
  }
  std::vector<Check> checks;
  std::vector<std::vector<std::uint64_t>> compression_sets;
  std::optional<ClassVerified> last;  // all classes have the same rows
  for (std::size_t c = 0; c < parts.size(); ++c) {
    last.emplace(claimed, parts[c], c);
    const bool holds = last->verifier.run();
    const std::vector<Check>& found = last->verifier.checks();
    checks.insert(checks.end(), found.begin(), found.end());
    if (!holds) return checks;
    compression_sets.push_back(last->verifier.set_rows());
  }
  add_checks_of_all(claimed, claim, compression_sets, last->verifier.found(), checks);
  return checks;
}

}  // namespace

std::vector<Check> verify(const Model& model, const Problem& rows,
                          const std::string& weights_file) {
  if (model.certificate.empty()) {
    throw CertificateError("it has no certificate (see train --certify)");
  }
  try {
    const Claimed claimed{model, rows.train, rows.features, weights_file};
    const Json claim = Json::parse(model.certificate);
    return model.classes.empty() ? verify_two_classes(claimed, claim)
                                 : verify_many_classes(claimed, claim);
  } catch (const nlohmann::json::exception&) {
    throw CertificateError("the certificate is damaged");
  }
}

}  // namespace thresh
