#include "certify/examination.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "text/vectorizer.hpp"
#include "thresh/certificate.hpp"
#include "thresh/error.hpp"

namespace thresh {
namespace {

bool is_one_of(const std::string& solver, std::initializer_list<const char*> names) {
  return std::find(names.begin(), names.end(), solver) != names.end();
}

// Why the values of a row depend on other texts; "" if they do not.
std::string text_obstacle(const Model& model) {
  if (!model.column_texts.empty()) return "the terms of text columns depend on all rows";
  if (model.format != Format::text) return "";
  const TextOptions& options = model.text->options();
  if (options.idf) return "what a term counts depends on all texts (idf)";
  const bool any_term = !options.min_df.is_share && options.min_df.value <= 1 &&
                        options.max_df.is_share && options.max_df.value >= 1;
  return any_term ? "" : "which terms are features depends on all texts (--min-df, --max-df)";
}

}  // namespace

bool has_penalty(const std::string& solver) {
  return is_one_of(solver, {"l1", "cd", "scd", "gcd", "fobos", "smidas", "truncated-gradient",
                            "rda", "subgradient"});
}

bool has_ball(const std::string& solver) {
  return is_one_of(solver, {"projected-gradient", "projected-sgd", "eg"});
}

bool has_feature_limit(const std::string& solver) {
  return solver == "budget";
}

const char* kind_for(const std::string& solver) {
  if (solver == kPerceptron) return kCompression;
  return has_feature_limit(solver) ? kSubset : kGap;
}

Examination::Examination(Claimed claimed)
    : claimed_(std::move(claimed)),
      rows_(training_rows(claimed_)),
      at_(claimed_.model.coefficients, claimed_.model.intercept, claimed_.model.zero_based,
          *claimed_.features),
      facts_(facts_of(rows_, at_)) {}

std::uint64_t Examination::id_end() const {
  const Survey& survey = *claimed_.source->survey();
  return survey.rows + survey.bad_rows;
}

bool Examination::ended_by_itself() const {
  const std::string& status = claimed_.model.summary.at("status").text();
  return status == name_of(Outcome::converged) || status == name_of(Outcome::passes_spent) ||
         status == name_of(Outcome::steps_spent);
}

std::string Examination::obstacle(std::uint64_t errors, std::uint64_t compression_set,
                                  bool started_from_model) const {
  if (errors > 0) {
    return fmt::format("{} of {} rows are misclassified, and it asks for none", errors,
                       facts_.rows);
  }
  if (started_from_model) return "training started from a model, which may know other rows";
  if (!ended_by_itself()) {
    return fmt::format("a row that is not in the kernel ended the training ({})",
                       claimed_.model.summary.at("status").text());
  }
  if (weighted()) return "rows have weights";
  if (std::string why = text_obstacle(claimed_.model); !why.empty()) return why;
  if (compression_set >= facts_.rows)
    return "every row caused an update, so none is left to judge by";
  if (claimed_.model.options.at("order").text() == "shuffle" &&
      !order_is_free_of_content(*claimed_.source)) {
    return "rows are so long that their shuffled order depends on them (try --order sequential)";
  }
  return "";
}

Replay Examination::replay_set(const std::vector<std::uint64_t>& ids) const {
  std::vector<bool> may_learn(id_end());
  for (const std::uint64_t id : ids) may_learn[id] = true;
  return replay(
      rows_, perceptron(), [&](std::uint64_t id) { return may_learn[id]; }, most_updates());
}

Replay Examination::replay_all() const {
  return replay(
      rows_, perceptron(), [](std::uint64_t) { return true; }, most_updates());
}

std::uint64_t Examination::most_updates() const {
  return ended_by_itself() ? updates() + 1 : updates();
}

std::vector<long double> Examination::margins() const {
  std::vector<long double> found;
  for_each_window(rows_.source, rows_.view, [&](const Window& window) {
    for (const Row& row : window.rows) {
      long double sum = at_.intercept;
      for (std::size_t i = 0; i < row.size; ++i) {
        sum += static_cast<long double>(at_.at(row.slots[i])) * row.values[i];
      }
      found.push_back(rows_.target(row) * sum);
    }
  });
  return found;
}

bool Examination::weighted() const {
  return claimed_.source->survey()->weighted || rows_.view.weights ||
         !rows_.view.class_weights.empty();
}

std::optional<double> Examination::finding(const std::string& name) const {
  const Value theory = claimed_.model.summary.value("theory", Value::List());
  for (const Value& finding : theory.list()) {
    const Value& value = finding.record().at("value");
    if (finding.record().at("name").text() == name && !value.is_null()) return value.number();
  }
  return std::nullopt;
}

double Examination::lambda() const {
  const Record& options = claimed_.model.options;
  if (options.value("lambda-ratio", 0).number() == 0) return options.at("lambda").number();
  const std::optional<double> lambda = finding("lambda");
  if (!lambda) throw Error("l1 stopped before it reached its lambda");
  return *lambda;
}

ConvexProblem Examination::problem() const {
  ConvexProblem problem;
  const Record& options = claimed_.model.options;
  const std::string& name = options.at("loss").text();
  const std::optional<Loss> loss = loss_named(name);
  if (!loss || *loss == Loss::quantile) {
    throw CertificateError(fmt::format("--loss {} cannot be certified", name));
  }
  problem.loss = *loss;
  problem.limit = options.value("huber_delta", 1.0).number();
  problem.intercept = claimed_.model.has_intercept;
  problem.non_negative = options.value("non-negative", false).flag();
  if (has_ball(claimed_.model.solver)) {
    problem.radius = options.at("radius").number();
  } else {
    problem.lambda = lambda();
    problem.l2 = options.value("l2", 0).number();
  }
  return problem;
}

const Record& certificate_of(const Model& model) {
  if (model.certificate) return *model.certificate;
  throw CertificateError("it has no certificate (see train --certify)");
}

std::string bound_text(double bound, double delta) {
  if (bound >= 1) return fmt::format("{:.4g}: too large to say anything (eq. 17)", bound);
  return fmt::format("error on new rows below {:.4g}% with probability {:.4g}% (eq. 17)",
                     100 * bound, 100 * (1 - delta));
}

std::string gap_text(double objective, double gap) {
  const std::string share = objective > 0 ? fmt::format(": {:.2g} of it", gap / objective) : "";
  return fmt::format("{:.6g} (no model has an objective lower by more{})", gap, share);
}

}  // namespace thresh
