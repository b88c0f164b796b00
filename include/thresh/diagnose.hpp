// What the numbers in data and model will do to a learner, or what they did: `thresh diagnose`.
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
  std::string text;  // for people: what was looked at, what came out, what is normal, what to do
  std::string json;  // the same as an object
};

// Told how far diagnose() is; on_progress() is about models that judge labels.
class DiagnoseObserver : public SelectObserver {
 public:
  virtual void on_phase(const std::string& /*what*/) {}  // that rows are read for from now on
  virtual void on_bytes(std::uint64_t /*bytes*/) {}      // of text behind rows that were read
};

struct DiagnoseOptions {
  std::vector<std::string> only;  // of data, labels, exponents, spectral, runtimes; empty: all
  const Model* model = nullptr;   // learned from these rows: its weights' exponents are told, too
  std::optional<double> gamma;    // inverse step size whose spectral radius is wanted
  std::uint64_t grades_features = 0;  // above 0: GraDes is followed, which keeps so many weights,
  std::uint64_t grades_steps = 10;    // for so many iterations,
  Task task = Task::classification;   // and takes labels for this
  double epsilon = 0;          // above 0: how many steps suffice to come so near to the minimum
  double lambda = 1e-4;        // of this penalty
  Loss loss = Loss::logistic;  // and this loss,
  double delta = 0.05;         // with probability 1 - delta;
  bool exact_optimum = false;  // the minimum is found first, instead of |w*| <= P(0)/lambda
  const std::atomic<bool>* stop = nullptr;  // throws Interrupted once it is true
  DiagnoseObserver* observer = nullptr;
};

// Makes several passes over the training rows, which must have a survey; see retained().
std::vector<DiagnosisPart> diagnose(const Problem& rows, const DiagnoseOptions& options = {});

// What became of the weights' exponents, by a file that `thresh train --trace` wrote.
DiagnosisPart diagnose_trace(const std::string& path);

struct TheoremOptions {
  std::string weights_file;          // that the model was trained with; "" if there is none
  double delta = 0.05;               // the probability with which the error bound may fail
  std::optional<double> test_error;  // measured on rows that took no part in the training
};
// Whether the conditions of the theorems of Xie et al. held when a model was trained on these rows,
// with all features in them, and what they promise then. The training is repeated for that.
DiagnosisPart diagnose_theorems(const Model& model, const Problem& rows,
                                const TheoremOptions& options = {});

}  // namespace thresh
