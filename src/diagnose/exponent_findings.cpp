#include <fmt/format.h>

#include <algorithm>

#include "diagnose/findings.hpp"

namespace thresh {
namespace {

constexpr int kBars = 16;  // lines of a histogram, at most

nlohmann::json json_of(const Exponents& e) {
  nlohmann::json json{{"count", e.total}};
  if (e.total == 0) return json;
  json["within"] = static_cast<double>(e.within) / static_cast<double>(e.total);
  json["mean"] = e.mean();
  json["deviation"] = e.deviation();
  json["smallest"] = e.counts.begin()->first;
  json["largest"] = e.counts.rbegin()->first;
  for (const auto& [exponent, count] : e.counts) json["histogram"].push_back({exponent, count});
  return json;
}

std::string histogram(const Exponents& e) {
  const int low = e.counts.begin()->first;
  const int span = e.counts.rbegin()->first - low + 1;
  const int width = (span + kBars - 1) / kBars;
  std::map<int, std::uint64_t> bars;
  std::uint64_t most = 0;
  for (const auto& [exponent, count] : e.counts) {
    most = std::max(most, bars[(exponent - low) / width] += count);
  }
  std::string text;
  for (int i = 0; i * width < span; ++i) {
    const std::uint64_t count = bars[i];
    const int first = low + i * width;
    text +=
        fmt::format("\n{:>14} {:>10} {:=<{}}", fmt::format("2^{}..{}", first, first + width - 1),
                    count, "", 40 * count / most);
  }
  return text;
}

DiagnosisLine spread(const char* name, const std::string& whose, const Exponents& e) {
  DiagnosisLine f{name, json_of(e)};
  f.normal = kNormalExponents;
  if (e.total == 0) {
    f.text = fmt::format("{}: none", whose);
    return f;
  }
  const double within = static_cast<double>(e.within) / static_cast<double>(e.total);
  f.text = fmt::format(
      "base-2 exponents of {}: {:.4g}% within 51 of the largest, mean {:.1f}, "
      "standard deviation {:.1f}, {} numbers{}",
      whose, 100 * within, e.mean(), e.deviation(), e.total, histogram(e));
  return f;
}

DiagnosisLine absorption(const char* name, const char* precision, const Absorbed& a, bool model) {
  const double lost = a.mass == 0 ? 0 : a.lost_mass / a.mass;
  DiagnosisLine f{
      name,
      {{"mass", lost},
       {"terms", a.terms == 0 ? 0.0 : static_cast<double>(a.lost) / static_cast<double>(a.terms)},
       {"beyond", a.beyond}}};
  f.text = fmt::format(
      "{} sums: {:.4g}% of the data's mass ({} of {} terms{}) is lost beside the "
      "largest term of its row",
      precision, 100 * lost, a.lost, a.terms, model ? "" : ", all weights equal");
  f.normal = "0%";
  if (a.beyond > 0) {
    f.text += fmt::format("; {} terms are more than a {} can hold, and their sums with them",
                          a.beyond, precision);
    f.advice = fmt::format("no {} for these data, or --normalize l2", precision);
    return f;
  }
  if (lost > 0.001) {
    f.advice = model ? "these features have no say: with smidas a smaller --p, or another solver"
                     : "features differ too much in scale to be summed: train with --scale max";
  }
  return f;
}

}  // namespace

Section exponent_findings(const ValueStats& stats, const Model* model) {
  Section section{"exponents", "Exponents", {}};
  if (model != nullptr) {
    DiagnosisLine weights = spread("weights", "weights", exponents_of(*model));
    if (weights.value.value("within", 1.0) < 0.99) weights.advice = kAdviceOnExponents;
    section.findings.push_back(weights);
  }
  section.findings.push_back(spread("values", "the data's values", stats.values));
  section.findings.push_back(
      absorption("absorbed_in_double", "double", stats.in_double, model != nullptr));
  section.findings.push_back(
      absorption("absorbed_in_float", "float", stats.in_float, model != nullptr));
  return section;
}

}  // namespace thresh
