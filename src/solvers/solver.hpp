// What the training loop knows of a solver that learns from one row at a time.
//
// Calls are virtual once per run of rows, never per row; everything that matters to a later resume
// is in LinearState.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>

#include "sparse/zeroed_array.hpp"
#include "thresh/fit.hpp"
#include "thresh/options.hpp"
#include "thresh/rows.hpp"

namespace thresh {

inline constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

// A linear model in the making.
struct LinearState {
  ZeroedArray<double> weights;  // by slot
  double intercept = 0;
  std::uint64_t nonzeros = 0;  // of weights
  std::uint64_t t = 0;         // rows visited, never reset
  std::uint64_t updates = 0;
  std::uint64_t accesses = 0;  // stored x_ij read
  std::uint64_t mistakes = 0;  // wrong predictions before the row was learned from
};

class OnlineSolver {
 public:
  virtual ~OnlineSolver() = default;

  // Learns from the rows in order and says how many it visited: all of them, or fewer when the
  // support reached `mark` non-zeros or training came to its end. The weights cover every slot.
  virtual std::size_t visit(std::span<const Row> rows, std::uint64_t mark) = 0;

  // The loss part of the traced objective, summed over rows by weight.
  virtual double loss(std::span<const double> margins, std::span<const Row> rows) const = 0;
  // The rest of it.
  virtual double penalty() const = 0;

  // Whether a pass without an update means that all further passes would be the same.
  virtual bool done_without_update() const { return false; }

  LinearState& state() { return state_; }
  const LinearState& state() const { return state_; }
  // Set once the solver itself ended the training.
  const std::optional<Status>& ended() const { return ended_; }

 protected:
  LinearState state_;
  std::optional<Status> ended_;
};

// Step sizes eta_t.
class StepSize {
 public:
  StepSize(double eta, Schedule schedule) : eta_(eta), schedule_(schedule) {}
  double at(std::uint64_t t) const {
    switch (schedule_) {
      case Schedule::constant:
        return eta_;
      case Schedule::sqrt:
        return eta_ / std::sqrt(static_cast<double>(t));
      case Schedule::inverse:
        return eta_ / static_cast<double>(t);
    }
    return eta_;
  }

 private:
  double eta_;
  Schedule schedule_;
};

}  // namespace thresh
