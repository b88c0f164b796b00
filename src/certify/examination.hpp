// A model and its rows, looked at once: what both making and checking a certificate need to know.
#pragma once

#include <nlohmann/json.hpp>
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

// Whether it minimises mean L + lambda |w|_1, or mean L where |w|_1 <= z.
bool has_penalty(const std::string& solver);
bool has_ball(const std::string& solver);

class Examination {
 public:
  explicit Examination(const Claimed& claimed);

  const RowFacts& facts() const { return facts_; }
  std::uint64_t updates() const { return summary_.at("updates"); }  // as the training said
  std::uint64_t id_end() const;                                     // ids of rows are below

  // Why eq. 17 does not apply to a model with so many training errors and a kernel of so many rows;
  // "" if it does.
  std::string obstacle(std::uint64_t errors, std::uint64_t kernel, bool started_from_model) const;
  bool weighted() const;  // whether rows have weights, for whatever reason
  PerceptronOptions perceptron() const { return {claimed_.model, options_}; }
  // The training once more, on these rows alone or on all.
  Replay replay_kernel(const std::vector<std::uint64_t>& ids) const;
  Replay replay_all() const;

  ConvexProblem problem() const;
  DualityGap gap() const { return duality_gap(problem(), rows_, at_); }
  // What the solver itself found out about the run.
  std::optional<double> finding(const std::string& name) const;

 private:
  double lambda() const;
  // Whether the end followed from the rows that caused updates.
  bool ended_by_itself() const;
  // Where a replay of a run that did not has to be ended; one more than that is wrong in any case.
  std::uint64_t most_updates() const;

  const Claimed& claimed_;
  nlohmann::ordered_json options_, summary_;
  TrainingRows rows_;
  SlotWeights at_;
  RowFacts facts_;
};

// The two claims in words.
std::string bound_text(double bound, double delta);
std::string gap_text(double objective, double gap);

}  // namespace thresh
