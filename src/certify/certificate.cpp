// Makes certificates and describes them in words.

#include "thresh/certificate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "certify/bounds.hpp"
#include "certify/budget_certificate.hpp"
#include "certify/classes.hpp"
#include "certify/examination.hpp"
#include "certify/row_set_text.hpp"
#include "certify/subset_facts.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

// Why a feature limit with these options has no bound; "" if it has one.
std::string no_bound(const Options& options) {
  const auto& own = options.solver_options;
  if (options.loss == Loss::hinge) return "the hinge loss has no curvature";
  if (options.loss && is_for_numbers(*options.loss)) {
    return fmt::format("--loss {} has no bound yet for all choices of features",
                       name_of(*options.loss));
  }
  if (!options.signs.empty() || own.contains("groups")) {
    return "the bound is that of all choices of features, without --signs and --groups";
  }
  if (own.contains("prune")) return "--prune fits another objective";
  if (own.contains("contrast")) return "--contrast fits another objective";
  if (own.contains("ridge")) return "";
  if (own.contains("beta") || options.passes == 1 || options.steps || options.trace ||
      options.calibrate) {
    return "it needs a ridge; give --ridge R";
  }
  return "";
}

// Why these options have no certificate; "" if they have one.
std::string no_certificate(const Options& options) {
  const std::string& solver = options.solver;
  if (options.loss == Loss::quantile && !has_feature_limit(solver)) {
    return "the slopes of --loss quantile at a model are not those that prove it (l1 reports the "
           "duality gap that it reached)";
  }
  if (solver == "ftrl") return "the objective of ftrl changes with every row";
  if (has_feature_limit(solver)) return no_bound(options);
  if (solver != kPerceptron && !has_penalty(solver) && !has_ball(solver)) {
    return fmt::format("the feature limit of {} is not convex", solver);
  }
  if (!options.signs.empty()) return "--signs is not supported";
  if (!options.feature_labels_file.empty()) return "the model does not store --feature-labels";
  if (options.solver_options.contains("penalties")) return "the model does not store --penalties";
  const auto& own = options.solver_options;
  if (own.contains("ball-weights")) return "--ball-weights is not supported";
  if (own.contains("lower") || own.contains("upper"))
    return "--lower and --upper are not supported";
  if (solver == kPerceptron && options.iterate == Iterate::random) {
    return "--iterate random is not supported: rows after the drawn step would count as unused";
  }
  if (solver == kPerceptron && options.iterate == Iterate::average) {
    return "--iterate average is not supported: the certificate reproduces the last model";
  }
  return "";
}

// Adds the compression set of a model or class, and the number of updates.
void add_compression_set(const Examination& found, const CompressionSet& compression_set,
                         const TrainingFacts& facts, Record& claim) {
  claim["errors"] = found.facts().errors;
  claim["updates"] = compression_set.updates;
  claim["kernel_rows"] = compression_set.rows.size();
  claim["kernel"] = row_set_text(compression_set.rows);
  claim["started_from_model"] = facts.started_from_model;
}

// Rounds a number to digits that long doubles of all machines share, so that a model and its
// certificate have the same bytes everywhere. The tolerance of `verify` is larger than this loss.
double shared_digits(long double value, long double scale, int digits) {
  int exponent = 0;
  std::frexp(scale, &exponent);
  const long double unit = std::ldexp(1.0L, exponent - digits);
  return static_cast<double>(std::round(value / unit) * unit);
}

void add_bound(const Examination& found, std::uint64_t errors, std::uint64_t compression_set,
               const TrainingFacts& facts, Record& claim) {
  claim["delta"] = facts.delta;
  const std::string obstacle = found.obstacle(errors, compression_set, facts.started_from_model);
  if (obstacle.empty()) {
    const long double bound = compression_bound(found.facts().rows, compression_set, facts.delta);
    claim["bound"] = shared_digits(bound, bound, 36);
  } else {
    claim["bound"] = nullptr;
    claim["does_not_apply"] = obstacle;
  }
}

void add_gap(const Examination& found, Record& claim) {
  const ConvexProblem problem = found.problem();
  if (problem.radius) {
    claim["radius"] = *problem.radius;
  } else {
    claim["lambda"] = problem.lambda;
  }
  const DualityGap gap = found.gap();
  const long double scale = std::max(gap.objective, gap.at_zero);
  claim["objective"] = shared_digits(gap.objective, scale, 46);
  claim["gap"] = shared_digits(gap.gap(), scale, 46);
}

// The certificate of a two-class model, or of one class against the rest, without the bound.
// `seconds` are left for proofs.
Record begin_certificate(const Examination& found, const TrainingFacts& facts, std::size_t number,
                         double& seconds) {
  const std::string kind = kind_for(found.claimed().model.solver);
  Record claim;
  claim["kind"] = kind;
  claim["rows"] = found.facts().rows;
  claim["data"] = found.facts().fingerprint;
  if (kind == kCompression) {
    add_compression_set(found, facts.compression_sets.at(number), facts, claim);
  } else if (kind == kSubset) {
    if (!facts.dual_point) throw Error("the run did not reach its ridge");
    add_subset_bound(found, facts, number, seconds, claim);
  } else {
    add_gap(found, claim);
  }
  return claim;
}

double proof_seconds(const TrainingFacts& facts) {
  return facts.dual_point ? facts.dual_point->seconds_left : 0;
}

Record of_two_classes(const Claimed& claimed, const TrainingFacts& facts) {
  const Examination found(claimed);
  double seconds = proof_seconds(facts);
  Record claim = begin_certificate(found, facts, 0, seconds);
  if (claimed.model.solver == kPerceptron) {
    add_bound(found, found.facts().errors, facts.compression_sets.at(0).rows.size(), facts, claim);
  }
  return claim;
}

Record of_many_classes(const Claimed& claimed, const TrainingFacts& facts) {
  const bool perceptron = claimed.model.solver == kPerceptron;
  Value::List classes;
  std::vector<std::vector<std::uint64_t>> compression_sets;
  std::optional<Examination> last;  // all classes have the same rows
  double seconds = proof_seconds(facts);
  for (std::size_t c = 0; c < claimed.model.classes.size(); ++c) {
    last.emplace(against_rest(claimed, c, perceptron ? facts.compression_sets.at(c).updates : 0));
    classes.emplace_back(begin_certificate(*last, facts, c, seconds));
    if (perceptron) compression_sets.push_back(facts.compression_sets.at(c).rows);
  }
  Record claim;
  claim["kind"] = kind_for(claimed.model.solver);
  claim["classes"] = std::move(classes);
  claim["rows"] = last->facts().rows;
  if (!perceptron) return claim;
  const std::uint64_t errors = wrong_classes(claimed);
  const std::uint64_t in_kernel = size_of_union(compression_sets);
  claim["errors"] = errors;
  claim["kernel_rows"] = in_kernel;
  add_bound(*last, errors, in_kernel, facts, claim);
  return claim;
}

}  // namespace

void check_certifiable(const Options& options) {
  const std::string why = no_certificate(options);
  if (!why.empty()) throw UsageError("--certify: no certificate: " + why);
  if (options.prove > 0 && !has_feature_limit(options.solver)) {
    throw UsageError("--prove requires the solver budget");
  }
  constexpr double kLeastProved = 1e-4;  // certificates have seven digits
  if (options.prove != 0 && !(options.prove >= kLeastProved && options.prove < 1)) {
    throw UsageError("--prove must be at least 0.01% and below 100%");
  }
}

bool has_bound(const Options& options) {
  return options.solver == kPerceptron;
}

void check_certifiable(const Options& options, const RowSource& source) {
  const bool classes = options.task == Task::classification;
  if (!classes || source.survey()->labels.size() <= 2) return;
  std::string why;
  if (options.multiclass == Multiclass::softmax)
    why = "--multiclass softmax does not train them separately";
  if (options.shared_budget) why = "--shared-budget does not train them separately";
  if (options.solver_options.contains("lambda-ratio"))
    why = "--lambda-ratio gives each its own lambda";
  if (why.empty()) return;
  throw Error(fmt::format("{}: no certificate: there are more than two classes, and {}",
                          source.name(), why));
}

Record certify(const Model& model, const Problem& rows, const TrainingFacts& facts) {
  const Claimed claimed{model, rows.train, rows.features, facts.weights_file};
  return model.classes.empty() ? of_two_classes(claimed, facts) : of_many_classes(claimed, facts);
}

std::vector<std::string> certificate_lines(const Model& model) {
  const Record& claim = certificate_of(model);
  if (claim.at("kind").text() == kSubset) return subset_lines(claim, model);
  const Value::List parts = claim.value("classes", Value::List{claim}).list();
  const std::string of_classes =
      parts.size() > 1 ? fmt::format(" of {} classes, each against the rest", parts.size()) : "";
  if (claim.at("kind").text() == kGap) {
    double objective = 0, gap = 0;
    for (const Value& part : parts) {
      objective += part.record().at("objective").number();
      gap += part.record().at("gap").number();
    }
    return {fmt::format("certificate: objective {:.9g}{}", objective,
                        of_classes.empty() ? "" : ", the sum" + of_classes),
            "certificate: duality gap " + gap_text(objective, gap)};
  }
  const Value& bound = claim.at("bound");
  return {fmt::format("certificate: {} of {} rows misclassified, {} rows caused all updates{}",
                      claim.at("errors").count(), claim.at("rows").count(),
                      claim.at("kernel_rows").count(), of_classes),
          "certificate: " +
              (bound.is_null()
                   ? "the bound of eq. 17 does not apply: " + claim.at("does_not_apply").text()
                   : bound_text(bound.number(), claim.at("delta").number()))};
}

}  // namespace thresh
