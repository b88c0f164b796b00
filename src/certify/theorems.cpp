// Whether the conditions of the theorems of Xie et al. held when a model was trained, and what they
// then promise, beside what was measured.
//
// The training is repeated by code of its own (replay.hpp). The paper sets eta = 1: weights, lambda
// and tau are divided by eta. An intercept is a feature equal to 1 that is never thresholded, and
// counts in R and in the norm of w.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "certify/bounds.hpp"
#include "certify/examination.hpp"
#include "diagnose/finding.hpp"

namespace thresh {
namespace {

constexpr const char* kNotRepeated =
    "the training cannot be repeated: it used other rows, or started from a model";
constexpr double kUnitRoundoff = 0x1p-53;  // of doubles, which training uses

// Checks the conditions of all theorems.
class Conditions {
 public:
  Conditions(const Model& model, const Problem& rows, const TheoremOptions& given)
      : given_(given),
        claimed_{model, rows.train, rows.features, given.weights_file},
        found_(claimed_),
        options_(found_.perceptron()),
        run_(found_.replay_all()),
        repeated_(run_.gives(model, *rows.features)) {
    for (const Coefficient& each : model.coefficients) {
      const long double w = each.weight;
      size_ += std::fabs(w);
      norm_ += w * w;
    }
    norm_ = std::sqrt(norm_ + static_cast<long double>(model.intercept) * model.intercept);
    radius_ = std::hypot(found_.facts().longest, options_.intercept ? 1 : 0);
  }

  Section section() {
    section_ = {"theorems", "Conditions of the theorems (Xie et al. 2010)", {}};
    radius();
    margin();
    epsilon();
    theorem1();
    theorem2();
    if (!(gamma() - taken() > 0)) inseparable();
    theorem3();
    return section_;
  }

 private:
  double lambda() const { return options_.lambda / options_.eta; }
  double tau() const { return options_.tau / options_.eta; }
  // The smallest margin of any row in the direction of w.
  long double gamma() const { return found_.facts().least_margin / norm_; }
  // How much of it thresholds can remove: lambda |u|_1.
  long double taken() const { return lambda() * size_ / norm_; }
  double limit() const {
    return static_cast<double>(
        std::max(0.0L, update_limit(run_.least.value, tau(), radius_, kUnitRoundoff)));
  }

  void add(const char* name, nlohmann::json value, std::string text, std::string normal,
           std::string advice = "") {
    section_.findings.push_back(
        {name, std::move(value), std::move(text), std::move(normal), std::move(advice)});
  }
  void does_not_apply(const char* name, const std::string& what, const std::string& why,
                      std::string normal, std::string advice = "") {
    add(name, nullptr, fmt::format("{} does not apply, because {}", what, why), std::move(normal),
        std::move(advice));
  }

  // Why statements about single updates do not apply; "" if they do.
  std::string no_updates_known() const {
    if (!repeated_) return kNotRepeated;
    if (options_.schedule != Schedule::constant) return "the step size changes with time";
    if (found_.weighted()) return "rows have weights, so that their steps differ";
    return run_.updates == 0 ? "there was no update" : "";
  }
  std::string no_lemma() const {
    std::string why = no_updates_known();
    if (why.empty() && run_.short_of_tau > 0) {
      why = fmt::format("tau/eta = {:.4g} was above epsilon/2 at {} of {} updates", tau(),
                        run_.short_of_tau, run_.updates);
    }
    return why;
  }
  static std::string lemma_advice() {
    return "the condition is sufficient, not necessary; --tau 0 fulfils it for any lambda above 0";
  }

  void radius() {
    add("radius", radius_,
        fmt::format("R = {:.6g}: the length of the longest row{}", radius_,
                    options_.intercept ? ", with a 1 for the intercept" : ""),
        options_.intercept ? "sqrt(2) with --normalize l2" : "1 with --normalize l2",
        radius_ > 10 ? "bounds grow with R squared: --normalize l2" : "");
  }

  void margin() {
    const RowFacts& facts = found_.facts();
    const std::string normal = "above 0 on data that some model separates, seldom above R/10";
    if (!(facts.least_margin > 0)) {
      const std::string why =
          fmt::format("{} of {} rows are misclassified or on the decision boundary",
                      std::max<std::uint64_t>(1, facts.errors), facts.rows);
      return does_not_apply("margin", "gamma", why, normal);
    }
    add("margin", static_cast<double>(gamma()),
        fmt::format("gamma = {:.6g}: the smallest margin reached, for weights of length 1",
                    static_cast<double>(gamma())),
        normal);
  }

  void epsilon() {
    const std::string normal =
        "epsilon grows with the weights; tau/eta at most epsilon/2 throughout";
    const std::string why = no_updates_known();
    if (!why.empty()) return does_not_apply("epsilon", "epsilon_lambda", why, normal);
    nlohmann::json along = nlohmann::json::array();
    std::string shown;
    for (const Replay::Epsilon& each : run_.epsilons) {
      along.push_back({{"update", each.update}, {"epsilon", each.value}});
      shown += fmt::format("{}{}: {:.3g}", shown.empty() ? "" : ", ", each.update, each.value);
    }
    const std::uint64_t held = run_.updates - run_.short_of_tau;
    add("epsilon",
        {{"along", along},
         {"least", run_.least.value},
         {"least_at", run_.least.update},
         {"tau", tau()},
         {"updates", run_.updates},
         {"condition_held", held}},
        fmt::format(
            "epsilon_lambda at updates {}; least {:.4g} at {}; tau/eta = {:.4g} was at most "
            "epsilon/2 at {} of {} updates",
            shown, run_.least.value, run_.least.update, tau(), held, run_.updates),
        normal, held < run_.updates ? lemma_advice() : "");
  }

  void theorem1() {
    const std::string normal = "a limit far above the number of updates; |w|^2 at most t R^2";
    const std::string what = "Theorem 1 (eq. 15)";
    std::string why = no_lemma();
    if (why.empty() && limit() == 0) why = "epsilon - 2 tau/eta leaves no room for rounding";
    if (!why.empty()) return does_not_apply("theorem1", what, why, normal, lemma_advice());
    const auto growth = static_cast<double>(run_.largest_growth / radius_ / radius_);
    add("theorem1", {{"limit", limit()}, {"updates", run_.updates}, {"growth", growth}},
        fmt::format("{}: |w|^2 < t R^2 in double precision for t up to {:.4g}; there were {} "
                    "updates, and |w|^2 was at most {:.4g} t R^2",
                    what, limit(), run_.updates, growth),
        normal);
  }

  void theorem2() {
    const std::string normal = "far above the number of updates: the bound is for the worst case";
    const std::string what = "Theorem 2";
    std::string why = no_lemma();
    const auto left = gamma() - taken();
    if (why.empty() && !(found_.facts().least_margin > 0)) why = "the model separates no margin";
    if (why.empty() && !(left > 0)) {
      why = fmt::format(
          "the thresholds, lambda/eta |u|_1 = {:.4g}, use up gamma = {:.4g}; try a smaller "
          "--lambda",
          static_cast<double>(taken()), static_cast<double>(gamma()));
    }
    if (!why.empty()) return does_not_apply("theorem2", what, why, normal);
    const auto bound = static_cast<double>(update_bound(radius_, left));
    if (bound > limit()) {
      why = fmt::format("its bound, {:.4g}, is beyond what Theorem 1 covers", bound);
      return does_not_apply("theorem2", what, why, normal);
    }
    add("theorem2",
        {{"bound", bound}, {"updates", run_.updates}, {"margin_left", static_cast<double>(left)}},
        fmt::format("{}: at most {:.6g} updates, (R / {:.4g})^2; there were {}", what, bound,
                    static_cast<double>(left), run_.updates),
        normal);
  }

  // What the paper says after Theorem 2, for any rows.
  void inseparable() {
    const std::string normal =
        "above the bound of Theorem 2; informative if at most the number of visits";
    const std::string what = "the extension of Theorem 2 to rows that are not separated";
    std::string why = no_lemma();
    if (why.empty() && options_.order == Order::replacement) {
      why = "rows were drawn, some more often than others";
    }
    if (why.empty() && !(norm_ > 0)) why = "all weights are 0";
    if (!why.empty()) return does_not_apply("inseparable", what, why, normal);
    std::vector<long double> margins = found_.margins();
    for (long double& margin : margins) margin /= norm_;
    const std::uint64_t rows = margins.size();
    const std::uint64_t visits = (run_.visited + rows - 1) / rows;
    const ExtendedBound best = extended_update_bound(margins, visits, radius_, taken());
    const auto bound = static_cast<double>(best.bound);
    if (bound > limit()) {
      why = fmt::format("its bound, {:.4g}, is beyond what Theorem 1 covers", bound);
      return does_not_apply("inseparable", what, why, normal);
    }
    const auto gamma = static_cast<double>(best.gamma), d = static_cast<double>(best.deviation);
    add("inseparable",
        {{"bound", bound},
         {"updates", run_.updates},
         {"visits", run_.visited},
         {"gamma", gamma},
         {"deviation", d}},
        fmt::format("{}: at most {:.6g} updates in {} visits, ((R + D) / (gamma - lambda/eta "
                    "|u|_1))^2 with gamma = {:.4g} and D = {:.4g}; there were {}",
                    what, bound, run_.visited, gamma, d, run_.updates),
        normal);
  }

  void theorem3() {
    const std::string normal = "several times the error on new rows; informative below 100%";
    const auto compression_set = static_cast<std::uint64_t>(
        std::count(run_.compression_set.begin(), run_.compression_set.end(), true));
    const std::string measured = given_.test_error ? fmt::format("; measured on test rows: {:.4g}%",
                                                                 100 * *given_.test_error)
                                                   : "";
    std::string why = found_.obstacle(found_.facts().errors, compression_set, false);
    if (why.empty() && !repeated_) why = kNotRepeated;
    if (!why.empty()) {
      return does_not_apply(
          "theorem3", "Theorem 3 (eq. 17)", why + measured, normal,
          found_.facts().errors > 0 ? "it asks for a run that ends without training errors" : "");
    }
    const auto bound =
        static_cast<double>(compression_bound(found_.facts().rows, compression_set, given_.delta));
    nlohmann::json value = {{"bound", bound},
                            {"delta", given_.delta},
                            {"kernel_rows", compression_set},
                            {"rows", found_.facts().rows}};
    if (given_.test_error) value["test_error"] = *given_.test_error;
    add("theorem3", value,
        fmt::format("Theorem 3, {} of {} rows in the kernel: {}{}", compression_set,
                    found_.facts().rows, bound_text(bound, given_.delta), measured),
        normal);
  }

  const TheoremOptions& given_;
  Claimed claimed_;
  Examination found_;
  PerceptronOptions options_;
  Replay run_;
  bool repeated_;
  Section section_;
  long double size_ = 0;  // |w|_1
  long double norm_ = 0;  // |(w, b)|_2
  double radius_ = 0;
};

Section theorem_findings(const Model& model, const Problem& rows, const TheoremOptions& options) {
  const bool scaled = model.options.has("scale");
  if (model.solver == kPerceptron && model.classes.empty() && !scaled) {
    return Conditions(model, rows, options).section();
  }
  Section section{"theorems", "Conditions of the theorems (Xie et al. 2010)", {}};
  section.findings.push_back(
      {"theorems", nullptr,
       scaled ? "do not apply, because the training saw features on another scale (--scale)"
              : "do not apply, because they are about margin-perceptron and two classes",
       scaled ? "theorems for training without --scale, on unscaled rows"
              : "no theorems for models of other solvers",
       ""});
  return section;
}

}  // namespace

DiagnosisPart diagnose_theorems(const Model& model, const Problem& rows,
                                const TheoremOptions& options) {
  return part_of(theorem_findings(model, rows, options));
}

}  // namespace thresh
