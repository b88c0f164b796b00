// How far runs are that go on side by side.
#pragma once

#include <algorithm>
#include <functional>
#include <mutex>
#include <vector>

#include "thresh/fit.hpp"

namespace thresh {

// An observer for each run. They count whenever they are asked whether they want to know more, and
// never do: that would cost time.
class Ticks {
 public:
  // `tell` gets the sum of the shares of each run that are done, in one thread at a time.
  Ticks(std::size_t runs, std::function<void(double)> tell)
      : tell_(std::move(tell)), ticks_(runs, Tick(*this)) {}
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
    explicit Tick(Ticks& all) : all_(&all) {}
    bool wants_progress(const Progress& progress) const override {
      all_->count(share_, progress);
      return false;
    }

   private:
    friend class Ticks;
    Ticks* all_;
    mutable double share_ = 0;  // of the run
  };

  void count(double& share, const Progress& progress) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return;  // someone else is telling, and this will be asked again soon
    const auto expected = static_cast<double>(progress.expected_examples);
    share = expected > 0 ? std::min(1.0, static_cast<double>(progress.examples) / expected) : 0;
    double sum = 0;
    for (const Tick& tick : ticks_) sum += tick.share_;
    tell_(sum);
  }

  std::function<void(double)> tell_;
  std::mutex mutex_;
  std::vector<Tick> ticks_;
};

}  // namespace thresh
