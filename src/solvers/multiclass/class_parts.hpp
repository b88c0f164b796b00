// Common base of multiclass solvers: one solver per class, and a state that only counts.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "solvers/multiclass/multiclass.hpp"
#include "sparse/parallel.hpp"

namespace thresh {

// Base is RowSolver or MatrixSolver, like the parts. The label of a row is its class number.
template <class Base>
class ClassParts : public Base {
 public:
  ClassParts(Parts parts, BudgetOf budget) : parts_(std::move(parts)), budget_(budget) {}

  std::span<const std::unique_ptr<Solver>> parts() const override { return parts_; }

  void begin() override {
    for (const auto& part : parts_) part->begin();
    add_up();
  }
  void ensure_slots(std::size_t n) override {
    for (const auto& part : parts_) part->ensure_slots(n);
  }
  void save_within(std::uint64_t budget) override {
    add_up();
    const bool together = budget_ == BudgetOf::sum;
    if (together && this->all_nonzeros() > budget) return;
    for (const auto& part : parts_) part->save_within(together ? kUnlimited : budget);
  }
  void go_back_within(std::uint64_t budget) override {
    add_up();
    const bool together = budget_ == BudgetOf::sum;
    if (together && this->all_nonzeros() <= budget) return;
    for (const auto& part : parts_) together ? part->go_back() : part->go_back_within(budget);
    add_up();
  }
  std::size_t results() const override {
    std::size_t fewest = parts_[0]->results();
    for (const auto& part : parts_) fewest = std::min(fewest, part->results());
    return fewest;
  }
  void show(std::size_t result) override {
    const bool last = result + 1 == results();
    for (const auto& part : parts_) part->show(last ? part->results() - 1 : result);
    add_up();
  }
  // If classes chose different values, no single number can represent them.
  void note_options(Options& options) const override {
    parts_[0]->note_options(options);
    for (const auto& part : parts_) {
      Options other = options;
      part->note_options(other);
      if (other.lambda != options.lambda) options.lambda = std::nan("");
    }
  }
  double penalty() const override {
    double sum = 0;
    for (const auto& part : parts_) sum += part->penalty();
    return sum;
  }
  // Classes see the same rows, so most warnings are duplicates.
  std::vector<std::string> warnings() const override {
    std::vector<std::string> all;
    for (const auto& part : parts_) {
      for (std::string& text : part->warnings()) {
        if (std::find(all.begin(), all.end(), text) == all.end()) all.push_back(std::move(text));
      }
    }
    return all;
  }
  void archive(Archive& a) override {
    for (const auto& part : parts_) part->archive(a);
    Base::archive(a);
  }
  std::string needs_in_advance() const override { return parts_[0]->needs_in_advance(); }
  // The same for all classes: it depends on the rows but not on their labels.
  std::optional<double> chosen_eta() const override { return parts_[0]->chosen_eta(); }

 protected:
  // Calls work(c) for the classes that still learn, on all cores if worthwhile.
  template <class Work>
  void for_each_part(bool on_all_cores, const Work& work) {
    const auto part = [&](std::size_t c) {
      if (!parts_[c]->ended()) work(c);
    };
    if (on_all_cores) {
      parallel_for(parts_.size(), part);
    } else {
      for (std::size_t c = 0; c < parts_.size(); ++c) part(c);
    }
    add_up();
  }

  void do_settle() override {
    for (const auto& part : parts_) part->settle();
    add_up();
  }

  // Adds up the counters. Each row counts once; training ends when all classes have ended.
  void add_up() {
    LinearState& sum = this->state_;
    sum.nonzeros = sum.updates = sum.accesses = 0;
    std::size_t ended = 0;
    for (const auto& part : parts_) {
      const LinearState& state = part->state();
      sum.t = std::max(sum.t, state.t);
      sum.examples = std::max(sum.examples, state.examples);
      sum.nonzeros += state.nonzeros;
      sum.updates += state.updates;
      sum.accesses += state.accesses;
      if (!part->ended()) continue;
      ++ended;
      const bool diverged = part->ended()->outcome == Outcome::diverged;
      if (diverged || ended == parts_.size()) this->ended_ = part->ended();
      if (diverged) this->runaway_ = part->runaway();
    }
  }

  Parts parts_;

 private:
  BudgetOf budget_;
};

}  // namespace thresh
