// What `train --certify` writes into a model, and `verify` finds out again from the data.
//
// Two kinds. Of margin-perceptron: the rows that caused its updates, its training errors, and what
// Theorem 3 of Xie et al. makes of them. Of solvers of a convex problem: its objective and how much
// lower any other model could be. docs/certificates.md says what they mean.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "thresh/error.hpp"
#include "thresh/fit.hpp"
#include "thresh/model.hpp"

namespace thresh {

// Throws UsageError for a solver, or options of it, without a certificate.
void check_certifiable(const Options& options);
// Whether its certificate holds a bound that may fail, with a probability.
bool has_bound(const Options& options);
// Throws Error if the data have more than two classes and these options no certificate for them.
void check_certifiable(const Options& options, const RowSource& source);

// One of several classes, which is to be told from the rest.
struct OneOf {
  std::vector<double> labels;  // of all, ascending
  std::size_t number = 0;      // of this one
};

// A model, and the rows it was or is said to be trained on.
struct Claimed {
  const Model& model;
  std::shared_ptr<RowSource> source;  // with a survey
  std::shared_ptr<FeatureMap> features;
  std::string weights_file;                    // "" if there is none
  std::optional<OneOf> one_of = std::nullopt;  // what a model of one class is of
};

// What training knows and the model does not tell.
struct TrainingFacts {
  std::vector<Kernel> kernels;  // FitResult::kernels
  bool started_from_model = false;
  double delta = 0.05;  // the probability with which Theorem 3 may fail
};

// The certificate, a JSON object.
std::string certify(const Claimed& claimed, const TrainingFacts& facts);
// It in words, a line each.
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
  bool checked = true;  // false: nothing tells whether it is true, and nothing rests on it
};
// Checks the model's certificate; the last check is the first that fails. Throws
// CertificateError.
std::vector<Check> verify(const Claimed& claimed);

}  // namespace thresh
