#include "diagnose/runtimes.hpp"

#include <fmt/format.h>

#include <cmath>

#include "loss/bounds.hpp"
#include "loss/loss.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

// The minimum w*, or what bounds it.
struct Optimum {
  double norm1 = 0, norm2 = 0;
  std::optional<double> gap;  // of the model that stands for it
};

Optimum optimum_of(const Problem& rows, const RuntimeOptions& options, const Watch& watch) {
  const double most = loss_at_zero(options.loss) / options.lambda;
  if (!options.exact_optimum) return {most, most, std::nullopt};
  Problem plain = rows;
  plain.never_scale = true;
  Options l1;
  l1.solver = "l1";
  l1.loss = options.loss;
  l1.lambda = options.lambda;
  l1.intercept = false;
  l1.passes = 0;
  l1.stop = watch.stop;
  const FitResult result = fit(plain, l1);
  if (result.status.outcome == Outcome::stopped) {
    throw Interrupted(rows.train->name() + ": interrupted");
  }
  Optimum found;
  for (const Finding& finding : result.theory) {
    if (finding.name == "duality gap") found.gap = finding.value;
  }
  if (!found.gap) throw Error(rows.train->name() + ": l1 did not find the optimum");
  for (const Coefficient& each : result.model.coefficients) {
    found.norm1 += std::fabs(each.weight);
    found.norm2 += each.weight * each.weight;
  }
  found.norm2 = std::sqrt(found.norm2);
  return found;
}

double mean_square_length(RowSource& source, const Watch& watch) {
  double sum = 0;
  const auto squares = [](const RowBlock& block) {
    double total = 0;
    for (std::size_t i = 0; i < block.rows(); ++i) {
      const Row row = block.row(i);
      for (std::size_t k = 0; k < row.size; ++k) total += row.values[k] * row.values[k];
    }
    return total;
  };
  each_block(source, watch, squares, [&](const RowBlock&, double made) { sum += made; });
  return sum / static_cast<double>(source.survey()->rows);
}

// Why none of the bounds applies; "" if they do.
std::string obstacle(const Problem& rows, const Overview& overview, const RuntimeOptions& options) {
  const Survey& survey = *rows.train->survey();
  if (is_for_numbers(options.loss)) {
    return fmt::format("they are evaluated for two classes, and the loss {} is for numbers",
                       name_of(options.loss));
  }
  if (survey.more_labels || survey.labels.size() != 2) return "they are evaluated for two classes";
  if (overview.largest > 1) {
    return fmt::format("features go beyond [-1, 1], to {:.4g} (see thresh train --scale max)",
                       overview.largest);
  }
  if (options.lambda == 0 && !options.exact_optimum) return "without lambda |w*| has no bound";
  return overview.slots.empty() ? "no row has a feature" : "";
}

class Runtimes {
 public:
  Runtimes(const Problem& rows, const Overview& overview, const RuntimeOptions& options,
           const Watch& watch)
      : options_(options),
        optimum_(optimum_of(rows, options, watch)),
        entries_(static_cast<double>(overview.entries)),
        columns_(static_cast<double>(overview.slots.size())),
        dimension_(static_cast<double>(rows.train->survey()->dimension)),
        length_(mean_square_length(*rows.train, watch)),
        p_(std::max(2.0, std::ceil(2 * std::log(dimension_)))),
        factor_(std::pow(dimension_, 2 / p_)) {}

  std::vector<DiagnosisLine> lines() const {
    std::vector<DiagnosisLine> found = {optimum(), scd()};
    const std::optional<double> rho = self_bound(options_.loss);
    if (has_bounded_slope(options_.loss)) {
      found.push_back(smidas("smidas_13", "(13)",
                             smidas_steps_lipschitz(p_, factor_, optimum_.norm1, epsilon())));
    }
    if (rho) {
      found.push_back(smidas(
          "smidas_14", "(14)",
          smidas_steps(p_, *rho, factor_, loss_at_zero(options_.loss), optimum_.norm1, epsilon())));
    }
    found.push_back(bounds());
    return found;
  }

 private:
  double epsilon() const { return options_.epsilon; }
  double norm1_square() const { return optimum_.norm1 * optimum_.norm1; }
  double norm2_square() const { return optimum_.norm2 * optimum_.norm2; }

  DiagnosisLine optimum() const {
    DiagnosisLine f{"optimum", {{"norm1", optimum_.norm1}, {"norm2", optimum_.norm2}}, {}, {}, {}};
    f.normal = "known norms give bounds that are smaller by orders of magnitude";
    if (optimum_.gap) {
      f.value["duality_gap"] = *optimum_.gap;
      f.text = fmt::format(
          "|w*|_1 = {:.6g}, |w*|_2 = {:.6g}: of the model of l1, whose objective is within {:.2g} "
          "of the minimum",
          optimum_.norm1, optimum_.norm2, *optimum_.gap);
      return f;
    }
    f.text = fmt::format("|w*|_1 and |w*|_2 are at most P(0)/lambda = {:.6g}", optimum_.norm1);
    f.advice = "use --exact-optimum to compute the minimum and its norms";
    return f;
  }

  DiagnosisLine scd() const {
    DiagnosisLine f{"scd", nullptr, {}, {}, {}};
    f.normal = "far fewer steps usually suffice: theorems are about the worst case";
    const std::optional<double> beta = LossFunction(options_.loss).curvature();
    if (!beta) {
      f.text = "scd: Theorem 1 does not apply, because the curvature of the loss has no bound";
      return f;
    }
    const double at_zero = loss_at_zero(options_.loss);
    const double steps = scd_steps(columns_, *beta, at_zero, optimum_.norm2, epsilon());
    const double surely = scd_steps(columns_, *beta, at_zero, optimum_.norm2, epsilon() / 2);
    const double runs = std::max(1.0, std::ceil(-std::log2(options_.delta)));
    f.value = {{"steps", steps}, {"steps_of_each_run", surely}, {"runs", runs}};
    f.text = fmt::format(
        "scd --curvature global: {:.4g} steps suffice in expectation (Theorem 1), {:.4g} in each "
        "of {} runs with probability {:g}% (Theorem 2: --delta {:g})",
        steps, surely, runs, 100 * (1 - options_.delta), options_.delta);
    return f;
  }

  DiagnosisLine smidas(const char* name, const char* condition, const StepsAndSize& best) const {
    DiagnosisLine f{name, {{"steps", best.steps}, {"eta", best.eta}, {"p", p_}}, {}, {}, {}};
    f.text = fmt::format(
        "smidas --order replacement --iterate random: {:.4g} steps suffice in expectation with "
        "--eta {:.4g}, the best step (Theorem 3 under {}, p = {:g})",
        best.steps, best.eta, condition, p_);
    f.normal = "far fewer steps usually suffice, and other step sizes may do better";
    return f;
  }

  // Constants are left out, as in the paper. s is the share of values that are not 0.
  DiagnosisLine bounds() const {
    const double beta = LossFunction(options_.loss).curvature().value_or(0);
    const double scd = entries_ * beta * norm2_square() / epsilon();
    const double squares = epsilon() * epsilon();
    const double smidas = dimension_ * std::log(dimension_) * norm1_square() / squares;
    const double truncated = dimension_ * norm2_square() * length_ / squares;
    DiagnosisLine f{"bounds",
                    {{"scd", beta > 0 ? nlohmann::json(scd) : nlohmann::json(nullptr)},
                     {"smidas", smidas},
                     {"truncated_gradient", truncated},
                     {"mean_square_length", length_}},
                    {},
                    {},
                    {}};
    f.text = fmt::format(
        "runtime bounds, in values read and without constants:\n"
        "  (2) scd                 s m d beta |w*|_2^2 / epsilon     {}\n"
        "  (3) smidas              d ln(d) |w*|_1^2 / epsilon^2      {:.4g}\n"
        "  (4) truncated-gradient  d |w*|_2^2 X_2^2 / epsilon^2      {:.4g}, X_2^2 = {:.4g}",
        beta > 0 ? fmt::format("{:.4g}", scd) : "none: no curvature bound", smidas, truncated,
        length_);
    f.normal =
        "(4) is below (3) if rows are sparse and w* is dense, and above it in the opposite case";
    f.advice = fmt::format("by (3) and (4) {} should be faster",
                           smidas < truncated ? "smidas" : "truncated-gradient");
    return f;
  }

  const RuntimeOptions& options_;
  Optimum optimum_;
  double entries_, columns_, dimension_, length_, p_, factor_;
};

}  // namespace

Section runtime_findings(const Problem& rows, const Overview& overview,
                         const RuntimeOptions& options, const Watch& watch) {
  Section section{"runtimes",
                  fmt::format("Steps to {:g} above the minimum, {} loss, lambda {:g}, no intercept "
                              "(Shalev-Shwartz & Tewari 2011)",
                              options.epsilon, name_of(options.loss), options.lambda),
                  {}};
  if (const std::string why = obstacle(rows, overview, options); !why.empty()) {
    section.findings.push_back({"runtimes", nullptr, "the theorems do not apply, because " + why,
                                "two classes, features within [-1, 1], a lambda above 0", ""});
    return section;
  }
  section.findings = Runtimes(rows, overview, options, watch).lines();
  return section;
}

}  // namespace thresh
