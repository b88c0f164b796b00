// Examines a model and its rows, for both making and checking a certificate.
#pragma once

#include <string>
#include <vector>

#include "certify/duality_gap.hpp"
#include "certify/replay.hpp"
#include "certify/training_rows.hpp"

namespace thresh {

inline constexpr const char* kPerceptron = "margin-perceptron";
// The kinds of certificates.
inline constexpr const char* kCompression = "compression";
inline constexpr const char* kGap = "duality gap";
inline constexpr const char* kSubset = "subset bound";

// Whether a solver minimises mean L + lambda |w|_1, or mean L where |w|_1 <= z.
bool has_penalty(const std::string& solver);
bool has_ball(const std::string& solver);
// Whether a solver limits the number of features, and fits them with a ridge.
bool has_feature_limit(const std::string& solver);
// The kind of a solver's certificates.
const char* kind_for(const std::string& solver);

class Examination {
 public:
  explicit Examination(Claimed claimed);

  const Claimed& claimed() const { return claimed_; }
  const RowFacts& facts() const { return facts_; }
  const TrainingRows& rows() const { return rows_; }
  const SlotWeights& weights() const { return at_; }
  // As reported by the training.
  std::uint64_t updates() const { return claimed_.model.summary.at("updates").count(); }
  std::uint64_t id_end() const;  // one past the largest row id

  // Why eq. 17 does not apply, given the training errors and the size of the compression set; "" if
  // it applies.
  std::string obstacle(std::uint64_t errors, std::uint64_t compression_set,
                       bool started_from_model) const;
  std::vector<long double> margins() const;  // y a of every row
  bool weighted() const;                     // whether rows have weights
  PerceptronOptions perceptron() const { return PerceptronOptions(claimed_.model); }
  // Repeats the training on these rows alone, or on all rows.
  Replay replay_set(const std::vector<std::uint64_t>& ids) const;
  Replay replay_all() const;

  ConvexProblem problem() const;
  DualityGap gap() const { return duality_gap(problem(), rows_, at_); }
  // A finding that the solver reported about its run.
  std::optional<double> finding(const std::string& name) const;

 private:
  double lambda() const;
  // Whether the run's end followed from the rows that caused updates.
  bool ended_by_itself() const;
  // The updates after which a replay stops: those of the run, or one more to show a difference.
  std::uint64_t most_updates() const;

  Claimed claimed_;
  TrainingRows rows_;
  SlotWeights at_;
  RowFacts facts_;
};

// Throws CertificateError if the model has none.
const Record& certificate_of(const Model& model);

// The two claims in words.
std::string bound_text(double bound, double delta);
std::string gap_text(double objective, double gap);

}  // namespace thresh
