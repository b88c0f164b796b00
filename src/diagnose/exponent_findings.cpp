#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "diagnose/findings.hpp"
#include "thresh/names.hpp"

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
      "base-2 exponents of {}: {:.4g}% within 51 of the largest, mean {:.1f}, standard deviation "
      "{:.1f}, {} numbers{}",
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
      "{} sums: {:.4g}% of the data's mass ({} of {} terms{}) is lost beside the largest term of "
      "its row",
      precision, 100 * lost, a.lost, a.terms, model ? "" : ", all weights equal");
  f.normal = "0%";
  if (a.beyond > 0) {
    f.text += fmt::format("; {} terms overflow a {}, and so do their sums", a.beyond, precision);
    f.advice = fmt::format("do not use {} for these data, or use --normalize l2", precision);
    return f;
  }
  if (lost > 0.001) {
    f.advice =
        model ? "these features have no effect; use a smaller --p with smidas, or another solver"
              : "features differ too much in scale to be summed; train with --scale max";
  }
  return f;
}

// p of a model of smidas, as the solver chose it.
double p_of(const Model& model) {
  const auto dimension = static_cast<double>(model.dimension);
  const std::string& text = model.options.at("p").text();
  if (text == "2ln") return 2 * std::log(dimension);
  if (text == "0.5ln") return std::log(dimension) / 2;
  if (const auto p = parse_finite(text)) return *p;
  return std::max(2.0, std::ceil(2 * std::log(dimension)));
}

// Lemma 1 of Xie et al.: |w_j| = |theta_j| / a^(p-2) with a = |theta|_p / |theta_j|, which by the
// link is (|w|_q / |w_j|)^(1/(p-1)).
DiagnosisLine lemma1(const Model& model) {
  const double p = p_of(model), q = p / (p - 1);
  std::vector<double> logs;
  for (const Coefficient& each : model.coefficients)
    logs.push_back(std::log(std::fabs(each.weight)));
  std::sort(logs.rbegin(), logs.rend());
  double sum = 0;
  for (const double log : logs) sum += std::exp(q * (log - logs.front()));
  const double log_norm = logs.front() + std::log(sum) / q;
  const auto a = [&](double log) { return std::exp((log_norm - log) / (p - 1)); };
  const double first = a(logs.front()), middle = a(logs[logs.size() / 2]), last = a(logs.back());
  DiagnosisLine f{
      "lemma1", {{"p", p}, {"largest", first}, {"median", middle}, {"smallest", last}}, {}, {}, {}};
  f.text = fmt::format(
      "Lemma 1 (Xie et al.): weights are theta_j / a^(p-2), p = {:.4g}; a is {:.4g} at the largest "
      "weight, {:.4g} at the median one, {:.4g} at the smallest",
      p, first, middle, last);
  f.normal = "a near 1 at the largest weight; 2^51 or more in a^(p-1) is lost beside it";
  return f;
}

}  // namespace

Section exponent_findings(const ValueStats& stats, const Model* model) {
  Section section{"exponents", "Exponents", {}};
  if (model != nullptr) {
    DiagnosisLine weights = spread("weights", "weights", exponents_of(*model));
    if (weights.value.value("within", 1.0) < 0.99) weights.advice = kAdviceOnExponents;
    section.findings.push_back(weights);
    // Of several classes each has its theta; --scale changes weights after the link.
    const bool linked = model->solver == "smidas" && !model->options.has("scale");
    if (linked && !model->coefficients.empty()) section.findings.push_back(lemma1(*model));
  }
  section.findings.push_back(spread("values", "the data's values", stats.values));
  section.findings.push_back(
      absorption("absorbed_in_double", "double", stats.in_double, model != nullptr));
  section.findings.push_back(
      absorption("absorbed_in_float", "float", stats.in_float, model != nullptr));
  return section;
}

}  // namespace thresh
