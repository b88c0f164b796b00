#include "certify/subset_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "thresh/certificate.hpp"

namespace thresh {
namespace {

// Rounded up to two digits, at least.
std::string at_most_percent(double share) {
  const double percent = 100 * std::max(0.0, share);
  if (percent == 0) return "0%";
  const double unit = std::pow(10.0, std::floor(std::log10(percent)) - 1);
  return fmt::format("{:.6g}%", std::ceil(percent / unit) * unit);
}

}  // namespace

std::string problem_text(const SubsetFacts& facts, const Record& claim, const Model& model) {
  const std::size_t kept = claim.value("keep", Value::List()).list().size();
  return fmt::format(
      "mean {} loss + {:.6g}/2 sum_j s_j w_j^2, at most {} {}{}; s_j is the size of feature j",
      model.options.at("loss").text(), facts.ridge, facts.features,
      facts.features == 1 ? "feature" : "features",
      kept > 0 ? fmt::format(", {} of them kept", kept) : "");
}

SubsetFacts::SubsetFacts(const Record& claim) {
  const Value::List parts = claim.value("classes", Value::List{claim}).list();
  classes = parts.size();
  for (const Value& value : parts) {
    const Record& part = value.record();
    ridge = part.at("ridge").number();
    features = part.at("features").count();
    objective += part.at("objective").number();
    bound += part.at("bound").number();
    constant += part.at("without_features").number();
    proved_in += part.at("proved_in").list().size();
    proved_out += part.at("proved_out").count();
    occurring += part.at("occurring").count();
  }
}

BudgetBound budget_bound(const Record& certificate) {
  const SubsetFacts facts(certificate);
  return {facts.ridge, facts.objective, facts.bound, facts.constant};
}

std::string SubsetFacts::gap_text() const {
  const double gap = objective - bound, most = constant - bound;
  std::string text = fmt::format("no other choice of {} {} lowers the objective by more than {}",
                                 features, features == 1 ? "feature" : "features",
                                 at_most_percent(objective > 0 ? gap / objective : 0));
  if (most > 0) {
    text += fmt::format(" ({} of what features could gain over none)", at_most_percent(gap / most));
  }
  return text;
}

std::string SubsetFacts::screening_text() const {
  return fmt::format("{} of {} features are in every best choice, {} in none", proved_in, occurring,
                     proved_out);
}

std::vector<std::string> subset_lines(const Record& claim, const Model& model) {
  const SubsetFacts facts(claim);
  const std::string sum =
      facts.classes > 1
          ? fmt::format(", the sum of {} classes, each against the rest", facts.classes)
          : "";
  return {"certificate: " + problem_text(facts, claim, model),
          fmt::format("certificate: objective {:.9g}, bound {:.9g}{}", facts.objective, facts.bound,
                      sum),
          "certificate: " + facts.gap_text(), "certificate: " + facts.screening_text()};
}

}  // namespace thresh
