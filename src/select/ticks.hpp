// The progress of several parallel runs.
#pragma once

#include <algorithm>
#include <functional>
#include <mutex>
#include <vector>

#include "thresh/fit.hpp"

namespace thresh {

// One observer per run. Each counts when asked whether it wants progress, and always declines,
// because reports cost time.
class Ticks {
 public:
  // `tell` gets the sum of the completed shares of all runs, from one thread at a time.
  Ticks(const std::vector<Options>& runs, std::function<void(double)> tell)
      : tell_(std::move(tell)) {
    ticks_.reserve(runs.size());
    for (const Options& options : runs) ticks_.emplace_back(*this, options);
  }
  Ticks(const Ticks&) = delete;
  Ticks& operator=(const Ticks&) = delete;

  std::vector<Observer*> observers() {
    std::vector<Observer*> all;
    all.reserve(ticks_.size());
    for (Tick& tick : ticks_) all.push_back(&tick);
    return all;
  }

 private:
  class Tick : public Observer {
   public:
    Tick(Ticks& all, const Options& options)
        : all_(&all), steps_(options.steps.value_or(0)), passes_(options.passes) {}
    bool wants_progress(const Progress& progress) const override {
      all_->count(*this, progress);
      return false;
    }

    double share_of(const Progress& p) const {
      const std::uint64_t expected = p.expected_examples > 0 ? p.expected_examples : steps_;
      // Solvers that work in memory count steps, but the steps per pass are not known.
      const double share = expected > 0
                               ? static_cast<double>(p.examples) / static_cast<double>(expected)
                               : static_cast<double>(p.pass) / static_cast<double>(passes_ + 1);
      return std::min(1.0, share);
    }
    mutable double done = 0;  // share of the run

   private:
    Ticks* all_;
    std::uint64_t steps_;
    std::uint64_t passes_;
  };

  void count(const Tick& tick, const Progress& progress) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return;  // another thread is telling; this one will be asked again soon
    tick.done = tick.share_of(progress);
    double sum = 0;
    for (const Tick& each : ticks_) sum += each.done;
    tell_(sum);
  }

  std::function<void(double)> tell_;
  std::mutex mutex_;
  std::vector<Tick> ticks_;
};

}  // namespace thresh
