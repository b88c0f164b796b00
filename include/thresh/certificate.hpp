// What can be proved of a model: `train --certify` writes it into the model, and `verify` finds it
// out again from the data.
//
// There are two kinds. For margin-perceptron: the compression set, the training errors and the
// bound of Theorem 3 of Xie et al. For convex problems: the objective and how much lower any other
// model could be. See docs/certificates.md.
#pragma once

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

// What training knows and the model does not tell.
struct TrainingFacts {
  std::vector<CompressionSet> compression_sets;  // FitResult::compression_sets
  bool started_from_model = false;
  double delta = 0.05;       // the probability with which Theorem 3 may fail
  std::string weights_file;  // Options::weights_file
};

// The certificate of a model that was trained on these rows, all of them known beforehand, for
// Model::certificate.
Record certify(const Model& model, const Problem& rows, const TrainingFacts& facts);
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
  bool checked = true;  // false: it cannot be checked, and nothing depends on it
};
// Checks the model's certificate on the rows that it was trained on; the last check is the first
// that fails. Throws CertificateError.
std::vector<Check> verify(const Model& model, const Problem& rows,
                          const std::string& weights_file = "");

}  // namespace thresh
