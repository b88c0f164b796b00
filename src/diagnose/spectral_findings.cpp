#include <fmt/format.h>

#include <cmath>

#include "diagnose/findings.hpp"

namespace thresh {
namespace {

// What brings rows to a length for which steps are known. Columns of a table have their own units.
const char* remedy(bool table) {
  return table ? "--scale standard (the default solver scales the columns of tables itself)"
               : "--normalize l2";
}

std::string too_large(bool table) {
  return fmt::format("no step size is small enough for such values; use {}", remedy(table));
}

// Formats a number that may exceed the range of double.
std::string text_of(const Eigenvalue& e) {
  const double plain = e.plain();
  if (e.value == 0 || std::isnormal(plain)) return fmt::format("{:.6g}", plain);
  return fmt::format("10^{:.2f} ({} than a double can hold)", e.log10(),
                     plain > 1 ? "more" : "less");
}

nlohmann::json json_of(const Eigenvalue& e) {
  if (e.value == 0) return {{"value", 0.0}, {"log10", nullptr}};
  return {{"value", e.plain()}, {"log10", e.log10()}};
}

std::string text_of(const Radius& r) {
  return fmt::format("{}{:.6g}", r.at_most ? "<= " : "", r.value);
}

DiagnosisLine eigenvalue(const SpectrumStats& stats, std::uint64_t rows, bool table) {
  DiagnosisLine f{"largest_eigenvalue", json_of(stats.largest)};
  f.text = fmt::format("largest eigenvalue of X'X: {}", text_of(stats.largest));
  f.normal = fmt::format("at most the number of rows, {}, if rows have unit length", rows);
  if (!std::isfinite(stats.largest.plain())) {
    f.advice =
        fmt::format("every solver that follows the gradient of all rows diverges on this; use {}",
                    remedy(table));
  } else if (stats.largest.plain() > 1e3 * static_cast<double>(rows)) {
    f.advice = fmt::format("rows are long; use {}", remedy(table));
  }
  return f;
}

DiagnosisLine safe_gamma(const SpectrumStats& stats, bool table) {
  DiagnosisLine f{"safe_gamma",
                  {{"without_intercept", json_of(stats.largest)},
                   {"with_intercept", json_of(stats.with_intercept)}}};
  f.text = fmt::format("smallest safe gamma of grades: {} with an intercept, {} without",
                       text_of(stats.with_intercept), text_of(stats.largest));
  f.normal = "at or above it the potential never rises; below half of it descent diverges";
  f.advice = std::isfinite(stats.with_intercept.plain())
                 ? "--gamma auto, the default, uses it; the values in papers, 3 or 100, suit other "
                   "data"
                 : too_large(table);
  return f;
}

DiagnosisLine safe_step(const SpectrumStats& stats, std::uint64_t rows, bool table) {
  // Like the eigenvalue, a step may exceed the range of double.
  const auto step = [&](double factor) {
    return Eigenvalue{factor * static_cast<double>(rows) / stats.with_intercept.value,
                      -stats.with_intercept.exponent};
  };
  const auto number = [](const Eigenvalue& e) {
    return std::isnormal(e.plain()) ? nlohmann::json(e.plain()) : nlohmann::json(nullptr);
  };
  const Eigenvalue squared = step(1), logistic = step(4), squared_hinge = step(0.5);
  DiagnosisLine f{"safe_step",
                  {{"squared", number(squared)},
                   {"logistic", number(logistic)},
                   {"squared_hinge", number(squared_hinge)}}};
  f.text = fmt::format(
      "largest safe step on all rows, of the mean loss: eta {} (squared), {} (logistic), {} "
      "(squared hinge)",
      text_of(squared), text_of(logistic), text_of(squared_hinge));
  f.normal = "0.5 or more for rows of unit length; at twice the safe step, squared loss diverges";
  if (!std::isnormal(squared_hinge.plain())) {
    f.advice = too_large(table);
  } else if (squared_hinge.plain() < 0.1) {
    f.advice = fmt::format(
        "solvers with steps: the default of 0.1 is too large for some losses; use a smaller --eta, "
        "or {}",
        remedy(table));
  }
  return f;
}

DiagnosisLine radius(const SpectrumStats& stats, bool table) {
  DiagnosisLine f{
      "radius",
      {{"gamma", stats.gamma}, {"radius", stats.radius.value}, {"at_most", stats.radius.at_most}}};
  f.text = fmt::format("spectral radius of I - X'X / gamma: {} at gamma = {:.6g}",
                       text_of(stats.radius), stats.gamma);
  f.normal = "at most 1; above 1, errors grow by this factor each step";
  if (stats.radius.value > 1) {
    f.advice = std::isfinite(stats.largest.plain())
                   ? fmt::format("gamma of {} or more", text_of(stats.largest))
                   : too_large(table);
  }
  return f;
}

}  // namespace

SpectrumStats measure_spectrum(RowSource& source, const Overview& overview,
                               std::optional<double> gamma, const Watch& watch) {
  const ColumnSet columns(overview.slots, overview.columns.size());
  const GramOptions plain{overview.largest, false};
  SpectrumStats stats;
  stats.largest = largest_eigenvalue(source, columns, plain, watch);
  stats.with_intercept = largest_eigenvalue(source, columns, {overview.largest, true}, watch);
  // The default gamma corresponds to steps of 0.1, the default, on the mean squared loss.
  stats.gamma = gamma.value_or(10 * static_cast<double>(overview.rows));
  stats.radius = iteration_radius(source, columns, stats.largest, {stats.gamma, 0}, plain, watch);
  return stats;
}

Section spectral_findings(const SpectrumStats& stats, std::uint64_t rows, bool table) {
  return {"spectral",
          "Spectral",
          {eigenvalue(stats, rows, table), safe_gamma(stats, table), safe_step(stats, rows, table),
           radius(stats, table)}};
}

Section grades_findings(const GradesRun& run, std::uint64_t features) {
  DiagnosisLine f{"iterations", nlohmann::json::array()};
  f.text = fmt::format("{:>9} {:>14} {:>16} {:>10}", "iteration", "radius D_J M", "log10 potential",
                       "non-zeros");
  for (std::size_t t = 0; t < run.steps.size(); ++t) {
    const GradesStep& step = run.steps[t];
    f.value.push_back({{"iteration", t},
                       {"radius", step.radius.value},
                       {"radius_at_most", step.radius.at_most},
                       {"log10_potential", step.log10_potential},
                       {"nonzeros", step.nonzeros}});
    f.text += fmt::format("\n{:>9} {:>14} {:>16.4f} {:>10}", t, text_of(step.radius),
                          step.log10_potential, step.nonzeros);
  }
  if (run.overflowed)
    f.text += fmt::format(
        "\n"
        "{:>9} no longer finite",
        run.steps.size());
  f.normal = "a radius of at most 1 and a potential that falls";
  const bool rises =
      run.overflowed ||
      (!run.steps.empty() && run.steps.back().log10_potential > run.steps.front().log10_potential);
  if (rises) f.advice = "gamma is too small for these data: see the smallest safe one above";
  DiagnosisLine ended{"finite", !run.overflowed, {}, "all numbers finite"};
  ended.text = run.overflowed
                   ? fmt::format("left the range of a double in iteration {}", run.steps.size())
                   : fmt::format("{} iterations, all numbers finite", run.steps.size() - 1);
  DiagnosisLine setting{"setting", {{"features", features}}};
  setting.value["gamma"] = run.gamma.plain();
  if (run.gamma.value > 0) setting.value["log10_gamma"] = run.gamma.log10();
  setting.text =
      fmt::format("gamma {}, at most {} non-zeros, no intercept", text_of(run.gamma), features);
  setting.normal = "gamma at least the largest eigenvalue of X'X";
  return {"grades", "GraDes", {setting, f, ended}};
}

DiagnosisLine restricted_finding(const RestrictedEigenvalues& found, std::uint64_t features) {
  DiagnosisLine f{"restricted", nullptr, {}, {}, {}};
  f.normal = "delta_2k below 1/3, which the guarantee of GraDes requires; few data sets have it";
  if (found.largest.value == 0) {
    f.text = "restricted eigenvalues: none, because there are no values";
    return f;
  }
  const double delta = found.delta();
  f.value = {{"sets", found.sets},
             {"columns", found.columns},
             {"least", json_of(found.least)},
             {"largest", json_of(found.largest)},
             {"delta_at_least", delta}};
  f.text = fmt::format(
      "eigenvalues of X_J'X_J over {} sets J of at most {} columns: {} to {}, so delta_2k is at "
      "least {:.4g} for k = {}, whatever the scale of X: {}",
      found.sets, found.columns, text_of(found.least), text_of(found.largest), delta, features,
      delta >= 1.0 / 3 ? "the guarantee does not hold"
                       : "not refuted, and not proved: other sets may be worse");
  return f;
}

}  // namespace thresh
