// Finds numerical problems in data, models and past runs: `thresh diagnose`.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "thresh/select.hpp"

namespace thresh {

// One subject of a diagnosis.
struct DiagnosisPart {
  std::string name;
  std::string text;  // for people: what was measured, the result, what is normal, what to do
  std::string json;  // the same as a JSON object
};

// Receives the progress of diagnose(). on_progress() is about the models that find wrong labels.
class DiagnoseObserver : public SelectObserver {
 public:
  virtual void on_phase(const std::string& /*what*/) {}  // the next pass and its purpose
  virtual void on_bytes(std::uint64_t /*bytes*/) {}      // text of the rows just read
};

struct DiagnoseOptions {
  std::vector<std::string> only;      // of data, labels, exponents, spectral, runtimes; empty: all
  const Model* model = nullptr;       // trained on these rows: also report its weights' exponents
  std::optional<double> gamma;        // inverse step size: report its spectral radius
  std::uint64_t grades_features = 0;  // above 0: run GraDes with this many non-zero weights
  std::uint64_t grades_steps = 10;    // iterations of GraDes
  Task task = Task::classification;   // what the labels are
  double epsilon = 0;                 // above 0: bound the steps to within epsilon of the minimum
  double lambda = 1e-4;               // the penalty for that bound
  Loss loss = Loss::logistic;         // the loss for that bound
  double delta = 0.05;                // that bound holds with probability 1 - delta
  bool exact_optimum = false;         // compute the minimum for it, instead of |w*| <= P(0)/lambda
  const std::atomic<bool>* stop = nullptr;  // diagnose() throws Interrupted once it is true
  DiagnoseObserver* observer = nullptr;
};

// Makes several passes over the training rows, which must have a survey; see retained().
std::vector<DiagnosisPart> diagnose(const Problem& rows, const DiagnoseOptions& options = {});

// How the weights' exponents changed during a run, from a file written by `thresh train --trace`.
DiagnosisPart diagnose_trace(const std::string& path);

struct TheoremOptions {
  std::string weights_file;          // used in training; "" if none was
  double delta = 0.05;               // the probability with which the error bound may fail
  std::optional<double> test_error;  // measured on rows not used in training
};
// Repeats the training of a model on `rows`, which must contain all features. Reports whether the
// conditions of the theorems of Xie et al. held, and the bounds that follow.
DiagnosisPart diagnose_theorems(const Model& model, const Problem& rows,
                                const TheoremOptions& options = {});

}  // namespace thresh
