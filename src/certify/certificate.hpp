// The certificate that `train --certify` writes into a model and `verify` recomputes from the data.
//
// There are two kinds. For margin-perceptron: the compression set, the training errors and the
// bound of Theorem 3 of Xie et al. For convex problems: the objective and how much lower any other
// model could be. See docs/certificates.md.
#pragma once

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

// One of several classes, against the rest.
struct OneOf {
  std::vector<double> labels;  // of all classes, ascending
  std::size_t number = 0;      // of this class
};

// A model, and the rows on which it was trained or claims to be trained.
struct Claimed {
  const Model& model;
  std::shared_ptr<RowSource> source;  // with a survey
  std::shared_ptr<FeatureMap> features;
  std::string weights_file;                    // "" if none
  std::optional<OneOf> one_of = std::nullopt;  // set for one class of several
};

// Facts about the training that are not in the model.
struct TrainingFacts {
  std::vector<Kernel> kernels;  // FitResult::kernels
  bool started_from_model = false;
  double delta = 0.05;  // the probability that Theorem 3 fails
};

// The certificate, a JSON object.
std::string certify(const Claimed& claimed, const TrainingFacts& facts);
// Its description, one line each.
std::vector<std::string> certificate_lines(const Model& model);

// A certificate that is missing or cannot be read.
class CertificateError : public Error {
 public:
  using Error::Error;
};

struct Check {
  std::string name;
  bool holds;
  std::string text;     // what was found, or what is wrong
  bool checked = true;  // false: it cannot be checked, and nothing depends on it
};
// Checks the model's certificate and stops at the first failure. Throws CertificateError.
std::vector<Check> verify(const Claimed& claimed);

}  // namespace thresh
