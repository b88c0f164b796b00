// Certificates: provable facts about a model. `train --certify` stores one in the model, `verify`
// recomputes it from the data.
//
// There are three kinds. For margin-perceptron: the compression set, the training errors and the
// bound of Theorem 3 of Xie et al. For convex problems: the objective and its largest distance from
// the minimum. For budget: the objective, and a bound for every other choice of as many features.
// See docs/certificates.md.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "thresh/error.hpp"
#include "thresh/fit.hpp"
#include "thresh/model.hpp"

namespace thresh {

// Throws UsageError if the solver or its options have no certificate.
void check_certifiable(const Options& options);
// Whether the certificate has a probabilistic bound.
bool has_bound(const Options& options);
// Throws Error if the data have more than two classes and these options do not support that.
void check_certifiable(const Options& options, const RowSource& source);

// Facts about the training run that the model does not store.
struct TrainingFacts {
  std::vector<CompressionSet> compression_sets;  // FitResult::compression_sets
  bool started_from_model = false;
  double delta = 0.05;       // the probability with which Theorem 3 may fail
  std::string weights_file;  // Options::weights_file
  std::optional<DualPoint> dual_point = std::nullopt;  // FitResult::dual_point

  // Of a proof by branch and bound, see Options::prove: how many dual points are computed; why the
  // certificate proves less than the search did, if so; and what ends the work early, once true.
  std::function<void(std::uint64_t done, std::uint64_t all)> on_progress = {};
  std::function<void(const std::string&)> on_warning = {};
  const std::atomic<bool>* stop = nullptr;
};

// Computes the certificate of a model for Model::certificate. `rows` are its training rows and must
// have a survey.
Record certify(const Model& model, const Problem& rows, const TrainingFacts& facts);
// What a certificate of the solver budget says: of several classes, the sum. Throws RecordError for
// others.
struct BudgetBound {
  double ridge = 0, objective = 0, bound = 0, without_features = 0;
};
BudgetBound budget_bound(const Record& certificate);
// The model's certificate in words, one fact per line.
std::vector<std::string> certificate_lines(const Model& model);

// The certificate is missing or cannot be read.
class CertificateError : public Error {
 public:
  using Error::Error;
};

struct Check {
  std::string name;
  bool holds;
  std::string text;     // the result, or the reason for the failure
  bool checked = true;  // false: this cannot be checked, and nothing else depends on it
};
// Checks the model's certificate on its training rows and stops after the first failed check.
// Throws CertificateError if there is no valid certificate to check.
std::vector<Check> verify(const Model& model, const Problem& rows,
                          const std::string& weights_file = "");

}  // namespace thresh
