#include "certify/budget_certificate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "certify/cut_proof.hpp"
#include "certify/proof_text.hpp"
#include "certify/subset_claim.hpp"
#include "certify/subset_facts.hpp"
#include "certify/tree_points.hpp"

namespace thresh {
namespace {

// Digits that long doubles of all machines share, so that a certificate has the same bytes
// everywhere: a number is moved to a multiple of this share of the scale.
constexpr long double kGrid = 0x1p-44L;

long double scale_of(const SubsetBound& found) {
  return std::max({found.objective, found.constant, 1e-300L});
}
double on_grid(long double value, long double scale, long double (*round)(long double)) {
  int exponent = 0;
  std::frexp(scale, &exponent);
  const long double unit = std::ldexp(kGrid, exponent);
  return static_cast<double>(round(value / unit) * unit);
}

// The problem of a claim, whose rows were read once.
struct ClaimedProblem {
  ClaimedProblem(const Record& claim, const Examination& found)
      : problem(problem_of(claim, found.claimed())),
        dual(dual_of(claim, found.claimed())),
        proof(problem, found.rows(), found.weights(), dual) {}

  SubsetProblem problem;
  SlotPoint dual;
  SubsetProof proof;
};

// The bound as certificates have it: a little below what was found.
double bound_to_claim(const SubsetBound& found) {
  const long double scale = scale_of(found);
  return std::max(0.0, on_grid(found.bound - kGrid * scale, scale, std::floor));
}

// Adds trees to claims, within a time.
class TreeMaker {
 public:
  TreeMaker(const TrainingFacts& facts, const Examination& found, const SubsetProof& proof,
            double seconds)
      : facts_(facts), found_(found), proof_(proof) {
    using Duration = std::chrono::steady_clock::duration;
    limits_.until =
        start_ + std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
    limits_.stop = facts.stop;
    limits_.told = facts.on_progress;
  }

  // Adds the tree if it proves more than `bound`, which it replaces. What a tree proves depends on
  // the bound that it is said to prove. That is made out with the bound of the search, which has
  // more digits than the points have in text, and other ones; see walk_tree().
  void add(Proof search, SubsetBound& bound, Record& claim) {
    constexpr int kMostTries = 8;
    const std::size_t all = points_in(search);
    double claimed = found_by(search, bound);
    for (int number = 0; number < kMostTries; ++number) {
      if (!(claimed > bound.bound)) break;
      Record with = claim;
      add_nodes(search, with);
      try {
        with["bound"] = claimed;
        const SubsetBound proved = proof_.of(tree_of(with, found_.claimed()), limits_);
        const double now = bound_to_claim(proved);
        if (now >= claimed) {
          bound = proved;
          claim = std::move(with);
          break;
        }
        claimed = now;
      } catch (const ProofTooLarge& needed) {
        search = cut_proof(search, needed.points);
        claimed = found_by(search, bound);
      } catch (const Interrupted&) {
        return warn("it was interrupted");
      }
    }
    const std::size_t left = points_in(search);
    if (left < all) {
      warn(fmt::format("the time of --prove-time was enough for {} of {} dual points", left, all));
    }
  }
  double spent() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  double found_by(const Proof& search, const SubsetBound& bound) const {
    constexpr double kDigits = 1e-6;  // more than the points lose
    return search.bound / static_cast<double>(found_.facts().weight) -
           kDigits * static_cast<double>(bound.objective);
  }
  static std::size_t points_in(const Proof& proof) {
    return static_cast<std::size_t>(
        std::count_if(proof.nodes.begin(), proof.nodes.end(),
                      [](const ProofNode& node) { return node.has_point; }));
  }
  static void add_nodes(const Proof& proof, Record& claim) {
    Value::List tree;
    for (const ProofNode& node : proof.nodes) tree.emplace_back(proof_text(node));
    claim["tree"] = std::move(tree);
  }
  void warn(const std::string& why) const {
    if (facts_.on_warning) facts_.on_warning("the certificate proves less than was found: " + why);
  }

  const TrainingFacts& facts_;
  const Examination& found_;
  const SubsetProof& proof_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  ProofLimits limits_;
};

}  // namespace

void add_subset_bound(const Examination& found, const TrainingFacts& facts, std::size_t part,
                      double& seconds, Record& claim) {
  const DualPoint& dual = *facts.dual_point;
  const Model& model = dual.model;
  claim["ridge"] = static_cast<double>(dual.ridge / found.facts().weight);
  claim["features"] = dual.features;
  claim["keep"] = kept_of(found.claimed().model);
  claim["dual"] =
      record_of(model.classes.empty() ? ClassPart{0, model.intercept, model.coefficients}
                                      : model.classes.at(part));
  const ClaimedProblem problem(claim, found);
  SubsetBound bound = problem.proof.of({});
  if (part < dual.proofs.size() && !dual.proofs[part].nodes.empty()) {
    TreeMaker maker(facts, found, problem.proof,
                    seconds / static_cast<double>(dual.proofs.size() - part));
    maker.add(dual.proofs[part], bound, claim);
    seconds = std::max(0.0, seconds - maker.spent());
  }
  const long double scale = scale_of(bound);
  claim["objective"] = on_grid(bound.objective, scale, std::ceil);
  claim["bound"] = bound_to_claim(bound);
  claim["without_features"] = on_grid(bound.constant, scale, std::round);
  claim["proved_in"] = indices_of(bound.proved_in, found.claimed());
  claim["proved_out"] = bound.proved_out;
  claim["occurring"] = bound.occurring;
}

std::vector<Check> check_subset_bound(const Examination& found, const Record& claim) {
  const Model& model = found.claimed().model;
  std::vector<Check> checks;
  const auto check = [&](const char* name, bool holds, std::string text) {
    checks.push_back({name, holds, std::move(text)});
    return holds;
  };
  const SubsetFacts facts(claim);
  const Value& limit = model.options.at("features");
  if (!limit.is_null() && limit.count() != facts.features) {
    check("features", false, fmt::format("{}, not {}", limit.count(), facts.features));
    return checks;
  }
  if (model.coefficients.size() > facts.features) {
    check("features", false,
          fmt::format("{} weights, more than {}", model.coefficients.size(), facts.features));
    return checks;
  }
  if (Value(kept_of(model)) != claim.at("keep")) {
    check("keep", false, "other features than the training kept");
    return checks;
  }
  const SubsetBound now = ClaimedProblem(claim, found).proof.of(tree_of(claim, found.claimed()));
  const long double slack = 4 * kGrid * scale_of(now);
  const auto differs = [&](const char* name, long double is, double said) {
    if (std::fabs(is - said) <= slack) return false;
    return !check(name, false, fmt::format("{:.9g}, not {:.9g}", static_cast<double>(is), said));
  };
  check("problem", true, problem_text(facts, claim, model));
  if (differs("objective", now.objective, facts.objective)) return checks;
  check("objective", true, fmt::format("{:.9g}", facts.objective));
  if (differs("without features", now.constant, facts.constant)) return checks;
  if (facts.bound > now.bound || differs("bound", now.bound, facts.bound)) {
    if (checks.back().holds) {
      check("bound", false,
            fmt::format("{:.17g} is above {:.17g}", facts.bound, static_cast<double>(now.bound)));
    }
    return checks;
  }
  check("bound", true, fmt::format("{:.9g}: {}", facts.bound, facts.gap_text()));
  const bool same = Value(indices_of(now.proved_in, found.claimed())) == claim.at("proved_in") &&
                    now.proved_out == facts.proved_out && now.occurring == facts.occurring;
  check("screening", same, same ? facts.screening_text() : "other features are proved in or out");
  return checks;
}

}  // namespace thresh
